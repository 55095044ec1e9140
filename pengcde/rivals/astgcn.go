package rivals

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// ASTGCN is the attention based spatial-temporal graph convolutional network. It has two blocks. In each block the
// observations, and then the nodes, attend to each other. The block then convolves on the graph with Chebyshev
// polynomials whose entries are multiplied by the nodes' attention, convolves along time over three observations, and
// normalises. A last convolution over all observations and filters computes the forecast, which is scaled by a weight
// for each node. So the parameters depend on the numbers of nodes and of observations, and n² of them belong to the
// attention. For a forecast at each observation the last convolution covers only the filters of that observation. All
// times share its parameters, so targets at some times train it for the others. Such forecasts use later observations
// and graphs too.
//
// The polynomials are computed from the scaled Laplacian of each observation's graph, T_k = 2 L T_{k-1} - T_{k-2}, with
// L = 2 (I - D^-1/2 W D^-1/2)/λ - I for λ = 2, its largest possible eigenvalue, and W = (A + A^T)/2. The network
// normalises the weights itself: leave Config.Normalise empty, which means [dyngraph.Raw] here, or use [dyngraph.Log].
// The weights must be 0 or more.
//
// S. Guo, Y. Lin, N. Feng, C. Song, H. Wan, Attention Based Spatial-Temporal Graph Convolutional Networks for Traffic
// Flow Forecasting, AAAI 2019: its recent component. As in the authors' code the input of the graph convolution is the
// input of the block, not the output of the temporal attention, and the spatial attention is transposed. The weights
// that an item gives to the others sum to 1, as in the paper and in the code of the PENG-CDE paper; in the authors'
// code the weights that an item receives sum to 1.
type ASTGCN struct {
	// Polynomials is K; 0 means 3. Filters is the width of a block; 0 means the number of features. Filters must be 3
	// or more, or 2 with Published: the normalisation leaves nothing of one filter, and only a sign of two.
	Polynomials int `json:"Polynomials,omitempty"`
	Filters     int `json:"Filters,omitempty"`
	// Embedding is the width of the nodes' embeddings; 0 means 8. It applies only with Published.
	Embedding int `json:"Embedding,omitempty"`
	// Published follows the code of the PENG-CDE paper where it differs. No graph is read: the polynomials are of a
	// matrix S = softmax(relu(E E^T)) of learned embeddings E, and their recursion multiplies entry by entry. The
	// convolution along time of the first block has stride T, so only the first two observations of the graph
	// convolution's output are read. The last convolution reads one filter. Attention, embeddings and filters start
	// with standard normal numbers, not scaled by their fan-in, and the nodes' weights too, instead of 1. Because one
	// observation is left after the first block, forecasts at each observation have their own weights and parameters.
	Published bool `json:"Published,omitempty"`
}

// timeKernel is the number of observations that a convolution along time covers.
const timeKernel = 3

func (a ASTGCN) withDefaults(s sequence.Sizes) ASTGCN {
	checkSizes("ASTGCN", s)
	checkInputs("ASTGCN", s, s.Inputs)
	if a.Embedding != 0 && !a.Published {
		panic(invalid("ASTGCN with embeddings of width %d, which it has as published only: leave Embedding at 0, or set "+
			"Published", a.Embedding))
	}
	a.Polynomials, a.Filters = cmp.Or(a.Polynomials, 3), cmp.Or(a.Filters, s.Features)
	fewest := 3
	if a.Published {
		a.Embedding, fewest = cmp.Or(a.Embedding, 8), 2
	}
	if a.Polynomials < 2 || a.Polynomials > nn.MaxLayers || a.Filters < fewest || a.Filters > nn.MaxWidth ||
		a.Embedding < 0 || a.Embedding > nn.MaxWidth {
		panic(invalid("ASTGCN of %d polynomials, %d filters and embeddings of width %d, want 2 to %d, %d to %d and 1 to "+
			"%d: of fewer filters the normalisation leaves no numbers, so set Filters where nodes have fewer features",
			a.Polynomials, a.Filters, a.Embedding, nn.MaxLayers, fewest, nn.MaxWidth, nn.MaxWidth))
	}
	return a
}

