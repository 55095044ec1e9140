package tgn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/affinitytest"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

var variants = map[string]Config{"TGN": TGN(), "TGNv2": TGNv2(), "DyRep": DyRep(), "JODIE": JODIE()}

// small returns a small network with the settings of another.
func small(c Config) Config {
	c.Width, c.Neighbours, c.Batch, c.Dropout, c.Float64 = 4, 3, 5, NoDropout, true
	return c
}

// stream is a series of events between nodes, and labels that follow from them.
func stream(t *testing.T, nodes, classes, times, each int, follow bool) *affinity.Data {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	source := &affinity.Memory{Classes: classes}
	for u := range nodes {
		source.NodeNames = append(source.NodeNames, string(rune('a'+u)))
	}
	for at := range times {
		sums := make(map[[2]int]float64)
		for i := range each {
			from, to := random.IntN(nodes), random.IntN(classes)
			if follow { // each node has a favourite, which moves
				to = (from + at/6) % classes
			}
			e := dyngraph.Event{Time: float64(at) + float64(i)/float64(2*each), Source: int32(from), Destination: int32(to),
				Weight: 1 + random.Float64()}
			source.EventList = append(source.EventList, e)
			sums[[2]int{from, to}] += e.Weight
		}
		labels := affinity.Labels{Time: float64(at) + 0.9, Affinities: dyngraph.Affinities{Start: []int{0}}}
		for u := range nodes {
			for c := range classes {
				if w := sums[[2]int{u, c}]; w > 0 {
					labels.Classes, labels.Values = append(labels.Classes, int32(c)), append(labels.Values, w)
				}
			}
			if len(labels.Classes) > labels.Start[len(labels.Start)-1] {
				labels.Nodes, labels.Start = append(labels.Nodes, int32(u)), append(labels.Start, len(labels.Classes))
			}
		}
		for k := range labels.Nodes { // affinities sum to 1
			total := 0.0
			for _, w := range labels.Values[labels.Start[k]:labels.Start[k+1]] {
				total += w
			}
			for i := labels.Start[k]; i < labels.Start[k+1]; i++ {
				labels.Values[i] /= total
			}
		}
		source.LabelList = append(source.LabelList, labels)
	}
	data, err := affinity.New(context.Background(), "stream", 1, source)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// latest keeps the state after all events before the last question, and that question.
type latest struct {
	*Network
	at     float64
	answer affinity.Labels
}

func (l *latest) Ask(q affinity.Question, answer affinity.Labels) error {
	l.at, l.answer = q.Time, answer
	return nil
}

func made(t *testing.T, backend *xla.Backend, c Config, data *affinity.Data) *Network {
	t.Helper()
	n, err := New(backend, c, data.Task)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

// The gradient of each parameter agrees with central differences, and none is 0.
func TestGradient(t *testing.T) {
	data := stream(t, 6, 4, 5, 9, false)
	plans, err := data.Rotation(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range variants {
		n := made(t, xlatest.Go(t), small(c), data)
		last := &latest{Network: n}
		if err := plans[0].Walk(t.Context(), last); err != nil {
			t.Fatal(err)
		}
		_, gradients, err := n.loss(last.at, last.answer)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range n.layers.params() {
			slopes := host.Floats(gradients[i])
			used := slices.ContainsFunc(slopes, func(g float64) bool { return g != 0 })
			if !used && p.Name != "attention.key.bias" { // which moves all scores of a node alike
				t.Errorf("%s: %s has no influence", name, p.Name)
			}
			values := host.Floats(n.core.Params[i])
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for range min(6, len(values)) {
				j := random.IntN(len(values))
				const h = 1e-6
				at := func(x float64) float64 {
					changed := slices.Clone(values)
					changed[j] = x
					old := n.core.Params[i]
					n.core.Params[i] = host.Tensor(old.DType(), changed, old.Shape().Dimensions...)
					loss, more, err := n.loss(last.at, last.answer)
					if err != nil {
						t.Fatal(err)
					}
					xla.Free(more...)
					n.core.Params[i] = old
					return loss
				}
				slope := (at(values[j]+h) - at(values[j]-h)) / (2 * h)
				if math.Abs(slope-slopes[j]) > 1e-7*(1+math.Abs(slope)) {
					t.Errorf("%s: %s, entry %d: gradient %g, differences %g", name, p.Name, j, slopes[j], slope)
				}
			}
		}
		xla.Free(gradients...)
	}
}

// Networks learn where each node's favourite class moves. TGNv2 learns it fully; without identities the nodes of
// messages look alike.
func TestLearns(t *testing.T) {
	data := stream(t, 8, 4, 30, 24, true)
	plan, err := data.Official(affinity.Strict)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range variants {
		c.Width, c.Neighbours, c.Training = 16, 4, Training(30, 0.01)
		n := made(t, xlatest.Backend(t), c, data)
		report, err := n.Fit(t.Context(), plan.Past(), c.Training)
		if err != nil {
			t.Fatal(name, err)
		}
		first, lowest := report.Epochs[0].TrainLoss, math.Inf(1)
		for _, epoch := range report.Epochs {
			lowest = min(lowest, epoch.TrainLoss)
		}
		if len(report.Epochs) != c.Training.Epochs || !(lowest < 0.9*first) || !(report.BestValidation < 0.3) {
			t.Errorf("%s: %d epochs, loss %g at first and %g at the lowest, on validation %g", name, len(report.Epochs), first,
				lowest, report.BestValidation)
		}
		trained, err := affinity.Score(t.Context(), plan, n, affinity.Test)
		if err != nil {
			t.Fatal(name, err)
		}
		if test := trained.Mean(affinity.Test); name == "TGNv2" && !(test > 0.95) {
			t.Errorf("%s: NDCG %g", name, test)
		}
	}
}

// BenchmarkTrade reports the NDCG@10 of each network on the trade of 69 countries by TGB's protocol in strict time, and
// the seconds of an epoch.
func BenchmarkTrade(b *testing.B) {
	data, err := tgb.AgtpaTrade(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	plan, err := data.Official(affinity.Strict)
	if err != nil {
		b.Fatal(err)
	}
	persistent, err := affinity.Evaluate(b.Context(), plan, &affinity.PersistentForecast{}, affinity.Test)
	if err != nil {
		b.Fatal(err)
	}
	for name, c := range variants {
		b.Run(name, func(b *testing.B) {
			n, err := New(xlatest.Backend(b), c, data.Task)
			if err != nil {
				b.Fatal(err)
			}
			defer n.Close()
			for b.Loop() {
				report, err := affinity.Evaluate(b.Context(), plan, n, affinity.Validation, affinity.Test)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(report.Mean(affinity.Validation), "NDCG-validation")
				b.ReportMetric(report.Mean(affinity.Test), "NDCG-test")
			}
			b.ReportMetric(persistent.Mean(affinity.Test), "NDCG-persistent")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*n.layers.Training.Epochs), "s/epoch")
		})
	}
}

// No forecast changes when events change from its time on.
func TestStrictTimeKnowsThePastAlone(t *testing.T) {
	for name, c := range variants {
		c = small(c)
		c.Batch, c.Training = 100, Training(1, 1e-3)
		err := affinitytest.Leak(t.Context(), func(d *affinity.Data) (*affinity.Plan, error) {
			return d.Official(affinity.Strict)
		}, func() affinity.Forecaster {
			n, err := New(xlatest.Go(t), c, affinity.Task{Nodes: 8, Classes: 8})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(n.Close)
			return n
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An event that later ones hide from attention still has an influence, through the memories; Reset forgets it.
func TestRemembers(t *testing.T) {
	data := stream(t, 6, 4, 4, 9, false)
	for name, c := range variants {
		n := made(t, xlatest.Go(t), small(c), data)
		forecast := func(first float64) []float64 {
			n.Reset(data.Task)
			var events []dyngraph.Event
			for at := range 20 {
				events = append(events, dyngraph.Event{Time: float64(at), Source: 0, Destination: 1, Weight: 1})
			}
			events[4].Weight = first // the last of its batch, whose message counts
			if err := n.Observe(events); err != nil {
				t.Fatal(err)
			}
			scores := make([]float64, 4)
			if err := n.Forecast(t.Context(), 30, []int32{0}, scores); err != nil {
				t.Fatal(err)
			}
			return scores
		}
		before := forecast(1)
		if !slices.Equal(before, forecast(1)) {
			t.Errorf("%s: another forecast after Reset", name)
		}
		if slices.Equal(before, forecast(5)) {
			t.Errorf("%s: an early event has no influence", name)
		}
	}
}

// The order of the asked nodes, and how many are asked at once, change nothing.
func TestAskedTogether(t *testing.T) {
	data := stream(t, 6, 4, 4, 9, false)
	plans, err := data.Rotation(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range variants {
		n := made(t, xlatest.Go(t), small(c), data)
		if err := plans[0].Walk(t.Context(), &latest{Network: n}); err != nil {
			t.Fatal(err)
		}
		all := make([]float64, 5*4)
		nodes := []int32{5, 0, 3, 1, 4}
		if err := n.Forecast(t.Context(), 9, nodes, all); err != nil {
			t.Fatal(err)
		}
		for i, u := range nodes {
			one := make([]float64, 4)
			if err := n.Forecast(t.Context(), 9, []int32{u}, one); err != nil {
				t.Fatal(err)
			}
			for k := range one {
				if math.Abs(one[k]-all[i*4+k]) > 1e-12 {
					t.Errorf("%s, node %d: %v alone, %v among others", name, u, one, all[i*4:i*4+4])
				}
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	task := affinity.Task{Nodes: 3, Classes: 2, Step: 1}
	for _, c := range []Config{{Updater: "lstm"}, {Embedding: "mean"}, {Width: 5}, {Heads: -2}, {Neighbours: -1},
		{Dropout: 1}, {Batch: -1}} {
		if _, err := New(xlatest.Go(t), c, task); !errors.Is(err, ErrInput) {
			t.Errorf("%+v: %v, want ErrInput", c, err)
		}
	}
	if _, err := New(xlatest.Go(t), Config{}, affinity.Task{}); !errors.Is(err, ErrInput) {
		t.Errorf("no nodes: %v", err)
	}
	n, err := New(xlatest.Go(t), Config{Width: 4}, task)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Observe([]dyngraph.Event{{Source: 3}}); !errors.Is(err, ErrInput) {
		t.Errorf("an event of another node: %v", err)
	}
	if err := n.Forecast(t.Context(), 1, []int32{7}, make([]float64, 2)); !errors.Is(err, ErrInput) {
		t.Errorf("another node: %v", err)
	}
	n.Reset(affinity.Task{Nodes: 3, Classes: 5, Step: 1})
	if err := n.Forecast(t.Context(), 1, []int32{0}, make([]float64, 5)); !errors.Is(err, ErrInput) {
		t.Errorf("another task: %v", err)
	}
	n.Reset(task)
	n.Close()
	if err := n.Forecast(t.Context(), 1, []int32{0}, make([]float64, 2)); !errors.Is(err, ErrInput) {
		t.Errorf("closed: %v", err)
	}
}
