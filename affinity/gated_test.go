package affinity

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// The gradient of the loss with respect to every weight agrees with differences.
func TestGatedGradient(t *testing.T) {
	t.Run("ranking loss", func(t *testing.T) { gatedGradient(t, &GatedState{}) })
	t.Run("cross-entropy", func(t *testing.T) { gatedGradient(t, &GatedState{CrossEntropy: true}) })
}

func gatedGradient(t *testing.T, m *GatedState) {
	const classes = 4
	m.Reset(Task{Nodes: 4, Classes: classes, Step: 1})
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(classes ...int32) row {
		r := row{classes: classes}
		for range classes {
			r.weights = append(r.weights, random.Float64())
		}
		return r
	}
	for gate := range m.weights {
		for i := range m.weights[gate] {
			m.weights[gate][i] = random.NormFloat64()
		}
	}
	before, x, answer, old, global := draw(0, 1, 3), draw(0, 2, 3), draw(0, 1, 2), draw(1, 2), draw(0, 1, 2, 3)
	m.global = global
	node := func() *gatedNode {
		z := m.gate(0, x, before, old)
		return &gatedNode{x: x, h: before.mixed(z, x), before: before, global: old, z: z, steps: 2}
	}
	gradient := newGateWeights(3*classes + 1)
	clear(gradient[0])
	clear(gradient[1])
	m.slope(node(), answer, 0.5, gradient)
	loss := func() float64 { return m.slope(node(), answer, 0.5, newGateWeights(3*classes+1)) }
	const h = 1e-6
	found := false
	for gate := range m.weights {
		for i := range m.weights[gate] {
			w := &m.weights[gate][i]
			at := *w
			*w = at + h
			up := loss()
			*w = at - h
			down := loss()
			*w = at
			want, got := (up-down)/(2*h), gradient[gate][i]
			if !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("gate %d, weight %d: %g, by differences %g", gate, i, got, want)
			}
			found = found || math.Abs(got) > 1e-3
		}
	}
	if !found {
		t.Errorf("no weight has a gradient: %v", gradient)
	}
}

