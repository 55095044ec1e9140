package pengcde

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// graphRing is a ring with two targets of the whole graph at every snapshot, of which some were not observed.
func graphRing(t *testing.T) *dyngraph.Series {
	t.Helper()
	s := ring(t)
	s.Targets, s.TargetSize = nil, 2
	for k, time := range s.Times {
		s.GraphTargets = append(s.GraphTargets, []float64{math.Sin(time / 3), math.Cos(time / 4)})
		if k%5 == 2 {
			s.GraphTargets[k] = []float64{nan, nan}
		}
	}
	s.GraphTargets[8][1] = nan
	return s
}

func summed(c *Config) { c.Head, c.Outputs, c.Float64 = head.Summed{}, 2, true }

// A forecast of the graph is trained on windows and on whole series. Its gradient agrees with finite differences, and
// the loss is the mean square over observed targets of the forecasts of Predict.
func TestSummed(t *testing.T) {
	s, ctx := graphRing(t), context.Background()
	m := ringModel(t, summed)
	windows := []dyngraph.Window{{Series: s, Start: 0, Length: 4}, {Series: s, Start: 5, Length: 4}}
	whole := []dyngraph.Window{s.Whole()}
	for name, list := range map[string][]dyngraph.Window{"windows": windows, "whole": whole} {
		checkGradient(t, m, list)
		forecasts, err := m.PredictAll(ctx, list, nil)
		if err != nil {
			t.Fatal(err)
		}
		sum, count := 0.0, 0.0
		for i, w := range list {
			for k, row := range w.GraphTargets() {
				if y := forecasts[i]; y.Nodes != 1 || y.Outputs != 2 {
					t.Fatalf("%s: forecast %v, want of 1 node and 2 outputs", name, y)
				}
				square, seen := 0.0, 0.0
				for q, target := range row {
					if !math.IsNaN(target) {
						square, seen = square+math.Pow(forecasts[i].At(k, 0, q)-target, 2), seen+1
					}
				}
				if seen > 0 {
					sum, count = sum+square/seen, count+1
				}
			}
		}
		made, err := batches(m.backend, len(list), source{m, list, nil})
		if err != nil {
			t.Fatal(err)
		}
		loss, err := lossOf(ctx, m.network, m.params, made[0])
		if freeAll(made); err != nil || !(math.Abs(loss-sum/count) <= 1e-12) {
			t.Errorf("%s: loss %g (%v), want %g", name, loss, err, sum/count)
		}
	}
	report, err := m.Fit(ctx, whole, whole, train.Config{Epochs: 15, AdamW: train.AdamW{LearningRate: 0.02}})
	if err != nil {
		t.Fatal(err)
	}
	if first := report.Epochs[0].TrainLoss; report.BestValidation > first/2 {
		t.Errorf("loss went from %g to %g", first, report.BestValidation)
	}
}

// The sum over nodes does not depend on their order.
func TestSummedOfRelabelledNodes(t *testing.T) {
	s := graphRing(t)
	order := []int{3, 0, 5, 1, 4, 2} // node u becomes order[u]
	other := *s
	var from, to []int
	for e := range s.Pattern.From {
		from, to = append(from, order[s.Pattern.From[e]]), append(to, order[s.Pattern.To[e]])
	}
	pattern, index, err := dyngraph.NewPattern(ringNodes, from, to)
	if err != nil {
		t.Fatal(err)
	}
	other.Pattern, other.Weights, other.Features = pattern, nil, nil
	for k := range s.Times {
		weights, features := make([]float64, len(index)), make([]float64, len(s.Features[k]))
		for e, w := range s.Weights[k] {
			weights[index[e]] = w
		}
		for u, at := range order {
			copy(features[at*ringFeatures:(at+1)*ringFeatures], s.Features[k][u*ringFeatures:])
		}
		other.Weights, other.Features = append(other.Weights, weights), append(other.Features, features)
	}
	for _, c := range []Config{{Field: field.PENG{}, Head: head.Summed{}}, {Field: field.Original{}, Head: head.Summed{}},
		{Field: field.PENG{}, Head: head.Class{}}} {
		m := ringModel(t, func(cfg *Config) { summed(cfg); cfg.Field, cfg.Head = c.Field, c.Head })
		for name, w := range map[string]dyngraph.Window{"window": {Series: s, Start: 2, Length: 5}, "whole": s.Whole()} {
			same := w
			same.Series = &other
			want, got := forecast(t, m, w), forecast(t, m, same)
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= 1e-10) {
					t.Errorf("%T, %s: forecast %.15g, relabelled %.15g", c.Field, name, want[i], got[i])
				}
			}
		}
	}
}

