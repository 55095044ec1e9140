package rivals

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

func TestFixtureSTIDGCN(t *testing.T) {
	file := fixture.Load(t, "baseline_stidgcn")
	x, published := file.Get("X").Array(), file.Get("params").Arrays()
	m := STIDGCN{Channels: published[".start_conv.bias"].Dims[0], Dropout: NoDropout}
	w := windows{features: x.Data, sizes: sequence.Sizes{Inputs: x.Dims[0], Nodes: x.Dims[1], Features: x.Dims[2],
		Outputs: file.Get("output").Array().Dims[1]}}
	b := w.withoutEdges().build(t, xlatest.Backend(t), m, equivariant.Dense)
	var params [][]float64
	for _, p := range b.declared {
		array := published[publishedSTIDGCN(p.Name)]
		entries := array.Data
		if strings.HasSuffix(p.Name, ".scale") { // [c, n, T] there, [T, n, c] here
			entries = nil
			for at := range p.Size() {
				times, nodes, channels := p.Dims[0], p.Dims[1], p.Dims[2]
				entries = append(entries, array.Data[at%channels*nodes*times+at/channels%nodes*times+at/channels/nodes])
			}
		}
		if len(entries) != p.Size() {
			t.Fatalf("%s %v: %d entries of %q", p.Name, p.Dims, len(entries), publishedSTIDGCN(p.Name))
		}
		params = append(params, entries)
	}
	fixture.Close(t, "forecast", b.call(params)[0], file.Get("output").Array().Data, 1e-12)
}

// withoutEdges returns the windows with graphs without edges.
func (w windows) withoutEdges() windows {
	w.graphs = make([][][]float64, len(w.features)/(w.sizes.Inputs*w.sizes.Nodes*w.sizes.Features))
	for i := range w.graphs {
		w.graphs[i] = slices.Repeat([][]float64{make([]float64, w.sizes.Nodes*w.sizes.Nodes)}, w.sizes.Inputs)
	}
	return w
}

// publishedSTIDGCN returns the published name of a parameter.
func publishedSTIDGCN(name string) string {
	pairs := []string{
		"start.", ".start_conv.", "readout.", ".regression_layer.",
		"gate.value.", ".glu.conv1.", "gate.gate.", ".glu.conv2.", "gate.out.", ".glu.conv3.",
		".graph.in.", ".dgcn.conv.", ".graph.out.", ".dgcn.gcn.conv.", ".graph.memory", ".dgcn.generator.memory",
		".graph.mix", ".dgcn.generator.fc.weight", ".graph.scale", ".dgcn.emb",
	}
	for i := range 4 {
		narrow := 4
		if i == 0 {
			narrow = 3 // without the activation before it
		}
		pairs = append(pairs, fmt.Sprintf(".along.%d.wide.", i), fmt.Sprintf(".conv%d.layers[1].", i+1),
			fmt.Sprintf(".along.%d.narrow.", i), fmt.Sprintf(".conv%d.layers[%d].", i+1, narrow))
	}
	for i := range 3 {
		pairs = append(pairs, fmt.Sprintf("blocks.%d", i), fmt.Sprintf(".tree.IDGCN%d", i+1))
	}
	return strings.NewReplacer(pairs...).Replace(name)
}

// smallSTIDGCN returns small sizes with a number of observations that is not a multiple of four.
func smallSTIDGCN(perTime bool) sequence.Sizes {
	return sequence.Sizes{Nodes: 5, Features: 2, Outputs: 2, Inputs: 5, PerTime: perTime}
}

func TestSTIDGCNGradients(t *testing.T) {
	for _, perTime := range []bool{false, true} {
		s := smallSTIDGCN(perTime)
		b := drawWindows(s, 2).build(t, xlatest.Go(t), STIDGCN{Channels: 2, Dropout: NoDropout}, equivariant.Dense)
		params := b.draw(1)
		if got, want := len(b.call(params)[0]), 2*s.Times(s.Inputs)*s.Nodes*s.Outputs; got != want {
			t.Errorf("per time %v: %d forecasts, want %d", perTime, got, want)
		}
		if perTime {
			b.checkGradient(params)
		}
	}
}

