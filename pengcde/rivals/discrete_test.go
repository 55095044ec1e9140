package rivals

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// publishedWindow is the window of a fixture, with graphs where it has them.
func publishedWindow(file fixture.Node, graphs bool) windows {
	x := file.Get("X").Array()
	s := sequence.Sizes{Inputs: x.Dims[0], Nodes: x.Dims[1], Features: x.Dims[2],
		Outputs: file.Get("output").Array().Size() / x.Dims[1]}
	w := windows{sizes: s, features: x.Data, graphs: make([][][]float64, 1)}
	for t := range s.Inputs {
		a := make([]float64, s.Nodes*s.Nodes)
		if graphs {
			a = file.Get("A").Array().Row(t).Data
		}
		w.graphs[0] = append(w.graphs[0], a)
	}
	return w
}

func TestFixtureDCRNN(t *testing.T) {
	file := fixture.Load(t, "baseline_dcrnn")
	w, published := publishedWindow(file, true), file.Get("params").Arrays()
	m := DCRNN{Hidden: file.Get("hidden").Int(), Layers: file.Get("layers").Int(), Order: file.Get("order").Int(),
		Published: true}
	renamed := strings.NewReplacer("encoder.", ".encoder_cells.", "decoder.", ".decoder_cells.",
		"projection", ".projection")
	for _, product := range []equivariant.Product{equivariant.Dense, equivariant.Sparse} {
		b := w.build(t, xlatest.Backend(t), m, product)
		var params [][]float64
		for _, p := range b.declared {
			array, found := published[indexed(renamed.Replace(p.Name))]
			if !found {
				t.Fatalf("no %q", indexed(renamed.Replace(p.Name)))
			}
			entries := array.Data
			if len(p.Dims) == 2 && !strings.HasPrefix(p.Name, "projection") { // [in, out] there
				entries = transposed(array)
			}
			params = append(params, entries)
		}
		fixture.Close(t, string(product), b.call(params)[0], file.Get("output").Array().Data, 1e-12)
	}
}

func TestFixtureASTGCN(t *testing.T) {
	file := fixture.Load(t, "baseline_astgcn")
	w, published := publishedWindow(file, false), file.Get("params").Arrays()
	filters := published[".submodule.blocks[0].ln.weight"].Size()
	m := ASTGCN{Published: true, Filters: filters, Embedding: published[".node_embeddings"].Dims[1],
		Polynomials: published[".submodule.blocks[0].cheb_conv.Theta"].Dims[0]}
	renamed := strings.NewReplacer("blocks", ".submodule.blocks",
		"temporal.w", "TAt.U_", "temporal.bias", "TAt.b_e", "temporal.v", "TAt.V_e",
		"spatial.w", "SAt.W_", "spatial.bias", "SAt.b_s", "spatial.v", "SAt.V_s",
		"theta", "cheb_conv.Theta", "time", "time_conv", "residual", "residual_conv", "norm", "ln",
		"readout", ".submodule.final_conv", "scale", ".submodule.W", "embeddings", ".node_embeddings")
	b := w.build(t, xlatest.Backend(t), m, equivariant.Dense)
	var params [][]float64
	for _, p := range b.declared {
		array, found := published[indexed(renamed.Replace(p.Name))]
		if !found || array.Size() != p.Size() {
			t.Fatalf("%s %v: %q has %v", p.Name, p.Dims, indexed(renamed.Replace(p.Name)), array.Dims)
		}
		params = append(params, array.Data)
	}
	// The published second block has a temporal attention over one observation, which is 1 whatever its parameters.
	if want := len(published) - 5; len(params) != want {
		t.Errorf("%d parameters, want %d", len(params), want)
	}
	fixture.Close(t, "forecast", b.call(params)[0], file.Get("output").Array().Data, 1e-12)
}

// indexed writes NAME.K.REST as NAME[K].REST.
func indexed(name string) string {
	for _, k := range []string{"0", "1", "2", "3"} {
		name = strings.Replace(name, "."+k+".", "["+k+"].", 1)
	}
	return name
}

// transposed is the transpose of a matrix.
func transposed(a fixture.Array) []float64 {
	out := make([]float64, 0, a.Size())
	for j := range a.Dims[1] {
		for i := range a.Dims[0] {
			out = append(out, a.Data[i*a.Dims[1]+j])
		}
	}
	return out
}

// variants are small networks of all kinds.
func variants() map[string]sequence.Network {
	return map[string]sequence.Network{
		"DCRNN, published":  DCRNN{Hidden: 2, Layers: 2, Order: 3, Published: true},
		"DCRNN":             DCRNN{Hidden: 2, Layers: 1, Order: 2},
		"ASTGCN, published": ASTGCN{Filters: 3, Embedding: 2, Published: true},
		"ASTGCN":            ASTGCN{Filters: 3},
	}
}

var small = sequence.Sizes{Nodes: 5, Features: 2, Outputs: 2, Inputs: 3}

// Gradients agree with difference quotients, and sparse products with dense ones, on graphs that have nodes without
// edges.
func TestNetworkGradients(t *testing.T) {
	for name, m := range variants() {
		for _, perTime := range []bool{false, true} {
			s := small
			s.PerTime = perTime
			w := drawWindows(s, 2)
			dense := w.build(t, xlatest.Go(t), m, equivariant.Dense)
			params := dense.draw(1)
			out := dense.call(params)
			if got, want := len(out[0]), 2*s.Times(s.Inputs)*s.Nodes*s.Outputs; got != want {
				t.Fatalf("%s: %d forecasts, want %d", name, got, want)
			}
			for _, x := range out {
				if slices.ContainsFunc(x, math.IsNaN) {
					t.Fatalf("%s: NaN", name)
				}
			}
			sparse := w.build(t, xlatest.Go(t), m, equivariant.Sparse)
			for i, x := range sparse.call(params) {
				fixture.Close(t, name+": sparse", x, out[i], 1e-12)
			}
			if perTime == strings.HasPrefix(name, "DCRNN") {
				dense.checkGradient(params)
			}
		}
	}
}

