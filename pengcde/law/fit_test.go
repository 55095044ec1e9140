package law

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// worlds simulates a task for training and test, as the studies of the published worlds have them.
func worlds(t *testing.T, task synthetic.Task, family graphs.Family) (training, test []dyngraph.Window) {
	t.Helper()
	for i, seed := range []uint64{1234, 2734} {
		set, err := synthetic.Generate(context.Background(), synthetic.Config{Family: family, Task: task, Nodes: 36,
			Graphs: 2, Amplitude: task.Amplitude, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for b := range set.Trajectories {
			if i == 0 {
				series := set.Trajectories[b].Series(set.Train, set.TrainingIndex(false))
				training = append(training, series.Whole())
			} else {
				test = append(test, set.Trajectories[b].Series(nil, nil).Whole())
			}
		}
	}
	return training, test
}

// The law of simulated diffusion is A - D to a part in a thousand, with exchange at contact kappa times its change. It
// forecasts other graphs.
func TestLawOfSimulatedWorlds(t *testing.T) {
	for _, family := range []graphs.Family{graphs.Grid{}, graphs.Community{}, graphs.PowerLaw{}, graphs.SmallWorld{}} {
		for name, want := range map[string]struct {
			task             synthetic.Task
			diffusion, kappa float64
		}{"heat": {synthetic.Heat, 1, 0}, "contact": {synthetic.Contact(0.2), 0.1, 0.2}} {
			t.Run(family.Name()+" "+name, func(t *testing.T) {
				training, test := worlds(t, want.task, family)
				var fit LeastSquares
				if err := fit.Fit(training, nil); err != nil {
					t.Fatal(err)
				}
				law, err := fit.Law()
				if err != nil {
					t.Fatal(err)
				}
				for _, term := range law.Terms {
					coefficient, tolerance := want.diffusion, 1e-3*want.diffusion
					if term.Change {
						coefficient, tolerance = want.kappa, 0.02
					}
					switch term.Map {
					case equivariant.RowsOnDiagonal:
						coefficient = -coefficient
					case equivariant.IdentityMap:
					default:
						coefficient = 0
					}
					// No node has a loop, and few events fall between observations, so changes are known less well.
					if term.Map != equivariant.KeepDiagonal && !(math.Abs(term.Coefficient-coefficient) <= tolerance) {
						t.Errorf("%s: coefficient %g, want %g within %g", term, term.Coefficient, coefficient, tolerance)
					}
				}
				for _, w := range test {
					forecast, err := fit.Forecast(w)
					if err != nil {
						t.Fatal(err)
					}
					off, size, n := 0.0, 0.0, w.Series.Nodes()
					for k, targets := range w.Targets() {
						off += floats.Distance(forecast[k*n:(k+1)*n], targets, 1)
						size += floats.Norm(targets, 1)
					}
					if off > 0.01*size {
						t.Errorf("forecasts of other graphs are off by %g of what there is", off/size)
					}
				}
			})
		}
	}
}

// randomSeries returns a law with all maps on a directed, weighted graph that changes, and its solution at random
// times.
func randomSeries(t *testing.T, rng *rand.Rand, law Law) dyngraph.Window {
	t.Helper()
	const nodes, times = 7, 24
	var from, to []int
	for u := range nodes {
		for v := range nodes {
			if rng.Float64() < 0.5 {
				from, to = append(from, u), append(to, v)
			}
		}
	}
	pattern, _, err := dyngraph.NewPattern(nodes, from, to)
	if err != nil {
		t.Fatal(err)
	}
	s := &dyngraph.Series{Name: "random", Pattern: pattern, FeatureSize: 1, TargetSize: 1}
	now, weights := 0.0, []float64(nil)
	for k := range times {
		now += 0.05 + 0.1*rng.Float64()
		if k%3 == 0 {
			weights = make([]float64, len(pattern.From))
			for e := range weights {
				weights[e] = 2*rng.Float64() - 1
			}
		}
		s.Times, s.Weights = append(s.Times, now), append(s.Weights, weights)
		state := make([]float64, nodes)
		for u := range state {
			state[u] = rng.NormFloat64()
		}
		s.Features = append(s.Features, state)
	}
	solved, err := (&LeastSquares{fitted: &law}).Forecast(s.Whole())
	if err != nil {
		t.Fatal(err)
	}
	for k := range times {
		s.Targets = append(s.Targets, solved[k*nodes:(k+1)*nodes])
	}
	return s.Whole()
}

// Every coefficient of a law on directed graphs is found again, also where snapshots were not observed.
func TestRandomLawIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	want := Law{State: -0.3}
	for _, change := range []bool{false, true} {
		for _, m := range equivariant.All15() {
			one := Term{Map: m, Change: change, Coefficient: 0.1 * rng.NormFloat64()}
			if !one.multiple() {
				want.Terms = append(want.Terms, one)
			}
		}
	}
	var windows []dyngraph.Window
	for range 6 {
		w := randomSeries(t, rng, want)
		w.Series.Targets[5] = append([]float64{}, w.Series.Targets[5]...)
		w.Series.Targets[5][2] = math.NaN()
		windows = append(windows, w)
	}
	fit := LeastSquares{Maps: equivariant.All15()}
	if err := fit.fitAround(0, windows); err != nil {
		t.Fatal(err)
	}
	got, err := fit.Law()
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(got.State-want.State) <= 1e-5) || len(got.Terms) != len(want.Terms) {
		t.Errorf("state %g in a law of %d terms, want %g of %d", got.State, len(got.Terms), want.State, len(want.Terms))
	}
	for _, term := range want.Terms {
		if c := got.Coefficient(term.Map, term.Change); !(math.Abs(c-term.Coefficient) <= 1e-5) {
			t.Errorf("%s: coefficient %g, want %g", term, c, term.Coefficient)
		}
	}
}