// Forecasts do not depend on the graph, whose nodes may all be isolated. They follow a relabelling of the nodes if the
// parameters of each node are relabelled too.
func TestSTIDGCNReadsNoGraph(t *testing.T) {
	s, order := smallSTIDGCN(false), []int{3, 0, 4, 1, 2}
	w := drawWindows(s, 1)
	m := STIDGCN{Channels: 2, Dropout: NoDropout}
	b := w.build(t, xlatest.Go(t), m, equivariant.Dense)
	params := b.draw(1)
	want := b.call(params)[0]
	if got := w.withoutEdges().build(t, xlatest.Go(t), m, equivariant.Sparse).call(params)[0]; !slices.Equal(got, want) {
		t.Errorf("without edges %v, with them %v", got, want)
	}

	// relabelled moves blocks of the given size, n to each of what lies before them.
	relabelled := func(x []float64, size int) []float64 {
		moved := make([]float64, len(x))
		for from := 0; from < len(x); from += size {
			before, node := from/size/s.Nodes, from/size%s.Nodes
			copy(moved[(before*s.Nodes+order[node])*size:], x[from:from+size])
		}
		return moved
	}
	w.features = relabelled(w.features, s.Features)
	unmoved := w.build(t, xlatest.Go(t), m, equivariant.Dense).call(params)[0]
	for i, p := range b.declared {
		switch {
		case strings.HasSuffix(p.Name, ".memory"):
			params[i] = relabelled(params[i], 1)
		case strings.HasSuffix(p.Name, ".scale"):
			params[i] = relabelled(params[i], p.Dims[2])
		}
	}
	want = relabelled(want, s.Outputs)
	fixture.Close(t, "relabelled", w.build(t, xlatest.Go(t), m, equivariant.Dense).call(params)[0], want, 1e-12)
	if floats.Distance(unmoved, want, math.Inf(1)) < 1e-3 {
		t.Error("the vectors of the nodes have no influence")
	}
}

// Dropout has the configured rate, or is frozen: its mask then depends only on the shape.
func TestSTIDGCNDropout(t *testing.T) {
	s := smallSTIDGCN(false)
	drawn := nn.Draw(STIDGCN{}.Params(s), dtypes.Float64, 1)
	run := func(m STIDGCN, batch int, drop func(*Node, float64) *Node) []float64 {
		t.Helper()
		features := nn.Param{Name: "x", Dims: []int{1, s.Inputs, s.Nodes, s.Features}, Init: nn.Normal(1)}
		x := nn.Draw([]nn.Param{features}, dtypes.Float64, 2)[0]
		inputs := []any{x}
		for _, p := range drawn {
			inputs = append(inputs, p)
		}
		out, err := CallOnce(xlatest.Go(t).Compute, func(in []*Node) *Node {
			x := BroadcastToDims(in[0], batch, s.Inputs, s.Nodes, s.Features)
			return m.Forecast(nn.Bind(m.Params(s), in[1:]), s, sequence.Inputs{Features: x, Dropout: drop})
		}, inputs...)
		if err != nil {
			t.Fatal(err)
		}
		return host.Floats(out)
	}
	var rates []float64
	count := func(x *Node, rate float64) *Node {
		rates = append(rates, rate)
		return x
	}
	plain := run(STIDGCN{Dropout: NoDropout}, 1, nil)
	if fresh := run(STIDGCN{}, 1, count); !slices.Equal(fresh, plain) || len(rates) == 0 || slices.Min(rates) != 0.1 ||
		slices.Max(rates) != 0.1 {
		t.Errorf("dropout of rates %v that keeps all makes %v of %v", rates, fresh, plain)
	}
	frozen := run(STIDGCN{Published: true}, 1, nil)
	if slices.Equal(frozen, plain) || !slices.Equal(frozen, run(STIDGCN{Published: true}, 1, nil)) {
		t.Errorf("frozen dropout makes %v of %v", frozen, plain)
	}
	fixture.Close(t, "a batch", run(STIDGCN{Published: true}, 3, nil), slices.Repeat(frozen, 3), 1e-13)

	const rate = 0.3
	out, err := CallOnce(xlatest.Go(t).Compute, func(x *Node) *Node { return frozenDropout(x, rate) },
		host.Tensor(dtypes.Float64, slices.Repeat([]float64{1}, 2*3000), 2, 3, 100, 10))
	if err != nil {
		t.Fatal(err)
	}
	y, kept := host.Floats(out), 0
	for _, v := range y[:3000] {
		if v != 0 {
			kept++
		}
	}
	// Four standard errors, 4 sqrt(0.3 0.7 3000).
	if !(math.Abs(float64(kept)-2100) <= 100) || !(math.Abs(slices.Max(y)-1/0.7) <= 1e-15) ||
		!slices.Equal(y[:3000], y[3000:]) {
		t.Errorf("%d of 3000 kept, scaled to %g", kept, slices.Max(y))
	}
}

