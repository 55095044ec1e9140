package baseline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

func TestFixtureSTIDGCN(t *testing.T) {
	file := fixture.Load(t, "baseline_stidgcn")
	x, published := file.Get("X").Array(), file.Get("params").Arrays()
	m := STIDGCN{Channels: published[".start_conv.bias"].Dims[0], Dropout: -1}
	s := sequence.Sizes{Inputs: x.Dims[0], Nodes: x.Dims[1], Features: x.Dims[2], Outputs: file.Get("output").Array().Dims[1]}
	var params []*tensors.Tensor
	for _, p := range m.Params(s) {
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
		params = append(params, host.Tensor(dtypes.Float64, entries, p.Dims...))
	}
	got := forecastOf(t, m, s, params, host.Tensor(dtypes.Float64, x.Data, append([]int{1}, x.Dims...)...))
	fixture.Close(t, "forecast", got, file.Get("output").Array().Data, 1e-12)
}

// publishedSTIDGCN is the published name of a parameter.
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

// forecastOf runs a network on features [B, T, n, p].
func forecastOf(t *testing.T, m sequence.Network, s sequence.Sizes, params []*tensors.Tensor,
	features *tensors.Tensor) []float64 {
	t.Helper()
	inputs := []any{features}
	for _, p := range params {
		inputs = append(inputs, p)
	}
	out, err := CallOnce(xlatest.Backend(t).Compute, func(in []*Node) *Node {
		return m.Forecast(nn.Bind(m.Params(s), in[1:]), s, sequence.Inputs{Features: in[0]})
	}, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	return host.Floats(out)
}
