package dynamics_test

import (
	"context"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// sparse makes the pattern and weights of a dense matrix [n, n].
func sparse(t testing.TB, n int, dense []float64) (*dyngraph.Pattern, []float64) {
	t.Helper()
	var from, to []int
	var weights []float64
	for e, w := range dense {
		if w != 0 {
			from, to, weights = append(from, e/n), append(to, e%n), append(weights, w)
		}
	}
	p, _, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return p, weights
}

func TestFixtureSimulators(t *testing.T) {
	file := fixture.Load(t, "simulators")
	pattern, weights := sparse(t, file.Get("n").Int(), file.Get("A").Array().Data)
	graph, err := dynamics.NewGraph(pattern, weights)
	if err != nil {
		t.Fatal(err)
	}
	x := file.Get("x").Array().Data
	for _, c := range []struct {
		key        string
		dynamics   dynamics.Dynamics
		start      []float64
		trajectory float64 // tolerance
	}{
		{"heat", dynamics.Heat, x, 1e-10},
		{"gene_ref", dynamics.GeneCoded, x, 1e-10},
		{"gene_paper", dynamics.GenePrinted, x, 1e-10},
		{"gene_mm", dynamics.GeneMichaelisMenten, x, 1e-10},
		{"wealth", dynamics.Wealth(file.Get("wealth_delta").Float(), file.Get("wealth_s").Array().Data...), x, 1e-10},
		// Where a sum passes the threshold within rounding of a stage, a step is off by a part of its length.
		{"opinion", dynamics.Opinion, x, 1e-2},
		{"sir", dynamics.SIR(file.Get("sir_beta").Float(), file.Get("sir_gamma").Float()),
			file.Get("sir_x").Array().Data, 1e-10},
	} {
		t.Run(c.key, func(t *testing.T) {
			rate := make([]float64, len(c.start))
			c.dynamics.Rate(0, c.start, graph, rate)
			fixture.Close(t, "rate", rate, file.Get(c.key+"_rhs").Array().Data, 1e-12)
			values, err := dynamics.Simulate(context.Background(), dynamics.Problem{
				Dynamics: c.dynamics, Start: c.start, Times: file.Get("ts").Array().Data, Pattern: pattern,
				Snapshots: [][]float64{weights},
			})
			if err != nil {
				t.Fatal(err)
			}
			want := file.Get(c.key + "_traj").Array()
			for k, value := range values {
				fixture.Close(t, "state", value, want.Row(k).Data, c.trajectory)
			}
		})
	}
}
