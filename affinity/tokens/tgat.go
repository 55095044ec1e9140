package tokens

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// tgat attends to events in two hops: the nodes of a node's events have embeddings from their own earlier events.
type tgat struct {
	Config
	clock clock
	hops  [2]hop
}

func newTGAT(c Config) *tgat { return &tgat{c, clock{c}, [2]hop{newHop(c, 0), newHop(c, 1)}} }

func (t *tgat) Params() []nn.Param { return append(t.clock.Params(), nn.ParamsOf(t.hops[:]...)...) }

// apply implements [encoder].
func (t *tgat) apply(v nn.Values, e events, drop func(*Node) *Node) *Node {
	q, k := e.peer.Shape().Dim(0), t.Neighbours
	rows := func(x, earlier *Node) *Node { // of the nodes, then of the nodes of their events: [Q (k+1), k, ...]
		dims := append([]int{q * k}, x.Shape().Dimensions[1:]...)
		return Concatenate([]*Node{x, Reshape(earlier, dims...)}, 0)
	}
	own, peers := t.features(v, e.node, nil), t.features(v, e.peer, e.there) // [Q, Width], [Q, k, Width]
	of := *e.earlier
	all := events{peer: rows(e.peer, of.peer), age: rows(e.age, of.age), weight: rows(e.weight, of.weight),
		there: rows(e.there, of.there)}
	raw := Concatenate([]*Node{own, Reshape(peers, q*k, t.Width)}, 0)
	first := t.hops[0].apply(v, t.clock, raw, raw, t.features(v, all.peer, all.there), all, drop)
	own1, peers1 := Slice(first, AxisRange(0, q)), Reshape(Slice(first, AxisRange(q)), q, k, t.Width)
	return t.hops[1].apply(v, t.clock, own1, own, peers1, e, drop)
}

// features returns the features of nodes [...], 0 without identities and where there is none: [..., Width].
func (t *tgat) features(v nn.Values, nodes, there *Node) *Node {
	if !t.Identities {
		dims := append(nodes.Shape().Clone().Dimensions, t.Width)
		return Zeros(nodes.Graph(), shapes.Make(v.Get("clock.weight").DType(), dims...))
	}
	x := ranker.Rows(v.Get(identities), nodes)
	if there != nil {
		x = Mul(x, ExpandAxes(there, -1))
	}
	return x
}

// hop is attention of R nodes to k events of each, and a perceptron of its output and the node's features.
type hop struct {
	Config
	mix               nn.Linear
	norm              nn.LayerNorm
	hidden, out       nn.Linear
	query, key, value projection
}

func newHop(c Config, layer int) hop {
	name := fmt.Sprintf("hop.%d.", layer)
	w, f := c.Width+c.TimeWidth, c.Width+1+c.TimeWidth
	linear := func(part string, in, out int) nn.Linear { return nn.Linear{Name: name + part, In: in, Out: out} }
	return hop{Config: c, mix: linear("mix", w, w), norm: nn.LayerNorm{Name: name + "norm", Size: w},
		hidden: linear("hidden", w+c.Width, c.Width), out: linear("out", c.Width, c.Width),
		query: projection{linear("query", w, w)}, key: projection{linear("key", f, w)},
		value: projection{linear("value", f, w)}}
}

func (h hop) Params() []nn.Param {
	return nn.ParamsOf[nn.Layer](h.query, h.key, h.value, h.mix, h.norm, h.hidden, h.out)
}

// apply returns the embeddings [R, Width] of nodes with embeddings x and features raw [R, Width], from the embeddings
// of the nodes of their events, peers [R, k, Width]. A node without events attends to k empty ones, as published.
func (h hop) apply(v nn.Values, c clock, x, raw, peers *Node, e events, drop func(*Node) *Node) *Node {
	r, k, width := x.Shape().Dim(0), e.there.Shape().Dim(1), (h.Width+h.TimeWidth)/h.Heads
	now := c.Apply(v, ZerosLike(Slice(e.age, AxisRange(), AxisElem(0)))) // [R, 1, TimeWidth]
	query := Concatenate([]*Node{x, Squeeze(now, 1)}, -1)                // [R, Width+TimeWidth]
	from := Concatenate([]*Node{peers, e.weight, c.Apply(v, e.age)}, -1) // [R, k, Width+1+TimeWidth]
	heads := func(p projection) *Node { return Reshape(p.Apply(v, from), r, k, h.Heads, width) }
	score := Einsum("rhw,rkhw->rhk", Reshape(h.query.Apply(v, query), r, h.Heads, width), heads(h.key))
	score = DivScalar(score, math.Sqrt(float64(width)))
	there := BroadcastToDims(ExpandAxes(e.there, 1), r, h.Heads, k)
	score = Where(GreaterThan(there, ZerosLike(there)), score, AddScalar(ZerosLike(score), -1e10))
	mixed := Reshape(Einsum("rhk,rkhw->rhw", drop(Softmax(score, -1)), heads(h.value)), r, -1)
	y := h.norm.Apply(v, Add(drop(h.mix.Apply(v, mixed)), query))
	return h.out.Apply(v, nn.ReLU(h.hidden.Apply(v, Concatenate([]*Node{y, raw}, -1))))
}

// projection is a linear map without bias.
type projection struct{ linear nn.Linear }

// Params declares the weight.
func (p projection) Params() []nn.Param { return p.linear.Params()[:1] }

// Apply maps x [..., In] to [..., Out].
func (p projection) Apply(v nn.Values, x *Node) *Node {
	return v.Product(x, v.Get(p.linear.Name+".weight"), 1)
}
