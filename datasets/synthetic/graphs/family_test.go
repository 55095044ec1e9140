package graphs_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func draw(t testing.TB, f graphs.Family, n int, seed uint64) *dyngraph.Pattern {
	t.Helper()
	p, err := f.Draw(n, source(seed))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// moments are the mean and the sample deviation of draws.
func moments(values []float64) (mean, std float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		std += (v - mean) * (v - mean) / float64(len(values)-1)
	}
	return mean, math.Sqrt(std)
}

func checksum(patterns ...*dyngraph.Pattern) string {
	h := fnv.New64a()
	for _, p := range patterns {
		for e := range p.From {
			h.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(p.From[e])),
				uint32(p.To[e])))
		}
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// Every family draws symmetric graphs without self-loops, in order, of the size asked for.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		probability := rapid.Float64Range(0, 1)
		n := rapid.IntRange(10, 60).Draw(t, "nodes")
		family := rapid.SampledFrom([]graphs.Family{
			graphs.Grid{},
			graphs.PowerLaw{Edges: rapid.IntRange(0, n-1).Draw(t, "edges")},
			graphs.SmallWorld{Neighbours: rapid.IntRange(2, n).Draw(t, "neighbours"),
				Shortcut: probability.Draw(t, "shortcut")},
			graphs.Community{Inside: probability.Draw(t, "inside"), Between: probability.Draw(t, "between")},
			graphs.Random{Probability: probability.Draw(t, "probability")},
		}).Draw(t, "family")
		seed := rapid.Uint64().Draw(t, "seed")
		p, err := graphs.Draw(family, n, source(seed))
		if err != nil {
			t.Fatal(err)
		}
		want := n
		if family.Name() == "grid" {
			want = graphs.Side(n) * graphs.Side(n)
		}
		if p.Nodes != want {
			t.Fatalf("%+v: %d nodes, want %d", family, p.Nodes, want)
		}
		if _, err := graphs.Measure(p); err != nil { // refuses graphs not symmetric, in order and without self-loops
			t.Fatalf("%+v: %v", family, err)
		}
		again, err := graphs.Draw(family, n, source(seed))
		if err != nil || checksum(again) != checksum(p) {
			t.Fatalf("%+v: a second draw from the same seed differs (%v)", family, err)
		}
	})
}

// Numbers of edges that the definitions fix.
func TestEdges(t *testing.T) {
	for _, c := range []struct {
		name   string
		family graphs.Family
		n      int
		edges  int
	}{
		{"grid 20 x 20", graphs.Grid{}, 400, 4*20*20 - 6*20 + 2},
		{"grid rounds up", graphs.Grid{}, 361 + 1, 4*20*20 - 6*20 + 2},
		{"grid 2 x 2", graphs.Grid{}, 2, 6},
		{"power law", graphs.PowerLaw{}, 400, 5 * 395},
		{"tree", graphs.PowerLaw{Edges: 1}, 100, 99},
		{"star", graphs.PowerLaw{Edges: 7}, 8, 7},
		{"ring", graphs.SmallWorld{Neighbours: 3}, 50, 50},
		{"two on each side", graphs.SmallWorld{Neighbours: 5}, 50, 100},
		{"every edge a shortcut", graphs.SmallWorld{Neighbours: 4, Shortcut: 1}, 50, 200},
		{"complete", graphs.SmallWorld{Neighbours: 9, Shortcut: 0.5}, 9, 36},
		{"four cliques", graphs.Community{Inside: 1}, 24, 28 + 28 + 15 + 1},
		{"four parts", graphs.Community{Between: 1}, 24, 24*23/2 - (28 + 28 + 15 + 1)},
		{"everything", graphs.Random{Probability: 1}, 30, 30 * 29 / 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := draw(t, c.family, c.n, 1)
			if got := p.Edges() / 2; got != c.edges {
				t.Errorf("%d edges, want %d", got, c.edges)
			}
		})
	}
}

// Means over draws against the definitions, inside four standard errors.
func TestAgainstTheory(t *testing.T) {
	const n, draws = 120, 400
	degree := func(node int) func(*dyngraph.Pattern) float64 {
		return func(p *dyngraph.Pattern) (degree float64) {
			for _, from := range p.From {
				if int(from) == node {
					degree++
				}
			}
			return degree
		}
	}
	// edgesIn counts the edges from one range of nodes to another.
	edgesIn := func(lo, hi, otherLo, otherHi int) func(*dyngraph.Pattern) float64 {
		return func(p *dyngraph.Pattern) (edges float64) {
			for e, from := range p.From {
				if u, v := int(from), int(p.To[e]); u >= lo && u < hi && v >= otherLo && v < otherHi {
					edges++
				}
			}
			return edges
		}
	}
	for _, c := range []struct {
		name   string
		family graphs.Family
		of     func(*dyngraph.Pattern) float64
		want   float64
	}{
		{"random: degree of the first", graphs.Random{}, degree(0), 0.1 * (n - 1)},
		{"random: degree of the last", graphs.Random{}, degree(n - 1), 0.1 * (n - 1)},
		{"community: degree in the first block", graphs.Community{}, degree(0), 0.25*39 + 0.01*80},
		{"community: degree in the last block", graphs.Community{}, degree(n - 1), 0.25*9 + 0.01*110},
		{"community: inside the third block", graphs.Community{}, edgesIn(80, 110, 80, 110), 0.25 * 30 * 29},
		{"community: between second and last", graphs.Community{Inside: 0.1, Between: 0.3}, edgesIn(40, 80, 110, 120),
			0.3 * 400},
		{"small world: edges", graphs.SmallWorld{}, edgesIn(0, n, 0, n), 4*n + n*2*0.5*2},
		// Two tries of half a shortcut as the lower end, or 1 of node n-2; others choose it with probability near
		// 1/(n-5.5).
		{"small world: node 50", graphs.SmallWorld{}, degree(50), 4 + 1 + (n-5)*1/(n-5.5)},
		{"small world: node 0 tries four times", graphs.SmallWorld{}, degree(0), 4 + 2 + (n-6)*1/(n-5.5)},
		{"small world: the last tries nothing", graphs.SmallWorld{}, degree(n - 1), 4 + (n-4)*1/(n-5.5)},
		// Attachment without replacement, one edge: E k_0(n) = k_0(2) prod_{i=2}^{n-1} (1 + 1/(2(i-1))).
		{"power law: centre of the tree", graphs.PowerLaw{Edges: 1}, degree(0), growth(n)},
	} {
		t.Run(c.name, func(t *testing.T) {
			values := make([]float64, draws)
			for seed := range values {
				values[seed] = c.of(draw(t, c.family, n, uint64(seed)))
			}
			mean, std := moments(values)
			if off := mean - c.want; !(math.Abs(off) <= 4*std/math.Sqrt(draws)) {
				t.Errorf("mean %.4g, want %.4g: off by %.2g standard errors", mean, c.want, off/(std/math.Sqrt(draws)))
			}
		})
	}
}

