package tokens

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/affinity/internal/rankertest"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

var variants = map[string]Config{"GraphMixer": GraphMixer(), "TCL": TCL(),
	"DyGFormer":                  DyGFormer(),
	"GraphMixer with identities": identified(GraphMixer()), "DyGFormer with identities": identified(DyGFormer()),
	"TCL with identities": identified(TCL()), "TGAT with identities": identified(TGAT()),
	"CAWN": CAWN(), "CAWN with identities": identified(CAWN()), "CAWN to newest": newest(identified(CAWN()))}

func identified(c Config) Config {
	c.Identities = true
	return c
}

func newest(c Config) Config {
	c.Decay = 0
	return c
}

// small returns a small network with the settings of another.
func small(c Config) Config {
	c.Width, c.TimeWidth, c.Neighbours, c.Dropout, c.Float64, c.Seed = 8, 4, 5, 0, true, 2
	c.Patch, c.Channel = 3, 4
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

// Scores agree with DyGLib's modules, as bench/tgn/tokens.py wrote them, after each batch of events.
func TestPeer(t *testing.T) {
	for name, c := range map[string]Config{"graphmixer": GraphMixer(), "tcl": identified(TCL()),
		"dygformer": identified(DyGFormer()), "tgat": identified(TGAT()), "cawn": newest(identified(CAWN()))} {
		peer := rankertest.ReadPeer(t, name)
		c.Width, c.TimeWidth, c.Neighbours, c.Float64 = peer.Width, peer.TimeWidth, peer.Neighbours, true
		c.Patch, c.Channel, c.Heads = 4, 6, 2
		n := made(t, xlatest.Go(t), c, peer.Task())
		peer.Compare(t, name, n.core, n, 1e-12)
	}
}

// Keys of a transformer are compared with each other, so their bias has no influence.
func TestGradient(t *testing.T) {
	data := rankertest.Stream(t, 6, 4, 5, 9, false)
	for name, c := range variants {
		n := made(t, xlatest.Go(t), small(c), data.Task)
		var without []string
		switch c.Encoder {
		case Transformer, Patches:
			without = []string{"transformer.0.key.bias", "transformer.1.key.bias"}
		case Walks:
			without = []string{"transformer.0.key.bias"}
		}
		rankertest.Gradient(t, name, n.core, n, data, without...)
		rankertest.AskedTogether(t, name, n, data)
		rankertest.InParts(t, name, n.core, n, data)
	}
}

// With identities networks learn where each node's favourite class moves.
func TestLearns(t *testing.T) {
	data := rankertest.Stream(t, 8, 4, 30, 24, true)
	plan, err := data.Official(affinity.Strict)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range variants {
		if !c.Identities {
			continue
		}
		c.Width, c.TimeWidth, c.Neighbours, c.Channel = 16, 8, 7, 8
		c.Training = ranker.Training(40, 40, 0.01)
		n := made(t, xlatest.Backend(t), c, data.Task)
		report, err := affinity.Evaluate(t.Context(), plan, n, affinity.Test)
		if err != nil {
			t.Fatal(name, err)
		}
		if test := report.Mean(affinity.Test); !(test > 0.9) {
			t.Errorf("%s: NDCG %g", name, test)
		}
	}
}

// An epoch that time cuts short is validated too, and a plan without a training question is an error.
func TestFitCutShort(t *testing.T) {
	data := rankertest.Stream(t, 8, 4, 30, 24, true)
	plan, err := data.Official(affinity.Strict)
	if err != nil {
		t.Fatal(err)
	}
	n := made(t, xlatest.Go(t), small(GraphMixer()), data.Task)
	c := ranker.Training(3, 3, 0.01)
	c.MaxTime = time.Nanosecond
	if report, err := n.Fit(t.Context(), plan, c); err != nil || report.Stop != train.StopTime ||
		!(report.BestValidation < 1) {
		t.Errorf("%+v, %v", report, err)
	}
	untrained := *plan
	untrained.Questions = slices.DeleteFunc(slices.Clone(plan.Questions), func(q affinity.Question) bool {
		return q.Part == affinity.Train
	})
	if _, err := n.Fit(t.Context(), &untrained, c); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("without a training question: %v", err)
	}
}