// Resolved implements [sequence.Resolver].
func (a ASTGCN) Resolved(s sequence.Sizes) sequence.Network { return a.withDefaults(s) }

// Normalise returns [dyngraph.Raw].
func (ASTGCN) Normalise() dyngraph.Normalisation { return dyngraph.Raw }

// NonNegative reports true except with Published: weights are divided by their sums.
func (a ASTGCN) NonNegative() bool { return !a.Published }

// blocks returns the two blocks of the network.
func (a ASTGCN) blocks(s sequence.Sizes) []attentionBlock {
	blocks := make([]attentionBlock, 2)
	for i := range blocks {
		b := attentionBlock{Name: fmt.Sprintf("blocks.%d", i), Nodes: s.Nodes, Times: s.Inputs, In: a.Filters,
			Out: a.Filters, Polynomials: a.Polynomials, Published: a.Published}
		switch {
		case i == 0:
			b.In = s.Features
		case a.Published:
			b.Times = 1
		}
		blocks[i] = b
	}
	return blocks
}

// readout returns the last convolution.
func (a ASTGCN) readout(s sequence.Sizes) nn.Linear {
	switch {
	case a.Published:
		return nn.Linear{Name: "readout", In: 1, Out: s.Times(s.Inputs) * s.Outputs}
	case s.PerTime:
		return nn.Linear{Name: "readout", In: a.Filters, Out: s.Outputs}
	}
	return nn.Linear{Name: "readout", In: s.Inputs * a.Filters, Out: s.Outputs}
}

// Params declares the parameters of blocks.0 and blocks.1, readout, and scale [n, q]. With Published it also declares
// embeddings, and scale is [n, S·q].
func (a ASTGCN) Params(s sequence.Sizes) []nn.Param {
	a = a.withDefaults(s)
	params := nn.ParamsOf(a.blocks(s)...)
	scale := nn.Param{Name: "scale", Dims: []int{s.Nodes, a.readout(s).Out}, Init: nn.Fill(1)}
	if a.Published {
		scale.Init = nn.Normal(1)
		params = append(params, nn.Param{Name: "embeddings", Dims: []int{s.Nodes, a.Embedding}, Init: nn.Normal(1)})
	}
	return append(append(params, a.readout(s).Params()...), scale)
}

// Forecast builds the forecasts [B, S, n, q].
func (a ASTGCN) Forecast(v nn.Values, s sequence.Sizes, in sequence.Inputs) *Node {
	a = a.withDefaults(s)
	x := in.Features // [B, T, n, p]
	batch := x.Shape().Dim(0)
	checkInputs("ASTGCN", s, x.Shape().Dim(1))
	var graphs polynomials
	if a.Published {
		graphs = learnedPolynomials{v.Seeds, elementwise(nn.Similarity(v.Get("embeddings")), a.Polynomials)}
	} else {
		graphs = newChebyshev(in.Graph, s.Inputs, a.Polynomials)
	}
	for _, block := range a.blocks(s) {
		x = block.Apply(v, graphs, x)
	}
	if a.Published {
		x = SliceAxis(x, -1, AxisElem(-1))
	} else if s.PerTime {
		y := a.readout(s).Apply(v, x) // [B, T, n, q]
		return Mul(y, v.Spread(v.Get("scale"), y))
	}
	x = Reshape(TransposeAllDims(x, 0, 2, 1, 3), batch, s.Nodes, -1) // observation after observation
	y := a.readout(s).Apply(v, x)                                    // [B, n, S·q]
	y = Mul(y, v.Spread(v.Get("scale"), y))
	return TransposeAllDims(Reshape(y, batch, s.Nodes, s.Times(s.Inputs), s.Outputs), 0, 2, 1, 3)
}
