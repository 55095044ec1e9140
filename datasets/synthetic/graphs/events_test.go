package graphs_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Two events on a small graph, often: each ordered pair is an edge with the probability of the definition.
func TestEventsDistribution(t *testing.T) {
	const draws, drop, add = 20_000, 0.3, 0.1
	p := &dyngraph.Pattern{Nodes: 3, From: []int32{0, 0, 1, 2}, To: []int32{0, 1, 2, 0}}
	counts := make([][9]float64, 3)
	rng := source(3)
	for range draws {
		union, snapshots, err := graphs.Events{Drop: drop, Add: add}.Apply(p, 2, rng)
		if err != nil {
			t.Fatal(err)
		}
		for k, weights := range snapshots {
			for e, w := range weights {
				counts[k][3*union.From[e]+union.To[e]] += w
			}
		}
	}
	for pair := range 9 {
		probability := 0.0
		if slices.Contains([]int{0, 1, 5, 6}, pair) {
			probability = 1
		}
		for k := range 3 {
			if k > 0 {
				probability = probability*(1-drop)*(1-add) + add
			}
			got, tolerance := counts[k][pair]/draws, 4*math.Sqrt(probability*(1-probability)/draws)
			if !(math.Abs(got-probability) <= tolerance) {
				t.Errorf("pair %d after %d events: %.4f, want %.4f +- %.4f", pair, k, got, probability, tolerance)
			}
		}
	}
}

// Entries change independently of each other: the variance of how many change is the binomial one.
func TestEventsIndependence(t *testing.T) {
	const draws, n = 4000, 20
	p := draw(t, graphs.Random{Probability: 0.3}, n, 1)
	kept, added := make([]float64, draws), make([]float64, draws)
	rng := source(4)
	for k := range draws {
		_, snapshots, err := graphs.Events{Drop: 0.2, Add: 0.05}.Apply(p, 1, rng)
		if err != nil {
			t.Fatal(err)
		}
		for e, before := range snapshots[0] {
			if before == 1 {
				kept[k] += snapshots[1][e]
			} else {
				added[k] += snapshots[1][e]
			}
		}
	}
	for _, c := range []struct {
		name   string
		counts []float64
		trials float64
		p      float64
	}{
		{"kept", kept, float64(p.Edges()), 0.8 + 0.2*0.05},
		{"added", added, float64(n*n - p.Edges()), 0.05},
	} {
		mean, std := moments(c.counts)
		want := math.Sqrt(c.trials * c.p * (1 - c.p))
		if !(math.Abs(mean-c.trials*c.p) <= 4*want/math.Sqrt(draws)) ||
			!(math.Abs(std/want-1) <= 4/math.Sqrt(2*draws)) {
			t.Errorf("%s: %.4g +- %.4g, want %.4g +- %.4g", c.name, mean, std, c.trials*c.p, want)
		}
	}
}

func TestEventsProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		probability := rapid.Float64Range(0, 1)
		events := graphs.Events{Drop: probability.Draw(rt, "drop"), Add: probability.Draw(rt, "add")}
		count, seed := rapid.IntRange(0, 6).Draw(rt, "count"), rapid.Uint64().Draw(rt, "seed")
		p := draw(t, graphs.Random{}, rapid.IntRange(2, 20).Draw(rt, "nodes"), seed)
		union, snapshots, err := events.Apply(p, count, source(seed))
		if err != nil {
			rt.Fatal(err)
		}
		if len(snapshots) != count+1 {
			rt.Fatalf("%d snapshots of %d events", len(snapshots), count)
		}
		features := slices.Repeat([][]float64{make([]float64, p.Nodes)}, len(snapshots))
		times := make([]float64, len(snapshots))
		for k := range times {
			times[k] = float64(k)
		}
		series := dyngraph.Series{Pattern: union, Weights: snapshots, Times: times, Features: features, FeatureSize: 1}
		if err := series.Validate(); err != nil && union.Edges() > 0 {
			rt.Fatal(err)
		}
		first, ever := &dyngraph.Pattern{Nodes: p.Nodes}, make([]float64, union.Edges())
		for k, weights := range snapshots {
			for e, w := range weights {
				if w != 0 && w != 1 {
					rt.Fatalf("weight %g", w)
				}
				if ever[e] += w; w == 1 && k == 0 {
					first.From, first.To = append(first.From, union.From[e]), append(first.To, union.To[e])
				}
			}
		}
		if checksum(first) != checksum(p) {
			rt.Fatal("the first snapshot is not the graph")
		}
		if slices.Contains(ever, 0) {
			rt.Fatal("an edge of the union is in no snapshot")
		}
	})
}

