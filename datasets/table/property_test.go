package table_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/datasets/table"
)

// Rows as a property draws them.
type (
	edgeRow struct {
		Time        time.Time `parquet:"time,timestamp(microsecond)"`
		Source      string    `parquet:"source,dict"`
		Destination string    `parquet:"destination,dict"`
		Weight      float64   `parquet:"weight"`
	}
	nodeRow struct {
		Time  time.Time `parquet:"time,timestamp(microsecond)"`
		Node  string    `parquet:"node"`
		Cases *float64  `parquet:"cases,optional"`
		Beds  int64     `parquet:"beds"`
		Kind  string    `parquet:"kind,optional"`
	}
)

// drawn are rows of both files: every node and every day has one at least, others repeat or are missing.
func drawn(t *rapid.T) (edges []edgeRow, nodes []nodeRow) {
	hour := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Date(2021, 12, 28, rapid.IntRange(0, 24*8-1).Draw(t, "hour"), 0, 0, 0, time.UTC)
	})
	name := rapid.SampledFrom([]string{"Aa", "Bü,b", `C"c`, "17", "é\nf"})
	weight, kind := rapid.Float64Range(0, 1e6), rapid.SampledFrom([]string{"town", "a coast", "7", ""})
	for d := range 8 {
		day := time.Date(2021, 12, 28+d, 0, 0, 0, 0, time.UTC)
		edges = append(edges, edgeRow{day, "Aa", "17", weight.Draw(t, "weight")})
		value := rapid.Float64Range(-100, 100).Draw(t, "value")
		nodes = append(nodes, nodeRow{day, "Aa", &value, int64(d), kind.Draw(t, "kind")})
	}
	nodes[0].Kind = "town" // a category in the training times
	// Times differ, so that "last" has one answer.
	for at := range uniqueTimes(hour, t) {
		edges = append(edges, edgeRow{at, name.Draw(t, "from"), name.Draw(t, "to"), weight.Draw(t, "weight")})
		row := nodeRow{at, name.Draw(t, "node"), nil, rapid.Int64Range(-9, 9).Draw(t, "beds"),
			kind.Draw(t, "kind")}
		if value := rapid.Float64Range(-100, 100).Draw(t, "value"); value > -50 {
			row.Cases = &value
		}
		nodes = append(nodes, row)
	}
	return edges, nodes
}

