package nn

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// AdaptiveConvolution is a graph convolution on a learned graph, with separate weights for every node. Each node u has
// an embedding E_u [Embedding]. With the Chebyshev polynomials of the matrix S of [Similarity] the output is
//
//	T_0 = I,  T_1 = S,  T_k = 2 S T_{k-1} - T_{k-2}
//	y_u = Σ_{k<Order} W_{u,k}^T (T_k x)_u + b_u,  W_{u,k} = Σ_d E_ud P_dk,  b_u = Σ_d E_ud q_d
//
// P and q are shared by all nodes. No graph of the data is read, and the parameters depend on the number of nodes.
//
// Reference: L. Bai, L. Yao, C. Li, X. Wang, C. Wang, Adaptive Graph Convolutional Recurrent Network for Traffic
// Forecasting, NeurIPS 2020.
type AdaptiveConvolution struct {
	Name                             string
	Nodes, In, Out, Order, Embedding int
}

// Params declares Name.embeddings E, Name.weights P and Name.biases q, standard normal.
func (c AdaptiveConvolution) Params() []Param {
	if c.Nodes < 1 || c.Order < 1 || c.Order > MaxLayers || c.Embedding < 1 || c.Embedding > MaxWidth {
		panic(errs.New(ErrInput, "pengcde/nn: AdaptiveConvolution %q with %d nodes, order %d, embeddings of width %d, want "+
			"at least 1, 1 to %d and 1 to %d", c.Name, c.Nodes, c.Order, c.Embedding, MaxLayers, MaxWidth))
	}
	return []Param{
		{Name: c.Name + ".embeddings", Dims: []int{c.Nodes, c.Embedding}, Init: Normal(1)},
		{Name: c.Name + ".weights", Dims: []int{c.Embedding, c.Order, c.In, c.Out}, Init: Normal(1)},
		{Name: c.Name + ".biases", Dims: []int{c.Embedding, c.Out}, Init: Normal(1)},
	}
}

// Apply maps x [batch, n, In] to [batch, n, Out]. It never forms W_{u,k}, which has Order·In·Out entries for each node:
// it multiplies x by P before the embeddings.
func (c AdaptiveConvolution) Apply(v Values, x *Node) *Node {
	s, batch := max(1, int(v.Seeds)), x.Shape().Dim(0)
	part, k, d := batch/s, c.Order, c.Embedding
	e := Reshape(v.Get(c.Name+".embeddings"), s, c.Nodes, d)
	graph := Similarity(e) // [s, n, n]

	x = Reshape(TransposeAllAxes(Reshape(x, s, part, c.Nodes, c.In), 0, 2, 1, 3), s, c.Nodes, -1) // [s, n, part·In]
	terms := make([]*Node, k)
	for i := range terms {
		switch i {
		case 0:
			terms[i] = x
		case 1:
			terms[i] = MatMul(graph, x)
		default:
			terms[i] = Sub(MulScalar(MatMul(graph, terms[i-1]), 2.0), terms[i-2])
		}
	}
	for i, term := range terms {
		terms[i] = Reshape(term, s, c.Nodes*part, c.In)
	}
	p := TransposeAllAxes(Reshape(v.Get(c.Name+".weights"), s, d, k*c.In, c.Out), 0, 2, 1, 3)
	y := MatMul(Concatenate(terms, -1), Reshape(p, s, k*c.In, d*c.Out))
	y = Reshape(y, s, c.Nodes, part, d, c.Out)
	y = DotGeneral(y, []int{3}, []int{0, 1}, e, []int{2}, []int{0, 1}) // [s, n, part, Out]
	bias := MatMul(e, Reshape(v.Get(c.Name+".biases"), s, d, c.Out))   // [s, n, Out]
	y = Add(y, ExpandAxes(bias, 2))
	return Reshape(TransposeAllAxes(y, 0, 2, 1, 3), batch, c.Nodes, c.Out)
}

// Similarity returns the matrix softmax(relu(E E^T)), by rows, of embeddings E [..., n, width]: [..., n, n].
func Similarity(e *Node) *Node {
	axes := make([]int, e.Rank())
	for i := range axes {
		axes[i] = i
	}
	last := len(axes) - 1
	axes[last-1], axes[last] = last, last-1
	return Softmax(ReLU(MatMul(e, TransposeAllAxes(e, axes...))), -1)
}