// growth is the mean degree of one of the first two nodes of a tree: node i arrives when there are i-1 edges and
// chooses it with probability k/(2(i-1)).
func growth(n int) float64 {
	k := 1.0
	for i := 2; i < n; i++ {
		k *= 1 + 1/(2*float64(i-1))
	}
	return k
}

// One graph of each family, so that a machine, compiler or change that draws others is noticed.
func TestSameOnEveryMachine(t *testing.T) {
	for _, c := range []struct {
		family graphs.Family
		want   string
	}{
		{graphs.Community{}, "e97264c3a7655039"},
		{graphs.Grid{}, "4ce8e2f9b55795cd"},
		{graphs.PowerLaw{}, "b94b0f5406b81add"},
		{graphs.SmallWorld{}, "4edfd1d010ca7f01"},
		{graphs.Random{}, "6e7daa12a0d2bd1d"},
	} {
		p, err := graphs.Draw(c.family, 400, source(1234))
		if err != nil {
			t.Fatal(err)
		}
		if got := checksum(p); got != c.want {
			t.Errorf("%s: checksum %s, want %s", c.family.Name(), got, c.want)
		}
	}
}

func TestFamilyErrors(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		family graphs.Family
		n      int
	}{
		{graphs.Grid{}, 1}, {graphs.Grid{}, -4}, {graphs.Grid{}, math.MaxInt},
		{graphs.PowerLaw{}, 5}, {graphs.PowerLaw{Edges: -1}, 9}, {graphs.PowerLaw{Edges: math.MaxInt32}, math.MaxInt32},
		{graphs.SmallWorld{}, 4}, {graphs.SmallWorld{Neighbours: 1}, 9}, {graphs.SmallWorld{Shortcut: 0.5}, 9},
		{graphs.SmallWorld{Neighbours: 4, Shortcut: -0.1}, 9}, {graphs.SmallWorld{Neighbours: 4, Shortcut: nan}, 9},
		{graphs.Community{}, 3}, {graphs.Community{}, 1 << 20}, {graphs.Community{Inside: 1.1},
			9}, {graphs.Community{Inside: 0.1, Between: nan}, 9},
		{graphs.Random{}, 0}, {graphs.Random{}, 1 << 20}, {graphs.Random{Probability: nan},
			9}, {graphs.Random{Probability: -1}, 9},
	} {
		if p, err := graphs.Draw(c.family, c.n, source(1)); !errors.Is(err, graphs.ErrInvalid) {
			t.Errorf("%#v of %d nodes: got %v, %v", c.family, c.n, p, err)
		}
	}
}

// BenchmarkDraw is time and memory against the number of nodes, probabilities falling so that the mean degree stays the
// same as with 400 nodes.
func BenchmarkDraw(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		scale := min(1, 400/float64(n))
		for _, family := range []graphs.Family{
			graphs.Community{Inside: 0.25 * scale, Between: 0.01 * scale},
			graphs.Grid{}, graphs.PowerLaw{}, graphs.SmallWorld{},
			graphs.Random{Probability: 0.1 * scale},
		} {
			b.Run(fmt.Sprintf("%s/%d", family.Name(), n), func(b *testing.B) {
				b.ReportAllocs()
				edges := 0
				for seed := 0; b.Loop(); seed++ {
					edges = draw(b, family, n, uint64(seed)).Edges()
				}
				b.ReportMetric(float64(edges), "edges")
			})
			if family.Name() == "grid" {
				continue
			}
			b.Run(fmt.Sprintf("%s ordered/%d", family.Name(), n), func(b *testing.B) {
				b.ReportAllocs()
				p := draw(b, family, n, 1)
				for b.Loop() {
					if _, err := graphs.ByCommunity(p); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// A family with its defaults written out is the same, and says them.
func TestResolve(t *testing.T) {
	for _, family := range graphs.All() {
		full := graphs.Resolve(family)
		if _, plain := family.(graphs.Grid); !plain && full == family {
			t.Errorf("%s: %+v has no defaults written out", family.Name(), full)
		}
		if again := graphs.Resolve(full); again != full {
			t.Errorf("%s: %+v resolves to %+v", family.Name(), full, again)
		}
	}
	if own := (graphs.PowerLaw{Edges: 3}); graphs.Resolve(own) != graphs.Family(own) {
		t.Errorf("%+v resolves to %+v", own, graphs.Resolve(own))
	}
}
