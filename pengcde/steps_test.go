package pengcde

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	worlds "github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"

	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// heatModel returns a model of heat on graphs of the given number of nodes, with its training series as windows.
func heatModel(t testing.TB, backend *xla.Backend, nodes int, f field.Field) (*Model, []dyngraph.Window) {
	t.Helper()
	set, err := worlds.Generate(t.Context(), worlds.Config{Family: graphs.Grid{}, Task: worlds.Heat,
		Amplitude: worlds.Shipped, Nodes: nodes})
	if err != nil {
		t.Fatal(err)
	}
	var windows []dyngraph.Window
	for b := range set.Trajectories {
		windows = append(windows, set.Trajectories[b].Series(set.Train, set.TrainingIndex(false)).Whole())
	}
	m, err := New(backend, Config{Nodes: nodes, Features: 1, Field: f,
		Input:     Input{GraphOnly: true},
		Equation:  Equation{LinearCoders: true, Adaptive: &ode.PID{}},
		Execution: Execution{Float64: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m, windows
}

// Steps of a trained field end next to changes of the graph and at the last snapshot, for any batches of series.
func TestSteps(t *testing.T) {
	m, windows := heatModel(t, xlatest.Go(t), 36, field.PENG{})
	together, err := m.Steps(t.Context(), windows)
	if err != nil {
		t.Fatal(err)
	}
	for b, s := range together {
		times := windows[b].Series.Times
		if last := times[len(times)-1]; !slices.IsSorted(s.Ends) || s.Ends[len(s.Ends)-1] != last ||
			len(s.Ends) != s.Accepted {
			t.Errorf("sample %d: %d ends up to %g, want %d up to %g", b, len(s.Ends), s.Ends[len(s.Ends)-1], s.Accepted,
				last)
		}
		if len(s.StepTo) == 0 {
			t.Errorf("sample %d: no times to end on, want those beside changes", b)
		}
		for _, stop := range s.StepTo {
			if stop > 0 && !slices.Contains(s.Ends, stop) {
				t.Errorf("sample %d: no step ends at %g, beside a change", b, stop)
			}
		}
		alone, err := m.Steps(t.Context(), windows[b:b+1])
		if err != nil || !slices.Equal(alone[0].Ends, s.Ends) {
			t.Errorf("sample %d: steps end at %v, alone at %v, %v", b, s.Ends, alone, err)
		}
	}
	if _, err := m.Steps(t.Context(), nil); !errors.Is(err, ErrInput) {
		t.Errorf("no series: %v, want ErrInput", err)
	}
	m.Close()
	if _, err := m.Steps(t.Context(), windows); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v, want ErrClosed", err)
	}
}

// BenchmarkStepsOfHeat counts the tries for a sample of heat on 100 nodes, with parameters of 40 epochs: with steps
// that end on no knots, on the knots before changes of the graph, on the knots after them, and on all of these. It also
// reports the root mean square error of all states against a tight solve, relative to the largest.
func BenchmarkStepsOfHeat(b *testing.B) {
	ctx, backend := context.Background(), xlatest.Backend(b)
	for _, f := range []field.Field{field.GNODE{}, field.Adjacency{}, field.Original{}, field.PENG{},
		field.Constant{}} {
		b.Run(field.Name(f), func(b *testing.B) {
			m, windows := heatModel(b, backend, 100, f)
			training := train.Config{Epochs: 40, EvaluateEvery: -1, BatchSize: len(windows)}
			if _, err := m.Fit(ctx, windows, nil, training); err != nil {
				b.Fatal(err)
			}
			made, err := batches(backend, len(windows), source{model: m, windows: windows})
			if err != nil {
				b.Fatal(err)
			}
			batch := made[0]
			defer batch.free()
			var before, after, beside [][]float64
			for _, w := range windows {
				s, err := m.sample(w, false, validated{})
				if err != nil {
					b.Fatal(err)
				}
				jumps, knots := s.paths.Jumps(), []float64(nil)
				for _, t := range jumps {
					knots = append(knots, s.paths.Knots[slices.Index(s.paths.Knots, t)-1])
				}
				before, after, beside = append(before, knots), append(after, jumps), append(beside, s.paths.Changes())
			}
			solve := func(control ode.PID, stops [][]float64) (states []float64, tries int) {
				w := m.config.wiring()
				w.stepSize, w.maxSteps, batch.stops = control, 1<<20, stops
				n, err := newEquation(backend, w)
				if err != nil {
					b.Fatal(err)
				}
				defer n.close()
				solution, err := n.solve(ctx, m.params, batch, forLoss)
				if err != nil {
					b.Fatal(err)
				}
				defer solution.Close()
				for _, stats := range solution.Stats {
					tries += stats.Accepted + stats.Rejected
				}
				return host.Floats(solution.Z), tries
			}
			for b.Loop() {
				want, _ := solve(ode.PID{RTol: 1e-8, ATol: 1e-10}, beside)
				for name, stops := range map[string][][]float64{"plain": nil, "before": before, "after": after,
					"beside": beside} {
					got, tries := solve(ode.PID{}, stops)
					b.ReportMetric(float64(tries)/float64(len(windows)), name+"-tries")
					rms := floats.Distance(got, want, 2) / math.Sqrt(float64(len(got)))
					b.ReportMetric(rms/floats.Norm(want, math.Inf(1)), name+"-error")
				}
			}
		})
	}
}