// A law of A leaves a jump at a change of the graph, which a law that includes the changes follows.
func TestLawOfAAlone(t *testing.T) {
	training, test := worlds(t, synthetic.Contact(0.2), graphs.Community{})
	var errors [2]float64
	for i, fit := range []LeastSquares{{}, {OfA: true}} {
		if err := fit.Fit(training, nil); err != nil {
			t.Fatal(err)
		}
		for _, w := range test {
			forecast, err := fit.Forecast(w)
			if err != nil {
				t.Fatal(err)
			}
			for k, targets := range w.Targets() {
				errors[i] += floats.Distance(forecast[k*len(targets):(k+1)*len(targets)], targets, 1)
			}
		}
	}
	if errors[1] < 10*errors[0] {
		t.Errorf("summed errors with changes %g, without %g, want at least ten times as much", errors[0], errors[1])
	}
}

// exp(h L) of a rotation is known; a flow that is too long is NaN.
func TestFlow(t *testing.T) {
	pattern, _, err := dyngraph.NewPattern(2, []int{0, 1}, []int{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	law := Law{Terms: []Term{{Map: equivariant.IdentityMap, Coefficient: 2}}}
	o := law.operator(pattern, []float64{-1.5, 1.5}, false) // dx0 = -3 x1, dx1 = 3 x0
	for _, h := range []float64{0, 0.1, 1, 20} {
		got, want := o.flow(h, []float64{1, 0}), []float64{math.Cos(3 * h), math.Sin(3 * h)}
		if !floats.EqualApprox(got, want, 1e-10) {
			t.Errorf("flow over %g: %g, want %g", h, got, want)
		}
	}
	if got := o.flow(1e6, []float64{1, 0}); !math.IsNaN(got[0]) {
		t.Errorf("a flow of |h L| 3e6: %g, want NaN", got)
	}
}

func TestLeastSquaresRefuses(t *testing.T) {
	series := func(change func(*dyngraph.Series)) *dyngraph.Series {
		w := randomSeries(t, rand.New(rand.NewPCG(1, 2)), Law{State: -1})
		change(w.Series)
		return w.Series
	}
	plain := series(func(*dyngraph.Series) {})
	for name, windows := range map[string][]dyngraph.Window{
		"no windows":  nil,
		"no series":   {{}},
		"a window":    {{Series: plain, Length: 4}},
		"two targets": {series(func(s *dyngraph.Series) { s.TargetSize = 2 }).Whole()},
		"no targets":  {series(func(s *dyngraph.Series) { s.Targets = nil }).Whole()},
		"infinite":    {series(func(s *dyngraph.Series) { s.Targets[3] = []float64{0, math.Inf(1), 0, 0, 0, 0, 0} }).Whole()},
		"one observed": {series(func(s *dyngraph.Series) {
			for k := 1; k < len(s.Targets); k++ {
				s.Targets[k] = []float64{0, math.NaN(), 0, 0, 0, 0, 0}
			}
		}).Whole()},
	} {
		if err := new(LeastSquares).Fit(windows, nil); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
	var fit LeastSquares
	if _, err := fit.Forecast(plain.Whole()); !errors.Is(err, ErrNotFitted) {
		t.Errorf("a forecast before Fit: %v, want ErrNotFitted", err)
	}
	if _, err := fit.Law(); !errors.Is(err, ErrNotFitted) {
		t.Errorf("a law before Fit: %v, want ErrNotFitted", err)
	}
	if err := fit.Fit([]dyngraph.Window{plain.Whole()}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := fit.Forecast(series(func(s *dyngraph.Series) { s.FeatureSize = 2 }).Whole()); !errors.Is(err, ErrInput) {
		t.Errorf("two features: %v, want ErrInput", err)
	}
	fit.fitted.State = 1e9
	if _, err := fit.Forecast(plain.Whole()); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("a law without bound: %v, want ErrInput", err)
	}
}