// With constant gates the scores are the heuristics' to the bit.
func TestGatesContainHeuristics(t *testing.T) {
	// bias returns the weight of 1 that makes a gate z.
	bias := func(z float64) float64 {
		w := math.Log(z / (1 - z))
		for range 100 {
			switch got := 1 / (1 + math.Exp(-w)); {
			case got == z:
				return w
			case got < z:
				w = math.Nextafter(w, math.Inf(1))
			default:
				w = math.Nextafter(w, math.Inf(-1))
			}
		}
		t.Fatalf("no weight makes the gate %g", z)
		return 0
	}
	plan, err := noisy(t, true).Official(Strict)
	if err != nil {
		t.Fatal(err)
	}
	scores := func(f Forecaster) (all []float64) {
		err := plan.Walk(context.Background(), &listener{f, func(q Question, answer Labels) error {
			out := make([]float64, len(answer.Nodes)*plan.Classes)
			all = append(all, out...)
			return f.Forecast(context.Background(), q.Time, answer.Nodes, all[len(all)-len(out):])
		}})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	gates := func(z, s float64) *GatedState {
		m := &GatedState{}
		m.Reset(plan.Task)
		m.weights[0][3*plan.Classes], m.weights[1][3*plan.Classes] = z, s
		return m
	}
	never, always := math.Inf(-1), math.Inf(1)
	for name, c := range map[string]struct {
		gated *GatedState
		plain Forecaster
	}{
		"Persistent Forecast":  {gates(bias(0.75), never), &PersistentForecast{}},
		"Moving Average of 2":  {gates(bias(0.5), always), &MovingAverage{Window: 2}},
		"Moving Average of 8":  {gates(bias(0.875), always), &MovingAverage{Window: 8}},
		"newest row as state":  {gates(never, always), &PersistentForecast{}},
		"first row for always": {gates(always, always), &firstRow{}},
	} {
		got, want := scores(c.gated), scores(c.plain)
		if !slices.Equal(got, want) || floats.Sum(want) == 0 {
			t.Errorf("%s: scores differ, %d and %d in number", name, len(got), len(want))
		}
	}
}

// listener calls a function for each question of a walk.
type listener struct {
	Forecaster
	ask func(Question, Labels) error
}

func (l *listener) Ask(q Question, answer Labels) error { return l.ask(q, answer) }

// firstRow repeats the first row of each node.
type firstRow struct{ PersistentForecast }

func (f *firstRow) Learn(labels Labels) error {
	for u, row := range labels.rows() {
		if _, found := f.of[u]; !found {
			f.of[u] = row
		}
	}
	return nil
}

// noisy returns data of nodes whose weights are constant and observed with noise, or drift and are observed exactly.
func noisy(t *testing.T, drifts bool) *Data {
	t.Helper()
	const nodes, times = 12, 30
	random := rand.New(rand.NewPCG(5, 6))
	m := &Memory{Classes: nodes}
	level := make([][]float64, nodes)
	for u := range level {
		m.NodeNames = append(m.NodeNames, string(rune('a'+u)))
		for range nodes {
			level[u] = append(level[u], random.Float64())
		}
	}
	for at := range times {
		labels := Labels{Time: float64(at), Affinities: dyngraph.Affinities{Start: []int{0}}}
		for u := range level {
			labels.Nodes = append(labels.Nodes, int32(u))
			for v := range level[u] {
				shock := math.Exp(0.5 * random.NormFloat64())
				if drifts {
					level[u][v] *= shock
					shock = 1
				}
				labels.Classes, labels.Values = append(labels.Classes, int32(v)), append(labels.Values, level[u][v]*shock)
			}
			labels.Start = append(labels.Start, len(labels.Classes))
		}
		m.LabelList = append(m.LabelList, labels)
		for k, u := range labels.Nodes {
			_, classes, weights := labels.Row(k)
			for i, class := range classes {
				m.EventList = append(m.EventList, dyngraph.Event{Time: labels.Time, Source: u, Destination: class,
					Weight: weights[i]})
			}
		}
	}
	data, err := New(context.Background(), "noisy", 1, m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Learned heuristics beat the newest row if it is noisy, and stay close to it if it is not.
func TestLearnedHeuristics(t *testing.T) {
	score := func(drifts bool, f Forecaster) float64 {
		plans, err := noisy(t, drifts).Rotation(5, 5)
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, plan := range plans {
			report, err := Evaluate(context.Background(), plan, f)
			if err != nil {
				t.Fatal(err)
			}
			mean += report.Mean(Test) / float64(len(plans))
		}
		return mean
	}
	for _, c := range []struct {
		drifts bool
		gain   float64
	}{{false, 0.02}, {true, -0.005}} {
		newest := score(c.drifts, &PersistentForecast{})
		for _, f := range []Forecaster{&Ridge{}, &LogLinear{}, &GatedState{LearningRate: 0.03},
			&GatedState{LearningRate: 0.03, CrossEntropy: true}} {
			if got := score(c.drifts, f); got < newest+c.gain {
				t.Errorf("%T: NDCG %.4f, the newest row has %.4f (drifts: %v)", f, got, newest, c.drifts)
			}
		}
	}
}

// Ridge regression finds the coefficients that the data were made with.
func TestRidgeFindsCoefficients(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const nodes, times = 20, 60
	m := &Memory{Classes: nodes}
	value := func(a float64) float64 { return logScale * math.Expm1(a) }
	log := make([][2]float64, nodes*nodes) // newest and before
	for i := range log {
		log[i] = [2]float64{4 + random.NormFloat64(), 4 + random.NormFloat64()}
	}
	for u := range nodes {
		m.NodeNames = append(m.NodeNames, string(rune('A'+u)))
	}
	for at := range times {
		labels := Labels{Time: float64(at), Affinities: dyngraph.Affinities{Start: []int{0}}}
		for u := range nodes {
			labels.Nodes = append(labels.Nodes, int32(u))
			for v := range nodes {
				one := &log[u*nodes+v]
				if at > 0 {
					one[0], one[1] = one[0]+0.4*(one[1]-one[0])+0.2*random.NormFloat64(), one[0]
				}
				labels.Classes, labels.Values = append(labels.Classes, int32(v)), append(labels.Values, value(one[0]))
			}
			labels.Start = append(labels.Start, len(labels.Classes))
		}
		m.LabelList = append(m.LabelList, labels)
		m.EventList = append(m.EventList, dyngraph.Event{Time: float64(at)})
	}
	data, err := New(context.Background(), "regression", 1, m)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := data.Rotation(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	ridge := &Ridge{Penalty: 1e-9}
	if _, err := Evaluate(context.Background(), plans[0], ridge); err != nil {
		t.Fatal(err)
	}
	want := []float64{0.4, 0, 0, 0}
	for i, b := range ridge.coefficients {
		if !(math.Abs(b-want[i]) <= 0.1) {
			t.Errorf("coefficients %.3f, want %.1f", ridge.coefficients, want)
			break
		}
	}
}

func TestGatedErrors(t *testing.T) {
	plans, err := noisy(t, false).Rotation(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*GatedState{{Epochs: -1}, {LearningRate: -1}, {LearningRate: math.NaN()}, {WeightDecay: -1},
		{WeightDecay: math.Inf(1)}} {
		if _, err := Evaluate(context.Background(), plans[0], f); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	if _, err := Evaluate(context.Background(), &Plan{}, &PersistentForecast{}); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("a plan without data: %v", err)
	}
}

func TestRidgeErrors(t *testing.T) {
	plans, err := noisy(t, false).Rotation(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, penalty := range []float64{-1, math.NaN(), math.Inf(1)} {
		for _, f := range []Forecaster{&Ridge{Penalty: penalty}, &LogLinear{Penalty: penalty}} {
			if _, err := Evaluate(context.Background(), plans[0], f); !errors.Is(err, dyngraph.ErrInvalid) {
				t.Errorf("%T, penalty %g: %v", f, penalty, err)
			}
		}
	}
}
