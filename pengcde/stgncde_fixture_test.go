package pengcde

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
)

// stgncdeNames replaces the parameter names of the published STG-NCDE, with the given number of layers of f, by the
// names of this module.
func stgncdeNames(layers int) *strings.Replacer {
	pairs := []string{
		".encoder_h.layers[", "encoder.0.layers.", ".encoder_z.layers[", "encoder.1.layers.", ".decoder.layers[",
		"readout.layers.", ".f_func.linear_in", "field.f.layers.0", ".f_func.linear_out",
		fmt.Sprintf("field.f.layers.%d", layers),
		".g_func.linear_in", "field.g.in", ".g_func.linear_out", "field.g.out",
		".g_func.node_embeddings", "field.g.convolution.embeddings",
		".g_func.weights_pool", "field.g.convolution.weights", ".g_func.bias_pool", "field.g.convolution.biases",
	}
	for k := range layers - 1 {
		pairs = append(pairs, fmt.Sprintf(".f_func.linears[%d]", k), fmt.Sprintf("field.f.layers.%d", k+1))
	}
	return strings.NewReplacer(append(pairs, "]", "")...)
}

func TestFixtureSTGNCDE(t *testing.T) {
	file := fixture.Load(t, "baseline_stgncde")
	params := file.Get("params").Arrays()
	layers := 1
	for name := range params {
		if strings.HasPrefix(name, ".f_func.linears[") && strings.HasSuffix(name, ".weight") {
			layers++
		}
	}
	names, values := stgncdeNames(layers), make(map[string]fixture.Array)
	for name, array := range params {
		values[names.Replace(name)] = array
	}
	pool := values["field.g.convolution.weights"]
	features, knots := file.Get("X").Array(), file.Get("ts").Array().Data
	n, hidden := file.Get("n").Int(), file.Get("hidden").Int()
	config, err := Config{Nodes: n, Features: file.Get("p").Int(), Hidden: hidden,
		Execution: Execution{Float64: true},
		Equation:  Equation{Adaptive: &ode.PID{}, Parity: true},
		Field:     rivals.STGNCDE{Layers: layers, Order: pool.Dims[1], Embedding: pool.Dims[0]}}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	// The model reads no graph; a control has one.
	pattern, _, err := dyngraph.NewPattern(n, []int{0}, []int{n - 1})
	if err != nil {
		t.Fatal(err)
	}
	one := field.Sample{Knots: knots, Pattern: pattern, Snapshots: [][]float64{{1}}, Index: make([]int, len(knots))}
	for k := range knots {
		one.Features = append(one.Features, features.Row(k).Data)
	}
	network, err := newEquation(xlatest.Backend(t), config.wiring())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(network.close)
	b, err := newBatch(xlatest.Backend(t), config, []sample{{paths: one, x0: one.Features[0], times: knots}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.free)
	var drawn []*tensors.Tensor
	for _, p := range network.params {
		array, ok := values[p.Name]
		if !ok || !slices.Equal(array.Dims, p.Dims) {
			t.Fatalf("parameter %q is %v, the file has %v", p.Name, p.Dims, array.Dims)
		}
		drawn = append(drawn, host.Tensor(config.dtype(), array.Data, p.Dims...))
	}
	if len(values) != len(drawn) {
		t.Errorf("%d parameters, the file has %d", len(drawn), len(values))
	}

	// States [2, n, hidden] of the file are h, then z; here they are concatenated.
	beside := func(states []float64) (z []float64) {
		for u := range n {
			z = append(append(z, states[u*hidden:(u+1)*hidden]...), states[(n+u)*hidden:(n+u+1)*hidden]...)
		}
		return z
	}
	equation, _ := field.Equation(network.field, b.form)
	inputs := []any{tensors.FromValue([]float64{file.Get("field_t").Float()}),
		host.Tensor(config.dtype(), beside(file.Get("field_hz").Array().Data), 1, n, 2*hidden)}
	for _, arg := range slices.Concat(network.sections(drawn).field, b.control) {
		inputs = append(inputs, arg)
	}
	out, err := CallOnceN(xlatest.Backend(t).Compute, func(in []*Node) []*Node {
		return []*Node{equation(in[0], in[1], in[2:])}
	}, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Close(t, "field", host.Floats(out[0]), beside(file.Get("field_dhz").Array().Data), 1e-12)

	y, _, err := network.forecast(context.Background(), drawn, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The published solve chooses its steps by error estimates that depend on rounding: parameters changed by one part
	// in 1e16 change only the sizes of the steps, and so the forecast by 3e-11.
	fixture.Close(t, "forecast", y[len(y)-n:], file.Get("node_output").Array().Data, 1e-9)
}
