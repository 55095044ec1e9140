package notebooks

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/datasets/table"
)

// The tables are the shipped series, day for day.
func TestEnglandTables(t *testing.T) {
	text, err := os.ReadFile("data/england.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"england_flows.csv.gz", "england_cases.csv.gz"} {
		content, err := os.ReadFile("data/" + name)
		if sum := fmt.Sprintf("%s  %x", name, sha256.Sum256(content)); err != nil || !strings.Contains(string(text), sum) {
			t.Errorf("data/england.txt lacks %q, %v", sum, err)
		}
	}
	data, err := table.Read(t.Context(), table.Config{
		Edges: table.Edges{Path: "data/england_flows.csv.gz", Time: "day", From: "from", To: "to", Weight: "people"},
		Nodes: table.Nodes{Path: "data/england_cases.csv.gz", Time: "day", Node: "region", Targets: []string{"cases"}},
		Lags:  1, Unscaled: true})
	if err != nil {
		t.Fatal(err)
	}
	want, err := pgt.EnglandCovid()
	if err != nil {
		t.Fatal(err)
	}
	got := data.Series
	if len(got.Times) != 61 || got.Nodes() != want.Nodes() || got.Dates[0].Format("2 January 2006") != "13 March 2020" {
		t.Fatalf("%d days of %d nodes from %v", len(got.Times), got.Nodes(), got.Dates[0])
	}
	flows := func(p []float64, from, to []int32) map[[2]int32]float64 {
		all := make(map[[2]int32]float64)
		for e, w := range p {
			if w != 0 {
				all[[2]int32{from[e], to[e]}] = w
			}
		}
		return all
	}
	for i := range want.Times {
		cases, err := want.Scales[i].Restore(want.Targets[i]) // eight days after the snapshot's edges
		if err != nil {
			t.Fatal(err)
		}
		for u, y := range cases {
			if !(math.Abs(y-got.Targets[i+8][u]) <= 1e-6) {
				t.Fatalf("day %d, region %d: %g cases, the series has %g", i+8, u, got.Targets[i+8][u], y)
			}
		}
		a := flows(want.Weights[i], want.Pattern.From, want.Pattern.To)
		b := flows(got.Weights[i], got.Pattern.From, got.Pattern.To)
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("day %d: %d flows, the series has %d, or they differ", i, len(b), len(a))
		}
	}
}
