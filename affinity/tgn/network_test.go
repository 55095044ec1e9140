package tgn

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/rankertest"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

var variants = map[string]Config{"TGN": TGN(), "TGNv2": TGNv2(), "DyRep": DyRep(), "JODIE": JODIE()}

// small returns a small network with the settings of another.
func small(c Config) Config {
	c.Width, c.Neighbours, c.Batch, c.Dropout, c.Float64 = 4, 3, 5, NoDropout, true
	return c
}

func made(t *testing.T, backend *xla.Backend, c Config, task affinity.Task) *Network {
	t.Helper()
	n, err := New(backend, c, task)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

// The gradient of each parameter agrees with central differences, and none is 0.
func TestGradient(t *testing.T) {
	data := rankertest.Stream(t, 6, 4, 5, 9, false)
	for name, c := range variants {
		n := made(t, xlatest.Go(t), small(c), data.Task)
		without := "attention.key.bias" // which moves all scores of a node alike
		rankertest.Gradient(t, name, n.core, n, data, without)
		rankertest.InParts(t, name, n.core, n, data)
	}
}

// Networks learn where each node's favourite class moves. TGNv2 learns it fully; without their numbers the nodes
// of messages look alike.
func TestLearns(t *testing.T) {
	data := rankertest.Stream(t, 8, 4, 30, 24, true)
	plan, err := data.Official(affinity.Strict)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range variants {
		c.Width, c.Neighbours, c.Training = 16, 4, Training(30, 30, 0.01)
		n := made(t, xlatest.Backend(t), c, data.Task)
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

// No forecast changes when events change from its time on.
func TestStrictTimeKnowsThePastAlone(t *testing.T) {
	for name, c := range variants {
		c = small(c)
		c.Batch, c.Training = 100, Training(1, 1, 1e-3)
		rankertest.Strict(t, name, func(task affinity.Task) affinity.Forecaster {
			return made(t, xlatest.Go(t), c, task)
		})
	}
}

// An event that later ones hide from attention still has an influence, through the memories; Reset forgets it.
func TestRemembers(t *testing.T) {
	data := rankertest.Stream(t, 6, 4, 4, 9, false)
	for name, c := range variants {
		n := made(t, xlatest.Go(t), small(c), data.Task)
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

func TestAskedTogether(t *testing.T) {
	data := rankertest.Stream(t, 6, 4, 4, 9, false)
	for name, c := range variants {
		rankertest.AskedTogether(t, name, made(t, xlatest.Go(t), small(c), data.Task), data)
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