func TestEventsSameOnEveryMachine(t *testing.T) {
	p := draw(t, graphs.PowerLaw{}, 400, 1234)
	union, snapshots, err := graphs.Events{}.Apply(p, 12, source(1234))
	if err != nil {
		t.Fatal(err)
	}
	history := []*dyngraph.Pattern{union}
	for _, weights := range snapshots {
		snapshot := &dyngraph.Pattern{}
		for e, w := range weights {
			if w == 1 {
				snapshot.From, snapshot.To = append(snapshot.From, union.From[e]), append(snapshot.To, union.To[e])
			}
		}
		history = append(history, snapshot)
	}
	if got, want := checksum(history...), "aac3a9acde52799f"; got != want {
		t.Errorf("checksum %s, want %s", got, want)
	}
}

func TestEventsErrors(t *testing.T) {
	p := draw(t, graphs.Grid{}, 9, 1)
	large := &dyngraph.Pattern{Nodes: 1 << 20}
	for _, c := range []struct {
		events graphs.Events
		graph  *dyngraph.Pattern
		count  int
	}{
		{graphs.Events{}, nil, 1}, {graphs.Events{}, p, -1}, {graphs.Events{}, large, 12},
		{graphs.Events{Drop: math.NaN()}, p, 1}, {graphs.Events{Add: math.NaN()}, p, 1}, {graphs.Events{Drop: -1}, p,
			1}, {graphs.Events{Add: 1.5}, p, 1},
	} {
		if _, _, err := c.events.Apply(c.graph, c.count, source(1)); !errors.Is(err, graphs.ErrInvalid) {
			t.Errorf("%+v, %d events: %v", c.events, c.count, err)
		}
	}
}

func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		schedule    graphs.Schedule
		times       int
		early, late int // how many, and so where: 2..floor(0.8 times)-1 and from there
		fails       bool
	}{
		{times: 120, early: 10, late: 2},
		{times: 15, early: 10, late: 2},
		{times: 14, fails: true}, // 9 early indices
		{schedule: graphs.Schedule{Early: 2}, times: 6, early: 2},
		{schedule: graphs.Schedule{Late: 2}, times: 6, late: 2},
		{schedule: graphs.Schedule{Late: 3}, times: 6, fails: true},
		{schedule: graphs.Schedule{Early: -1}, times: 120, fails: true},
		{schedule: graphs.Schedule{Late: 1}, times: -1, fails: true},
		{times: 0, fails: true},
	} {
		n := 4 * c.times / 5
		seen := map[int]bool{}
		for seed := range uint64(200) {
			at, err := c.schedule.Draw(c.times, source(seed))
			if c.fails {
				if !errors.Is(err, graphs.ErrInvalid) {
					t.Errorf("%+v: got %v, %v", c, at, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			late := 0
			for i, index := range at {
				if index < 2 || index >= c.times || i > 0 && index <= at[i-1] {
					t.Fatalf("%+v: %v", c, at)
				}
				if index >= n {
					late++
				}
				seen[index] = true
			}
			if late != c.late || len(at) != c.early+c.late {
				t.Fatalf("%+v: %v", c, at)
			}
		}
		if c.early > 0 && c.late > 0 && len(seen) != c.times-2 {
			t.Errorf("%+v: %d of %d indices in 200 draws", c, len(seen), c.times-2)
		}
	}
}

func TestInForce(t *testing.T) {
	if got, want := graphs.InForce([]int{2, 3, 5}, 7), []int{0, 0, 1, 2, 2, 3, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := graphs.InForce(nil, 2), []int{0, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func BenchmarkEvents(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			p := draw(b, graphs.PowerLaw{}, n, 1)
			edges := 0
			for rng := source(1); b.Loop(); {
				union, _, err := graphs.Events{Drop: 0.02, Add: 0.001 * min(1, 400/float64(n))}.Apply(p, 12, rng)
				if err != nil {
					b.Fatal(err)
				}
				edges = union.Edges()
			}
			b.ReportMetric(float64(edges), "edges")
		})
	}
}
