package learned_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/learned"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/affinitytest"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

const nodes, times = 5, 12

// trade returns a source of yearly weights between all nodes, with labels from the second year on.
func trade() *affinity.Memory {
	random := rand.New(rand.NewPCG(1, 2))
	m := &affinity.Memory{NodeNames: []string{"a", "b", "c", "d", "e"}, Classes: nodes}
	weight := make([]float64, nodes*nodes)
	for i := range weight {
		weight[i] = random.Float64()
	}
	for year := range times {
		labels := affinity.Labels{Time: float64(year), Affinities: dyngraph.Affinities{Start: []int{0}}}
		for u := range nodes {
			labels.Nodes = append(labels.Nodes, int32(u))
			for v := range nodes {
				w := &weight[u*nodes+v]
				*w *= math.Exp(0.2 * random.NormFloat64())
				m.EventList = append(m.EventList, dyngraph.Event{Time: float64(year), Source: int32(u), Destination: int32(v),
					Weight: *w})
				labels.Classes, labels.Values = append(labels.Classes, int32(v)), append(labels.Values, *w)
			}
			labels.Start = append(labels.Start, len(labels.Classes))
		}
		if year > 0 {
			m.LabelList = append(m.LabelList, labels)
		}
	}
	return m
}

func data(t *testing.T) *affinity.Data {
	t.Helper()
	d, err := affinity.New(context.Background(), "trade", 1, trade())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func forecaster(t *testing.T, c pengcde.Config) *learned.Forecaster {
	t.Helper()
	c.Hidden, c.Layers, c.Step, c.Normalise, c.Seed = 3, 1, 1, dyngraph.Raw, 4
	model, err := pengcde.New(xlatest.Go(t), learned.Config(c, data(t).Task))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return &learned.Forecaster{Model: model,
		Training: train.Config{Epochs: 3, EvaluateEvery: 1, BatchSize: 4, AdamW: train.AdamW{LearningRate: 0.01}}}
}

// A question becomes a window of the complete snapshots, with the known labels and its answer.
func TestWindows(t *testing.T) {
	ctx := context.Background()
	f := forecaster(t, pengcde.Config{Head: head.Ranking{Pairs: true, Residual: true}})
	plans, err := data(t).Rotation(1, 2) // labels of 1 to 8 for training, 9 and 10 for validation
	if err != nil {
		t.Fatal(err)
	}
	training, validation, err := f.Windows(ctx, plans[0])
	if err != nil || len(training) != 8 || len(validation) != 2 {
		t.Fatalf("%d windows for training, %d for validation, %v", len(training), len(validation), err)
	}
	m := trade()
	year := func(k int) (weights []float64) {
		for _, e := range m.EventList[k*nodes*nodes : (k+1)*nodes*nodes] {
			weights = append(weights, e.Weight)
		}
		return weights
	}
	for i, years := range map[int][]int{0: {0, 0, 0}, 1: {0, 0, 1}, 7: {5, 6, 7}} { // of the labels of year i+1
		s := training[i].Series
		for k, at := range years {
			if !slices.Equal(s.Weights[k], year(at)) {
				t.Errorf("question %d: snapshot %d is %v, want that of year %d", i, k, s.Weights[k], at)
			}
		}
		if got := training[i].Affinities().Values; !slices.Equal(got, year(i+1)) {
			t.Errorf("question %d: the answer is %v", i, got)
		}
	}
	known := training[7].Series.Prior[2]
	for e, newest := range year(7) {
		l, before := math.Log1p(1e4*newest), math.Log1p(1e4*year(6)[e])
		if got := known.Values[4*e : 4*e+2]; !(math.Abs(got[0]-l) <= 1e-12) || !(math.Abs(got[1]-(before-l)) <= 1e-12) {
			t.Errorf("known of year 8: %v, want %g and %g", got, l, before-l)
		}
	}
}

// No forecast changes when events and labels change from its time on.
func TestForecastsKnowNothingOfTheFuture(t *testing.T) {
	maps, derivative := equivariant.Published11()
	rows := pengcde.Input{RowFeatures: 2}
	for name, c := range map[string]pengcde.Config{
		"residual":    {Head: head.Ranking{Pairs: true, Residual: true}},
		"gated state": {Head: head.Ranking{Pairs: true, Residual: true}}, "rows": {Input: rows},
		"original": {Input: rows, Field: field.Original{}}, "stg-ncde": {Input: rows, Field: rivals.STGNCDE{}},
		"11 maps":    {Input: rows, Field: field.PENG{Maps: maps, DerivativeMaps: derivative}},
		"identities": {Input: rows, Field: field.PENG{Identities: equivariant.Identities{Size: 2}}}} {
		make := func() affinity.Forecaster {
			c.Hidden, c.Layers, c.Step, c.Normalise = 2, 1, 1, dyngraph.Raw
			model, err := pengcde.New(xlatest.Go(t), learned.Config(c, affinity.Task{Nodes: 8, Classes: 8}))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(model.Close)
			f := &learned.Forecaster{Model: model, Training: train.Config{Epochs: 1, EvaluateEvery: 1, BatchSize: 16}}
			if name == "gated state" {
				f.Prior = &affinity.GatedState{Epochs: 2}
			}
			return f
		}
		err := affinitytest.Leak(context.Background(), func(d *affinity.Data) (*affinity.Plan, error) {
			return d.Official(affinity.Strict)
		}, make)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A residual model with almost no training equals the forecast that it corrects.
func TestResidualBeginsWithItsPrior(t *testing.T) {
	for name, c := range map[string]struct {
		prior learned.Prior
		alone affinity.Forecaster
	}{
		"none":        {nil, &affinity.LogLinear{}},
		"log-linear":  {&affinity.LogLinear{Penalty: 100}, &affinity.LogLinear{Penalty: 100}},
		"gated state": {&affinity.GatedState{}, &affinity.GatedState{}},
	} {
		t.Run(name, func(t *testing.T) { beginsWith(t, c.prior, c.alone) })
	}
}

func beginsWith(t *testing.T, prior learned.Prior, alone affinity.Forecaster) {
	ctx := context.Background()
	f := forecaster(t, pengcde.Config{Head: head.Ranking{Pairs: true, Residual: true},
		Execution: pengcde.Execution{Float64: true}})
	f.Prior, f.Training.AdamW.LearningRate = prior, 1e-12
	plans, err := data(t).Rotation(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, plan := range plans {
		want, err := affinity.Evaluate(ctx, plan, alone)
		if err != nil {
			t.Fatal(err)
		}
		got, err := affinity.Evaluate(ctx, plan, f)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range got.Scores[1:] { // before the first nothing is known
			if !(math.Abs(s.NDCG-want.Scores[i+1].NDCG) <= 1e-12) {
				t.Errorf("time %g: %g, want %g", s.Time, s.NDCG, want.Scores[i+1].NDCG)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	plans, err := data(t).Rotation(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	other, err := pengcde.New(xlatest.Go(t), pengcde.Config{Nodes: nodes, Features: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	good := forecaster(t, pengcde.Config{})
	for name, f := range map[string]*learned.Forecaster{"no model": {}, "another output": {Model: other},
		"one input": {Model: good.Model, Inputs: 1}} {
		if _, err := affinity.Evaluate(ctx, plans[0], f); !errors.Is(err, pengcde.ErrInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// In parity time the current snapshot is the newest, with the events known at the time of the question.
func TestParitySeesTheSnapshotThatGoesOn(t *testing.T) {
	ctx := context.Background()
	m := trade()
	var events []dyngraph.Event
	for range 10 { // so that a batch of the official loop ends within a year
		events = append(events, m.EventList...)
	}
	slices.SortStableFunc(events, func(a, b dyngraph.Event) int { return cmp.Compare(a.Time, b.Time) })
	m.EventList = events
	d, err := affinity.New(ctx, "trade", 1, m)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(clock affinity.Clock) (last float64) {
		plan, err := d.Official(clock)
		if err != nil {
			t.Fatal(err)
		}
		f := forecaster(t, pengcde.Config{})
		training, _, err := f.Windows(ctx, plan.Past())
		if err != nil {
			t.Fatal(err)
		}
		return floats.Sum(training[4].Series.Weights[2])
	}
	if strict, parity := sum(affinity.Strict), sum(affinity.Parity); strict == parity {
		t.Errorf("the newest snapshot sums to %g in both clocks", strict)
	}
}
