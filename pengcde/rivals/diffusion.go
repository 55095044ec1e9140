package rivals

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// walk is the diffusion of node states x [batch, n, d] on the graph of one observation, in up to order steps.
type walk struct {
	order int
	// graph is A with Published. Otherwise it is A followed by A^T in the batch, so that one product serves both random
	// walks.
	graph *equivariant.Matrix
	// share [2 batch, n, 1] is one over the sum of the weights from a node, followed in the batch by one over the sum
	// to a node; 0 for a node without weights. It is nil with Published.
	share *Node
}

func newWalk(graph *equivariant.Matrix, order int, published bool) walk {
	if published {
		return walk{order: order, graph: graph}
	}
	both := graph.WithTransposed()
	return walk{order: order, graph: both, share: inverse(both.RowSums())}
}

// inverse returns 1/x, and 0 where x is not positive: [batch, n] to [batch, n, 1].
func inverse(x *Node) *Node {
	positive := GreaterThan(x, ZerosLike(x))
	return ExpandAxes(Where(positive, Inverse(Where(positive, x, OnesLike(x))), ZerosLike(x)), -1)
}

// terms returns x and its diffusion terms.
func (w walk) terms(x *Node) []*Node {
	terms := []*Node{x}
	if w.share == nil {
		for k := range w.order {
			next := w.graph.Apply(terms[k])
			if k > 0 {
				next = Sub(MulScalar(next, 2), terms[k-1])
			}
			terms = append(terms, next)
		}
		return terms
	}
	batch := x.Shape().Dim(0)
	both := Concatenate([]*Node{x, x}, 0)
	for range w.order {
		both = Mul(w.share, w.graph.Apply(both))
		terms = append(terms, Slice(both, AxisRange(0, batch)), Slice(both, AxisRange(batch)))
	}
	return terms
}

// diffusionGRU is a gated recurrent unit whose linear maps take Terms terms of diffusion:
//
//	(z, r) = sigmoid(W_g [x s] + b_g),  c = tanh(W_u [x z⊙s] + b_u),  s' = r⊙s + (1-r)⊙c
//
// where [x s] are the In features of a node concatenated with its Hidden states, term after term.
type diffusionGRU struct {
	Name              string
	In, Hidden, Terms int
}

func (g diffusionGRU) maps() (gate, update nn.Linear) {
	in := g.Terms * (g.In + g.Hidden)
	return nn.Linear{Name: g.Name + ".gate", In: in, Out: 2 * g.Hidden},
		nn.Linear{Name: g.Name + ".update", In: in, Out: g.Hidden}
}

// Params declares Name.gate and Name.update, with weights of variance 2/fan-in and biases of 0.
func (g diffusionGRU) Params() []nn.Param {
	gate, update := g.maps()
	params := append(gate.Params(), update.Params()...)
	for i := range params {
		params[i].Init = nn.Fill(0)
		if len(params[i].Dims) > 1 {
			params[i].Init = nn.Normal(math.Sqrt(2 / float64(gate.In)))
		}
	}
	return params
}

// Step returns the next state [batch, n, Hidden] after x [batch, n, In].
func (g diffusionGRU) Step(v nn.Values, w walk, x, state *Node) *Node {
	gate, update := g.maps()
	terms := w.terms(Concatenate([]*Node{x, state}, -1))
	gates := Sigmoid(gate.Apply(v, Concatenate(terms, -1)))
	z, r := SliceAxis(gates, -1, AxisRange(0, g.Hidden)), SliceAxis(gates, -1, AxisRange(g.Hidden))

	var seen []*Node
	for k, reset := range w.terms(Mul(z, state)) {
		seen = append(seen, SliceAxis(terms[k], -1, AxisRange(0, g.In)), reset)
	}
	candidate := Tanh(update.Apply(v, Concatenate(seen, -1)))
	return Add(candidate, Mul(r, Sub(state, candidate)))
}
