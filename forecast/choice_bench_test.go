package forecast

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// BenchmarkChoice prints what Model "auto" chooses within three minutes on the data of docs/own-data.md, and what the
// graph is worth there.
func BenchmarkChoice(b *testing.B) {
	backend := xlatest.Backend(b)
	for _, c := range []struct {
		name string
		data func(testing.TB) *table.Data
	}{
		{"England", func(t testing.TB) *table.Data { return covid(t, "england") }},
		{"Italy", func(t testing.TB) *table.Data { return covid(t, "italy") }},
		{"France", func(t testing.TB) *table.Data { return covid(t, "france") }},
		{"Follow", func(t testing.TB) *table.Data {
			return world(t, 40, 200, func(_, neighbours, noise float64) float64 { return 0.95*neighbours + 0.4*noise })
		}},
		{"Nonlinear", func(t testing.TB) *table.Data {
			return world(t, 40, 200, func(_, neighbours, noise float64) float64 {
				return math.Sin(3*neighbours) + 0.2*noise
			})
		}},
		{"Heat", func(t testing.TB) *table.Data {
			return world(t, 40, 300, func(own, neighbours, noise float64) float64 {
				return own + 0.4*(neighbours-own) + 0.3*noise
			})
		}},
		{"Alone", func(t testing.TB) *table.Data {
			return world(t, 40, 200, func(own, _, noise float64) float64 { return 0.8*own + 0.5*noise })
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := c.data(b)
			for b.Loop() {
				began := time.Now()
				r, err := Fit(b.Context(), backend, data, Config{Model: "auto", Budget: 3 * time.Minute})
				if err != nil {
					b.Fatal(err)
				}
				errors, err := r.Table()
				if err != nil {
					b.Fatal(err)
				}
				fmt.Printf("%s, %.0f s\n%s\n%s\n%s\n%s\n\n", c.name, time.Since(began).Seconds(), r.Choice, errors,
					r.Verdict(), r.Graph)
			}
		})
	}
}

// covid reads the tables of a country: cases by day and region, and movements.
func covid(t testing.TB, country string) *table.Data {
	t.Helper()
	file, err := os.Open("../datasets/pgt/" + country + "_covid.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var content struct {
		Edges struct {
			Index  map[string][][2]int  `json:"edge_index"`
			Weight map[string][]float64 `json:"edge_weight"`
		} `json:"edge_mapping"`
		Days  int         `json:"time_periods"`
		Cases [][]float64 `json:"y"`
	}
	if err := json.NewDecoder(unpacked).Decode(&content); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	flows, cases := filepath.Join(folder, "flows.csv"), filepath.Join(folder, "cases.csv")
	edges, nodes := []byte("day,from,to,people\n"), []byte("day,region,cases\n")
	for day := range content.Days {
		for e, pair := range content.Edges.Index[strconv.Itoa(day)] {
			edges = fmt.Appendf(edges, "%d,%d,%d,%g\n", day, pair[0], pair[1], content.Edges.Weight[strconv.Itoa(day)][e])
		}
		for region, count := range content.Cases[day] {
			nodes = fmt.Appendf(nodes, "%d,%d,%g\n", day, region, count)
		}
	}
	for path, text := range map[string][]byte{flows: edges, cases: nodes} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := table.Read(t.Context(), table.Config{Edges: table.Edges{Path: flows, Weight: "people"},
		Nodes: table.Nodes{Path: cases, Targets: []string{"cases"}}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