// Forecasts of each output have the right rows and times.
func TestOutputs(t *testing.T) {
	s, ctx := ring(t), context.Background()
	window, whole := dyngraph.Window{Series: s, Start: 2, Length: 4}, s.Whole()
	for _, c := range []struct {
		head   head.Head
		window dyngraph.Window
		times  int // of a forecast without times; 0 for a window that cannot be
	}{
		{nil, window, 1}, {nil, whole, len(s.Times)}, {head.Nodes{At: head.AtEnd}, window, 1},
		{head.Nodes{At: head.AtEnd}, whole, 1}, {head.Nodes{At: head.AtEach}, window, 0},
		{head.Nodes{At: head.AtEach}, whole, len(s.Times)}, {head.Summed{}, window, 1}, {head.Summed{}, whole, len(s.Times)},
	} {
		m := ringModel(t, func(cfg *Config) { cfg.Head = c.head })
		y, err := m.Predict(ctx, c.window, nil)
		if c.times == 0 {
			if !errors.Is(err, ErrInput) {
				t.Errorf("%+v of a window: %v, want ErrInput", c.head, err)
			}
			continue
		}
		rows := ringNodes
		if isSummed(c.head) {
			rows = 1
		}
		if err != nil || shape(y) != [3]int{c.times, rows, 1} ||
			!slices.Equal(y.Times, c.window.ForecastTimes()[len(c.window.ForecastTimes())-c.times:]) {
			t.Errorf("%q, whole %t: %d (%v), want %d times with %d rows", c.head, c.window.Whole, shape(y), err, c.times, rows)
		}
		sample, err := m.training(c.window, validated{})
		if isSummed(c.head) { // the ring has only targets of nodes
			if !errors.Is(err, ErrInput) {
				t.Errorf("%q without targets of the graph: %v, want ErrInput", c.head, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		last, size := sample.taken.Targets[len(sample.taken.Targets)-ringNodes:], 0.0
		for _, weight := range sample.taken.Weights {
			size += weight
		}
		targets := c.window.Targets()
		if !slices.Equal(last, targets[len(targets)-1]) || size != float64(c.times) {
			t.Errorf("%q, whole %t: targets end with %v, %g times weigh", c.head, c.window.Whole, last, size)
		}
	}
}

// A batch gives the same forecasts as its windows one by one, also if some times are after the last input.
func TestPredictAllHolds(t *testing.T) {
	m, s, ctx := ringModelOn(t, xlatest.Go(t), func(c *Config) { c.Float64 = true }), ring(t), context.Background()
	windows := []dyngraph.Window{{Series: s, Start: 1, Length: 4}, {Series: s, Start: 9, Length: 4}}
	times := [][]float64{{0.5, 2, 3.5}, {0, 0.5, 1}}
	all, err := m.PredictAll(ctx, windows, times, HoldControl())
	if err != nil {
		t.Fatal(err)
	}
	for b, w := range windows {
		for i, at := range times[b] {
			alone, err := m.Predict(ctx, w, []float64{at}, HoldControl())
			if err != nil {
				t.Fatal(err)
			}
			for u := range ringNodes {
				if got, want := all[b].At(i, u, 0), alone.At(0, u, 0); !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("window %d, time %g, node %d: %g together, %g alone", b, at, u, got, want)
				}
			}
		}
	}
	held, err := m.Predict(ctx, s.Whole(), []float64{22, 23, 25}, HoldControl())
	if err != nil || len(held.Times) != 3 || held.At(2, 0, 0) == held.At(1, 0, 0) {
		t.Errorf("a series held: %v (%v)", held, err)
	}
	if _, err := m.PredictAll(ctx, windows, times); !errors.Is(err, ErrPastLast) || !errors.Is(err, ErrInput) {
		t.Errorf("not held: %v, want ErrPastLast", err)
	}
	mixed := []dyngraph.Window{{Series: s, Length: 4}, {Series: s, Length: 3, Whole: true}}
	if _, err := m.Fit(ctx, mixed, nil, train.Config{BatchSize: 2, EvaluateEvery: -1}); !errors.Is(err, ErrInput) {
		t.Errorf("a batch of a window and a whole series: %v, want ErrInput", err)
	}
	if _, err := m.PredictAll(ctx, windows, times[:1]); !errors.Is(err, ErrInput) {
		t.Errorf("times for one of two: %v, want ErrInput", err)
	}
}