// The parameters of each seed act only on that seed's part of the batch.
func TestNetworkSeeds(t *testing.T) {
	for name, m := range variants() {
		w := drawWindows(small, 2)
		w.seeds = 2
		both := w.build(t, xlatest.Go(t), m, equivariant.Sparse)
		stacked, want := make([][]float64, len(both.declared)), []float64(nil)
		size := len(w.features) / 2
		for seed := range 2 {
			alone := windows{sizes: small, graphs: w.graphs[seed : seed+1], features: w.features[seed*size:][:size]}
			b := alone.build(t, xlatest.Go(t), m, equivariant.Dense)
			params := b.draw(uint64(seed))
			want = append(want, b.call(params)[0]...)
			for i, p := range params {
				stacked[i] = append(stacked[i], p...)
			}
		}
		fixture.Close(t, name, both.call(stacked)[0], want, 1e-12)
	}
}

// Options written out by Resolved give the same network.
func TestResolvedNetworks(t *testing.T) {
	for _, m := range []interface {
		sequence.Network
		sequence.Resolver
	}{DCRNN{}, DCRNN{Published: true}, ASTGCN{Filters: 3}, ASTGCN{Published: true}} {
		resolved := m.Resolved(small)
		again := resolved.(sequence.Resolver).Resolved(small)
		if again != resolved || resolved == sequence.Network(m) ||
			nn.Count(resolved.Params(small)) != nn.Count(m.Params(small)) {
			t.Errorf("%+v is written out as %+v, and that as %+v", m, resolved, again)
		}
	}
}

// A forecast depends on an edge weight exactly for the networks that read the graph.
func TestNetworksReadTheGraph(t *testing.T) {
	for name, m := range variants() {
		w := drawWindows(small, 1)
		b := w.build(t, xlatest.Go(t), m, equivariant.Dense)
		params := b.draw(1)
		before := b.call(params)[0]
		w.graphs[0][0][1] += 0.5 // from 0 to 1 at the first observation
		after := w.build(t, xlatest.Go(t), m, equivariant.Dense).call(params)[0]
		if changed, want := !slices.Equal(before, after), name != "ASTGCN, published"; changed != want {
			t.Errorf("%s: an edge changes the forecast: %v, want %v", name, changed, want)
		}
	}
}

// Relabelling the nodes relabels the forecasts of DCRNN; ASTGCN has parameters of each node.
func TestRelabelling(t *testing.T) {
	order := []int{3, 0, 4, 1, 2}
	for name, m := range variants() {
		w := drawWindows(small, 1)
		b := w.build(t, xlatest.Go(t), m, equivariant.Dense)
		params := b.draw(1)
		n, p := small.Nodes, small.Features
		moved := windows{sizes: small, graphs: [][][]float64{nil}, features: slices.Clone(w.features)}
		for k, a := range w.graphs[0] {
			other := make([]float64, n*n)
			for u := range n {
				for v := range n {
					other[order[u]*n+order[v]] = a[u*n+v]
				}
				copy(moved.features[(k*n+order[u])*p:][:p], w.features[(k*n+u)*p:][:p])
			}
			moved.graphs[0] = append(moved.graphs[0], other)
		}
		got, want := moved.build(t, xlatest.Go(t), m, equivariant.Sparse).call(params)[0], b.call(params)[0]
		q, off := small.Outputs, 0.0
		for u := range n {
			for i := range q {
				off = max(off, math.Abs(got[order[u]*q+i]-want[u*q+i]))
			}
		}
		if equivariant := off < 1e-12; equivariant != strings.HasPrefix(name, "DCRNN") {
			t.Errorf("%s: relabelling moves the forecasts by %g", name, off)
		}
	}
}

func TestNetworkSizes(t *testing.T) {
	without := func(change func(*sequence.Sizes)) sequence.Sizes {
		s := small
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		network sequence.Network
		sizes   sequence.Sizes
		want    string
	}{
		"no nodes":       {DCRNN{}, without(func(s *sequence.Sizes) { s.Nodes = 0 }), "0 nodes"},
		"no features":    {DCRNN{}, without(func(s *sequence.Sizes) { s.Features = 0 }), "0 features"},
		"no outputs":     {ASTGCN{}, without(func(s *sequence.Sizes) { s.Outputs = 0 }), "0 outputs"},
		"hidden":         {DCRNN{Hidden: -1}, small, "hidden -1"},
		"layers":         {DCRNN{Layers: 1 << 40}, small, "layers 1099511627776"},
		"order":          {DCRNN{Order: -2}, small, "order -2"},
		"any length":     {ASTGCN{}, without(func(s *sequence.Sizes) { s.Inputs = 0 }), "Config.Inputs"},
		"one polynomial": {ASTGCN{Polynomials: 1}, small, "1 polynomials"},
		"two filters":    {ASTGCN{}, small, "set Filters"},
		"one filter": {ASTGCN{Published: true}, without(func(s *sequence.Sizes) { s.Features = 1 }),
			"1 filters"},
		"unread embedding": {ASTGCN{Embedding: 4}, small, "set Published"},
	} {
		err := panics.Catch(func() { c.network.Params(c.sizes) })
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want ErrInput with %q", name, err, c.want)
		}
	}
}