func uniqueTimes(hour *rapid.Generator[time.Time], t *rapid.T) map[time.Time]bool {
	times := make(map[time.Time]bool)
	for _, at := range rapid.SliceOfN(hour, 0, 30).Draw(t, "times") {
		if at.Hour() > 0 {
			times[at] = true
		}
	}
	return times
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

func csvOf(edges []edgeRow, nodes []nodeRow) (string, string) {
	var e, n strings.Builder
	e.WriteString("weight,time,unused,source,destination\n")
	for _, row := range edges {
		fmt.Fprintf(&e, "%v,%s,,%s,%s\n", row.Weight, row.Time.Format("2006-01-02 15:04"), quoted(row.Source),
			quoted(row.Destination))
	}
	n.WriteString("node,cases,beds,kind,time\r\n")
	for _, row := range nodes {
		value := "NA"
		if row.Cases != nil {
			value = fmt.Sprint(*row.Cases)
		}
		fmt.Fprintf(&n, "%s,%s,%d,%s,%s\r\n", quoted(row.Node), value, row.Beds, row.Kind, row.Time.Format(time.RFC3339))
	}
	return e.String(), n.String()
}

// same allows for the order in which sums are taken.
var same = cmp.Options{cmpopts.EquateApprox(1e-9, 1e-9), cmpopts.EquateNaNs(),
	cmpopts.IgnoreFields(table.Recipe{}, "Config.Notices")}

// TestProperties reads drawn files in another order of rows, as Parquet, compressed, and by the recipe of the first
// reading, with all aggregations: the series is the same.
func TestProperties(t *testing.T) {
	folder, ctx := t.TempDir(), context.Background()
	save := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rapid.Check(t, func(rt *rapid.T) {
		edges, nodes := drawn(rt)
		how := rapid.SampledFrom([]table.Aggregate{table.Sum, table.Mean, table.Last})
		c := table.Config{
			Nodes: table.Nodes{Targets: []string{"cases"}, Features: []string{"beds"}, Categories: []string{"kind"},
				Aggregate: how.Draw(rt, "of nodes")},
			Horizon: rapid.IntRange(1, 3).Draw(rt, "horizon"), Calendar: []table.CalendarPart{table.Weekday},
			Step:      table.Step{Duration: rapid.SampledFrom([]time.Duration{24, 48}).Draw(rt, "step") * time.Hour},
			Lags:      rapid.IntRange(1, 3).Draw(rt, "lags"),
			KeepGaps:  rapid.Bool().Draw(rt, "keep"),
			MaxValues: 1 << 20,
			Notices:   io.Discard,
		}
		c.Edges.Aggregate = how.Draw(rt, "of edges")
		read := func(edges, nodes string) *table.Data {
			c := c
			c.Edges.Path, c.Nodes.Path = edges, nodes
			data, err := table.Read(ctx, c)
			if err != nil {
				rt.Fatal(err)
			}
			return data
		}
		e, n := csvOf(edges, nodes)
		e, n = save("edges.csv", e), save("nodes.csv", n)
		first := read(e, n)
		compare := func(what string, got any, want any) {
			if d := cmp.Diff(want, got, same); d != "" {
				rt.Fatalf("%s: %s", what, d)
			}
		}

		again, err := first.Recipe.Read(ctx, e, n)
		if err != nil {
			rt.Fatal(err)
		}
		compare("by the recipe", again, first.Series)

		text, err := json.Marshal(first.Recipe)
		var stored table.Recipe
		if err == nil {
			err = json.Unmarshal(text, &stored)
		}
		if err != nil {
			rt.Fatal(err)
		}
		stored.Config.Notices = io.Discard
		compare("recipe in JSON", stored, first.Recipe)

		e, n = csvOf(rapid.Permutation(edges).Draw(rt, "edges"), rapid.Permutation(nodes).Draw(rt, "nodes"))
		shuffled := read(save("edges.csv.gz", gzipped(t, e)), save("nodes.csv.zst", zstandard(t, n)))
		compare("rows in another order", shuffled, first)

		var pe, pn bytes.Buffer
		if err := parquet.Write(&pe, edges, parquet.Compression(&parquet.Zstd)); err != nil {
			rt.Fatal(err)
		}
		if err := parquet.Write(&pn, nodes, parquet.MaxRowsPerRowGroup(7)); err != nil {
			rt.Fatal(err)
		}
		compare("Parquet", read(save("edges.parquet", pe.String()), save("nodes.parquet", pn.String())), first)
	})
}

// TestAggregates has sums that differ for each way of taking several rows together.
func TestAggregates(t *testing.T) {
	edges := "time,source,destination,weight\n0.75,a,b,4\n0.25,a,b,1\n0.5,a,b,1\n1.5,b,a,1\n2,a,b,7\n"
	nodes := "time,node,cases\n0.9,a,4\n0.1,a,1\n0.5,a,\n0.5,b,3\n1.5,a,1\n2.5,b,5\n"
	for how, want := range map[table.Aggregate]struct{ weight, cases float64 }{
		table.Sum: {6, 5}, table.Mean: {2, 2.5}, table.Last: {4, 4},
	} {
		c, _ := small(write(t, "edges.csv", edges), write(t, "nodes.csv", nodes))
		c.Step, c.Unscaled, c.Nodes.Features = table.Step{Number: 1}, true, nil
		c.Edges.Aggregate, c.Nodes.Aggregate = how, how
		s := read(t, c).Series
		if s.Weights[0][0] != want.weight || s.Targets[0][0] != want.cases || s.Targets[0][1] != 3 ||
			!math.IsNaN(s.Targets[1][1]) || s.Weights[1][0] != 0 || s.Weights[2][0] != 7 {
			t.Errorf("%s: weights %v, targets %v, want %+v", how, s.Weights, s.Targets, want)
		}
		if d := cmp.Diff([]float64{0, 1, 2}, s.Times); d != "" {
			t.Error(d)
		}
	}
}
