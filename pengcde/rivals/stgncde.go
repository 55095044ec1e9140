package rivals

import (
	"cmp"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// STGNCDE is the spatio-temporal graph neural controlled differential equation, a vector field for pengcde.Config. Its
// state Z [batch, n, 2·Hidden] is h concatenated with z. The features X of each node drive it in two stages:
//
//	dh/dt = f(h) dX/dt,          f(h) [Hidden, Features] = tanh(MLP(h))
//	dz/dt = g(z) f(h) dX/dt,     g(z) [Hidden, Hidden] = tanh(L_2(C(relu(L_1(z)))))
//
// where C is an [nn.AdaptiveConvolution], the only part that mixes nodes. The graph of the data is not read. There is
// no time channel, unless no features drive the state: then the time is the only channel of X. The parameters depend on
// the number of nodes.
//
// Reference: J. Choi, H. Choi, J. Hwang, N. Park, Graph Neural Controlled Differential Equations for Traffic
// Forecasting, AAAI 2022.
type STGNCDE struct {
	// Hidden is the width of h, and of z. Nodes and Features are the sizes of the data; Features 0 means only the time.
	// A model fills them in.
	Hidden   int `json:"Hidden,omitzero"`
	Nodes    int `json:"Nodes,omitzero"`
	Features int `json:"Features,omitzero"`
	// Layers is the number of hidden layers of f; 0 means 1.
	Layers int `json:"Layers,omitzero"`
	// Order is the number of Chebyshev polynomials of the convolution; 0 means 2.
	Order int `json:"Order,omitzero"`
	// Embedding is the width of the node embeddings; 0 means 5.
	Embedding int `json:"Embedding,omitzero"`
}

// Sized implements [field.Sizer].
func (f STGNCDE) Sized(s field.Sizes) (field.Field, field.Sizes) {
	f.Hidden, f.Nodes, f.Features = cmp.Or(f.Hidden, s.Hidden), cmp.Or(f.Nodes, s.Nodes), cmp.Or(f.Features, s.Features)
	f.Layers, f.Order, f.Embedding = cmp.Or(f.Layers, s.Layers, 1), cmp.Or(f.Order, 2), cmp.Or(f.Embedding, 5)
	return f, field.Sizes{Nodes: f.Nodes, Features: f.Features, Hidden: f.Hidden, Layers: f.Layers}
}

// Traits implements [field.Traiter].
func (f STGNCDE) Traits() field.Traits {
	return field.Traits{Pairwise: true, NoGraph: true, States: 2, Stops: featureChanges, Seeds: true}
}

// featureChanges returns the knots next to which the features change, regardless of the graph.
func featureChanges(s field.Sample) []float64 {
	s.Index = make([]int, len(s.Knots))
	return s.Changes()
}

// parts returns f, the two linear maps of g, and the convolution between them.
func (f STGNCDE) parts() (drive nn.MLP, in, out nn.Linear, convolution nn.AdaptiveConvolution) {
	sized, _ := f.Sized(field.Sizes{})
	f = sized.(STGNCDE)
	if f.Hidden < 1 || f.Hidden > nn.MaxWidth || f.Features < 0 || f.Features > nn.MaxWidth || f.Nodes < 1 ||
		f.Layers < 1 || f.Layers > nn.MaxLayers {
		panic(invalid("STGNCDE with Hidden %d, Features %d, Nodes %d, Layers %d, want 1 to %d, 0 to %d, at least 1, and "+
			"1 to %d", f.Hidden, f.Features, f.Nodes, f.Layers, nn.MaxWidth, nn.MaxWidth, nn.MaxLayers))
	}
	channels := max(f.Features, 1)
	return nn.MLP{Name: "field.f", In: f.Hidden, Out: f.Hidden * channels, Width: f.Hidden, Depth: f.Layers},
		nn.Linear{Name: "field.g.in", In: f.Hidden, Out: f.Hidden},
		nn.Linear{Name: "field.g.out", In: f.Hidden, Out: f.Hidden * f.Hidden},
		nn.AdaptiveConvolution{Name: "field.g.convolution", Nodes: f.Nodes, In: f.Hidden, Out: f.Hidden, Order: f.Order,
			Embedding: f.Embedding}
}

// Params declares the parameters of f, named field.f, and of g, named field.g.
func (f STGNCDE) Params() []nn.Param {
	drive, in, out, convolution := f.parts()
	params := append(drive.Params(), in.Params()...)
	return append(append(params, convolution.Params()...), out.Params()...)
}

// Derivative implements [field.Field].
func (f STGNCDE) Derivative(v nn.Values, c *field.Control, t, state *Node) *Node {
	drive, in, out, convolution := f.parts()
	width := f.Hidden
	if got := state.Shape().Dim(-1); got != 2*width {
		panic(invalid("states of width %d, want twice the Hidden %d of STGNCDE", got, width))
	}
	h := Slice(state, AxisRange(), AxisRange(), AxisRange(0, width))
	z := Slice(state, AxisRange(), AxisRange(), AxisRange(width))
	dh := f.driven(Tanh(drive.Apply(v, h)), c, t)
	g := Tanh(out.Apply(v, convolution.Apply(v, nn.ReLU(in.Apply(v, z)))))
	return Concatenate([]*Node{dh, product(g, dh)}, -1)
}

// driven returns f(h) dX/dt [batch, n, Hidden].
func (f STGNCDE) driven(drive *Node, c *field.Control, t *Node) *Node {
	_, _, dx := c.At(t)
	switch {
	case f.Features == 0:
		rate := c.Rate(t)
		if rate == nil {
			return drive
		}
		return Mul(drive, Reshape(ConvertDType(rate, drive.DType()), -1, 1, 1))
	case dx == nil || dx.Shape().Dim(-1) != f.Features:
		panic(invalid("STGNCDE for %d features, and the control has others", f.Features))
	}
	return product(drive, dx)
}

// product multiplies a matrix and a vector for each node: [batch, n, m·k] and [batch, n, k] to [batch, n, m].
func product(matrices, vectors *Node) *Node {
	dims := vectors.Shape().Dimensions
	matrices = Reshape(matrices, dims[0], dims[1], -1, dims[2])
	return DotGeneral(matrices, []int{3}, []int{0, 1}, vectors, []int{2}, []int{0, 1})
}