// No forecast changes when events change from its time on.
func TestStrictTimeKnowsThePastAlone(t *testing.T) {
	for name, c := range variants {
		c = small(c)
		c.Training.Epochs = 1
		rankertest.Strict(t, name, func(task affinity.Task) affinity.Forecaster {
			return made(t, xlatest.Go(t), c, task)
		})
	}
}

// Frequencies are the published ones.
func TestFrequencies(t *testing.T) {
	c, err := TCL().withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	weight := clock{c}.Params()[0]
	for i := range 2 * c.TimeWidth { // a second draw is the same
		if got, want := weight.Init(nil), math.Pow(10, -float64(i%c.TimeWidth)/11); !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("frequency %d: %g, want %g", i, got, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	task := affinity.Task{Nodes: 3, Classes: 2, Step: 1}
	for _, c := range []Config{{Encoder: "lstm"}, {Width: 5}, {Heads: -2}, {TimeWidth: -1}, {Layers: -1}, {Neighbours: 1},
		{Dropout: 1}, {Encoder: Patches, Neighbours: 8}, {Encoder: Hops, Layers: 3},
		{Decay: 1}, {Encoder: Walks, Decay: -1}, {Encoder: Walks, Decay: math.NaN()}, {Encoder: Walks, Width: 1},
		{Encoder: Patches, Neighbours: 7, Channel: 3}} {
		if _, err := New(xlatest.Go(t), c, task); !errors.Is(err, ErrInput) {
			t.Errorf("%+v: %v, want ErrInput", c, err)
		}
	}
	if _, err := New(xlatest.Go(t), Config{}, affinity.Task{}); !errors.Is(err, ErrInput) {
		t.Errorf("no nodes: %v", err)
	}
	n := made(t, xlatest.Go(t), Config{Width: 4}, task)
	if err := n.Observe([]dyngraph.Event{{Source: 3}}); !errors.Is(err, ErrInput) {
		t.Errorf("an event of another node: %v", err)
	}
	if err := n.Forecast(t.Context(), 1, []int32{7}, make([]float64, 2)); !errors.Is(err, ErrInput) {
		t.Errorf("another node: %v", err)
	}
}

// Drawn events are the same for a seed, a question and an epoch, and others for another seed, node, time or epoch. A
// network that is drawn again has the draws of its new seed.
func TestDrawn(t *testing.T) {
	task := affinity.Task{Nodes: 4, Classes: 2, Step: 1}
	n := made(t, xlatest.Go(t), small(CAWN()), task)
	var events []dyngraph.Event
	for k := range 400 {
		for u := range int32(2) { // the two have the same events
			events = append(events, dyngraph.Event{Source: u, Destination: 2, Time: float64(k), Weight: 1})
		}
	}
	if err := n.Observe(events); err != nil {
		t.Fatal(err)
	}
	times := func(u int32, at float64, epoch int) (all []float64) {
		for _, c := range n.drawn(u, at, epoch) {
			all = append(all, c.Time)
		}
		return all
	}
	n.Draw(1)
	first := times(0, 400, 1)
	if again := times(0, 400, 1); !slices.Equal(first, again) {
		t.Errorf("draws %v and %v of one question", first, again)
	}
	for name, other := range map[string][]float64{"node": times(1, 400, 1), "time": times(0, 401, 1),
		"epoch": times(0, 400, 2), "forecast": times(0, 400, 0)} {
		if slices.Equal(first, other) {
			t.Errorf("another %s has the same draws, %v", name, first)
		}
	}
	n.Draw(0)
	for u := range int32(2) { // of another seed, also where seed and node change together
		if other := times(u, 400, 1); slices.Equal(first, other) {
			t.Errorf("node %d with seed 0 has the draws of node 0 with seed 1", u)
		}
	}
}

// Scores of many classes bound the nodes that a program takes at once, as wide layers do.
func TestPartsOfManyClasses(t *testing.T) {
	n := made(t, xlatest.Go(t), small(GraphMixer()), affinity.Task{Nodes: 1 << 16, Classes: 1 << 16, Step: 1})
	if n.core.Most != 1024 {
		t.Errorf("%d nodes at once, want 1024, which have 2^26 scores", n.core.Most)
	}
}
