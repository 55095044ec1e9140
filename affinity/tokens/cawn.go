package tokens

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// cawn reads walks of one step from the node to the nodes of its events. Walks are anonymous: a node's position is its
// hitting counts, how often walks are at it before and after the step, in shares of their number. A bidirectional LSTM
// reads all features of both nodes of a walk, another reads their positions, a transformer lets the walks attend to
// each other, and their mean is the embedding. Published code counts hits on the walks of both ends of an edge. Here
// both ends are the same node, so both counts are equal.
type cawn struct {
	Config
	clock           clock
	position        [2]nn.Linear
	walk, positions lstm
	mix             nn.Linear
	layers          []transformer
	output          nn.Linear
}

func newCAWN(c Config) *cawn {
	width := c.Width + 1 + c.TimeWidth + c.Width // of identities, weight, time and position
	read := width
	if !c.Identities { // which would be zeros
		read -= c.Width
	}
	w := &cawn{Config: c, clock: clock{c}, position: [2]nn.Linear{{Name: "position.in", In: 2, Out: c.Width},
		{Name: "position.out", In: c.Width, Out: c.Width}}, walk: newLSTM("walk", read, width/2),
		positions: newLSTM("positions", c.Width, c.Width/2)}
	attention := (width/2 + c.Heads - 1) / c.Heads * c.Heads // which the heads divide
	w.mix = nn.Linear{Name: "mix", In: 2 * (w.walk.size + w.positions.size), Out: attention}
	for i := range c.Layers {
		w.layers = append(w.layers, newTransformer(c, i, attention, nn.ReLU))
	}
	w.output = outputOf(c, attention)
	return w
}

func (w *cawn) Params() []nn.Param {
	params := nn.ParamsOf[nn.Layer](w.clock, w.position[0], w.position[1])
	params = append(append(params, w.walk.Params()...), w.positions.Params()...)
	return append(append(append(params, w.mix.Params()...), nn.ParamsOf(w.layers...)...), w.output.Params()...)
}

// apply implements [encoder].
func (w *cawn) apply(v nn.Values, e events, drop func(*Node) *Node) *Node {
	e = e.withNode() // the start of all walks, then the node after the step of each: k+1 nodes
	there := ExpandAxes(e.there, -1)
	positions := MulScalar(w.position[1].Apply(v, nn.ReLU(w.position[0].Apply(v, w.hits(e)))), 2) // of both nodes
	parts := []*Node{w.clock.Apply(v, e.age), e.weight, positions}
	if w.Identities {
		parts = append([]*Node{Mul(ranker.Rows(v.Get(identities), e.peer), there)}, parts...)
	}
	steps := Slice(there, AxisRange(), AxisRange(1))
	x := w.mix.Apply(v, Concatenate([]*Node{w.walk.apply(v, Concatenate(parts, -1), steps),
		w.positions.apply(v, positions, steps)}, -1))
	for _, layer := range w.layers {
		x = layer.after(v, x, nil, drop)
	}
	return w.output.Apply(v, ReduceMean(x, 1))
}

// hits returns the hitting counts: the shares of walks that are at each of k+1 nodes before the step and after it,
// [Q, k+1, 2].
func (w *cawn) hits(e events) *Node {
	same := ConvertDType(Equal(ExpandAxes(e.peer, 2), ExpandAxes(e.peer, 1)), e.there.DType())
	same = Mul(same, ExpandAxes(e.there, 1)) // [Q, k+1, k+1]
	start, after := Slice(same, AxisRange(), AxisRange(), AxisElem(0)), Slice(same, AxisRange(), AxisRange(), AxisRange(1))
	return Concatenate([]*Node{start, DivScalar(ReduceAndKeep(after, ReduceSum, -1), float64(w.Neighbours))}, -1)
}

// lstm is a bidirectional LSTM on walks of one step, of which the states at their last nodes count. There the backward
// one starts, so weights of its state would have no influence, and it has none. S. Hochreiter, J. Schmidhuber, Long
// Short-Term Memory, Neural Computation 9, 1997.
type lstm struct {
	size               int
	input, state, back nn.Linear
}

func newLSTM(name string, in, size int) lstm {
	linear := func(part string, in int) nn.Linear { return nn.Linear{Name: name + "." + part, In: in, Out: 4 * size} }
	return lstm{size, linear("input", in), linear("state", size), linear("back", in)}
}

func (l lstm) Params() []nn.Param { return nn.ParamsOf(l.input, l.state, l.back) }

// apply returns the states [Q, k, 2 size] of walks from x [Q, k+1, in], the start before the nodes after the step. A
// walk without a step, which steps [Q, k, 1] has as 0, ends at its start.
func (l lstm) apply(v nn.Values, x, steps *Node) *Node {
	q, k := x.Shape().Dim(0), steps.Shape().Dim(1)
	start := func(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(0, 1)) }
	forward := l.input.Apply(v, x)
	zero := ZerosLike(Slice(start(forward), AxisRange(), AxisRange(), AxisRange(0, l.size)))
	before, cell := l.step(Add(start(forward), l.state.Apply(v, zero)), zero)
	after, _ := l.step(Add(Slice(forward, AxisRange(), AxisRange(1)), l.state.Apply(v, before)), cell)
	backward := l.back.Apply(v, x)
	last, _ := l.step(backward, zero)
	of := func(stepped, started *Node) *Node {
		return Where(GreaterThan(BroadcastToDims(steps, q, k, l.size), ZerosLike(stepped)), stepped,
			BroadcastToDims(started, q, k, l.size))
	}
	return Concatenate([]*Node{of(after, before), of(Slice(last, AxisRange(), AxisRange(1)), start(last))}, -1)
}

// step returns the state and the cell after a step with gates [..., 4 size] from a cell.
func (l lstm) step(gates, cell *Node) (state, next *Node) {
	gate := func(k int) *Node { return Slice(gates, AxisRange(), AxisRange(), AxisRange(k*l.size, (k+1)*l.size)) }
	next = Add(Mul(Sigmoid(gate(1)), cell), Mul(Sigmoid(gate(0)), Tanh(gate(2))))
	return Mul(Sigmoid(gate(3)), Tanh(next)), next
}