// The parameters of each seed act only on that seed's part of the batch.
func TestSTIDGCNSeeds(t *testing.T) {
	const seeds = 2
	s, m := smallSTIDGCN(true), STIDGCN{Channels: 2, Dropout: NoDropout}
	declared := m.Params(s)
	run := func(count nn.Seeds, x *tensors.Tensor, params []*tensors.Tensor) []float64 {
		t.Helper()
		inputs := []any{x}
		for _, p := range params {
			inputs = append(inputs, p)
		}
		out, err := CallOnce(xlatest.Go(t).Compute, func(in []*Node) *Node {
			return m.Forecast(count.Bind(declared, in[1:]), s, sequence.Inputs{Features: in[0]})
		}, inputs...)
		if err != nil {
			t.Fatal(err)
		}
		return host.Floats(out)
	}
	one := nn.Param{Name: "x", Dims: []int{2, s.Inputs, s.Nodes, s.Features}, Init: nn.Normal(1)}
	x := host.Floats(nn.Draw([]nn.Param{one}, dtypes.Float64, 2)[0])
	var want []float64
	stacked := make([][]float64, len(declared))
	for seed := range seeds {
		params := nn.Draw(declared, dtypes.Float64, uint64(seed))
		want = append(want, run(0, host.Tensor(dtypes.Float64, x, one.Dims...), params)...)
		for i, p := range params {
			stacked[i] = append(stacked[i], host.Floats(p)...)
		}
	}
	var together []*tensors.Tensor
	for i, p := range declared {
		together = append(together, host.Tensor(dtypes.Float64, stacked[i], append([]int{seeds}, p.Dims...)...))
	}
	both := host.Tensor(dtypes.Float64, slices.Repeat(x, seeds), append([]int{2 * seeds}, one.Dims[1:]...)...)
	fixture.Close(t, "seeds", run(seeds, both, together), want, 1e-12)
}

func TestSTIDGCNErrors(t *testing.T) {
	good := smallSTIDGCN(false)
	anyLength, noNodes := good, good
	anyLength.Inputs, noNodes.Nodes = 0, 0
	for name, c := range map[string]struct {
		network STIDGCN
		sizes   sequence.Sizes
		want    string
	}{
		"any length":      {STIDGCN{}, anyLength, "Config.Inputs"},
		"no nodes":        {STIDGCN{}, noNodes, "0 nodes"},
		"channels":        {STIDGCN{Channels: -3}, good, "-3 channels"},
		"dropout":         {STIDGCN{Dropout: 1}, good, "dropout 1"},
		"undefined":       {STIDGCN{Dropout: math.NaN()}, good, "dropout NaN"},
		"channels, large": {STIDGCN{Channels: 1 << 40}, good, "1099511627776 channels"},
	} {
		err := panics.Catch(func() { c.network.Params(c.sizes) })
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want ErrInput with %q", name, err, c.want)
		}
	}
	longer := good
	longer.Inputs++
	w := drawWindows(longer, 1)
	var caught error
	_, err := CallOnce(xlatest.Go(t).Compute, func(x *Node) *Node {
		caught = panics.Catch(func() { STIDGCN{}.Forecast(nn.Values{}, good, sequence.Inputs{Features: x}) })
		return x
	}, host.Tensor(dtypes.Float64, w.features, 1, longer.Inputs, longer.Nodes, longer.Features))
	if err != nil || !errors.Is(caught, ErrInput) {
		t.Errorf("another number of observations: %v, %v, want ErrInput", err, caught)
	}
}

// Options stay the same when they are written out again: no dropout stays none.
func TestSTIDGCNResolved(t *testing.T) {
	for network, want := range map[STIDGCN]STIDGCN{
		{}:                             {Channels: 8, Dropout: 0.1},
		{Dropout: -0.5}:                {Channels: 8, Dropout: NoDropout},
		{Channels: 2, Published: true}: {Channels: 2, Dropout: 0.1, Published: true},
	} {
		if got := network.Resolved(small); got != want || want.Resolved(small) != want {
			t.Errorf("%+v stands for %+v, want %+v", network, got, want)
		}
	}
}
