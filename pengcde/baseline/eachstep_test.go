package baseline_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// A forecast of several steps at once is at each step the forecast that is fitted to that step alone, except that one
// penalty is chosen for all.
func TestForecastsOfEachStep(t *testing.T) {
	const nodes, snapshots, steps = 3, 30, 3
	random := rand.New(rand.NewPCG(21, 22))
	s := &dyngraph.Series{Name: "steps", FeatureSize: 1, TargetSize: steps, EachStep: true,
		Alignment: dyngraph.Alignment{Targets: dyngraph.StepRange{First: 1, Last: steps}},
		Pattern:   &dyngraph.Pattern{Nodes: nodes, From: []int32{0, 1, 2}, To: []int32{1, 2, 0}}}
	values := make([][]float64, snapshots+steps)
	for i := range values {
		for range nodes {
			values[i] = append(values[i], random.NormFloat64())
		}
	}
	values[9][1] = math.NaN()
	for i := range snapshots {
		var targets, newest []float64
		for u := range nodes {
			for k := range steps {
				targets, newest = append(targets, values[i+1+k][u]), append(newest, values[i/10*10][u])
			}
		}
		s.Times, s.Weights = append(s.Times, float64(i)), append(s.Weights, []float64{1, 2, 3})
		s.Features, s.Targets = append(s.Features, values[i]), append(s.Targets, targets)
		s.LastObserved, s.RecentMean = append(s.LastObserved, newest), append(s.RecentMean, newest)
	}
	windows, err := s.Windows(4, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	all := baseline.Heuristics()
	for k := range steps {
		one := s.OfStep(k)
		for i, alone := range baseline.Heuristics() {
			if ridge, ok := alone.(*baseline.Ridge); ok && ridge.Choose {
				continue
			}
			moved := make([]dyngraph.Window, len(windows))
			for at, w := range windows {
				w.Series = one
				moved[at] = w
			}
			for _, err := range []error{all[i].Fit(windows[:15], nil), alone.Fit(moved[:15], nil)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			got, err := all[i].Forecast(windows[20])
			if err != nil {
				t.Fatal(err)
			}
			want, err := alone.Forecast(moved[20])
			if err != nil {
				t.Fatal(err)
			}
			fixture.Close(t, alone.Name(), s.AtStep(got, k), want, 1e-12)
		}
	}
}
