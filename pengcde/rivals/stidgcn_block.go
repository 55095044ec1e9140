package rivals

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// interactiveBlock lets the even and the odd times of x change each other. With a_i a graph convolution of the i-th
// convolution along time,
//
//	d = odd tanh(a_1(even)), c = even tanh(a_2(odd)), even' = c + a_4(d), odd' = d + a_3(c).
type interactiveBlock struct {
	along [4]alongTime
	graph dynamicGraph
}

func newBlock(name string, channels, nodes, times int) interactiveBlock {
	b := interactiveBlock{graph: dynamicGraph{name: name + ".graph", channels: channels, nodes: nodes, times: times}}
	for i := range b.along {
		conv := func(part string, kernel int) nn.TimeConv {
			return nn.TimeConv{Name: fmt.Sprintf("%s.along.%d.%s", name, i, part), In: channels, Out: channels, Kernel: kernel}
		}
		// The first convolution of the published code lacks the leaky ReLU of the others.
		b.along[i] = alongTime{wide: conv("wide", 5), narrow: conv("narrow", 3), linear: i == 0}
	}
	return b
}

func (b interactiveBlock) Params() []nn.Param {
	var params []nn.Param
	for _, a := range b.along {
		params = append(params, nn.ParamsOf(a.wide, a.narrow)...)
	}
	return append(params, b.graph.Params()...)
}

// apply maps x [B, T, n, c] to its even and odd times, [B, T/2, n, c] each.
func (b interactiveBlock) apply(v nn.Values, x *Node, drop func(*Node) *Node) (even, odd *Node) {
	d := x.Shape().Dimensions
	x = Reshape(x, d[0], d[1]/2, 2, d[2], d[3])
	even, odd = Squeeze(SliceAxis(x, 2, AxisElem(0)), 2), Squeeze(SliceAxis(x, 2, AxisElem(1)), 2)
	// both applies the i-th and the next convolution along time to two halves, and then one graph convolution to both
	// at once.
	both := func(i int, first, second *Node) (*Node, *Node) {
		y := b.graph.apply(v, Stack([]*Node{b.along[i].apply(v, first, drop), b.along[i+1].apply(v, second, drop)}, 1), drop)
		return Squeeze(SliceAxis(y, 1, AxisElem(0)), 1), Squeeze(SliceAxis(y, 1, AxisElem(1)), 1)
	}
	first, second := both(0, even, odd)
	even, odd = Mul(even, Tanh(second)), Mul(odd, Tanh(first))
	third, fourth := both(2, even, odd)
	return Add(even, fourth), Add(odd, third)
}

// interleave joins even and odd times, [B, T/2, n, c] each, in the order of time.
func interleave(even, odd *Node) *Node {
	d := even.Shape().Dimensions
	return Reshape(Stack([]*Node{even, odd}, 2), d[0], 2*d[1], d[2], d[3])
}

// alongTime is two convolutions along time, of widths five and three, that keep the number of times.
type alongTime struct {
	wide, narrow nn.TimeConv
	linear       bool // no activation between the two
}

func (a alongTime) apply(v nn.Values, x *Node, drop func(*Node) *Node) *Node {
	x = a.wide.Apply(v, nn.RepeatEnds(x, 3, 3))
	if !a.linear {
		x = nn.LeakyReLU(x, 0.01)
	}
	return Tanh(a.narrow.Apply(v, drop(x)))
}

// dynamicGraph is a convolution on a graph computed from the features and from a vector for each node.
type dynamicGraph struct {
	name                   string
	channels, nodes, times int
}

func (d dynamicGraph) in() nn.Linear {
	return nn.Linear{Name: d.name + ".in", In: d.channels, Out: d.channels}
}

func (d dynamicGraph) out() nn.Linear {
	return nn.Linear{Name: d.name + ".out", In: d.channels, Out: d.channels}
}

// Params declares two linear maps; memory [c, n], the vector of each node; mix [2], the weights of the two graphs,
// without the bias of the published code, which a softmax cancels; and scale [T, n, c].
func (d dynamicGraph) Params() []nn.Param {
	glorot := func(sum int) nn.Init { return nn.Uniform(math.Sqrt(6 / float64(sum))) }
	params := append(d.in().Params(), d.out().Params()...)
	return append(params,
		nn.Param{Name: d.name + ".memory", Dims: []int{d.channels, d.nodes}, Init: glorot(d.channels + d.nodes)},
		nn.Param{Name: d.name + ".mix", Dims: []int{2}, Init: nn.Uniform(math.Sqrt(0.5))},
		nn.Param{Name: d.name + ".scale", Dims: []int{d.times, d.nodes, d.channels},
			Init: glorot(d.channels * (d.nodes + d.times))})
}

// apply maps x [B, k, T, n, c] to the same shape, each of the k with its own graph.
func (d dynamicGraph) apply(v nn.Values, x *Node, drop func(*Node) *Node) *Node {
	y := d.in().Apply(v, x)
	// y_v = Σ_u G_uv y_u, with G [B, k, n, n].
	y = DotGeneral(d.adjacency(v, y), []int{2}, []int{0, 1}, y, []int{3}, []int{0, 1}) // [B, k, n, T, c]
	y = drop(d.out().Apply(v, TransposeAllDims(y, 0, 1, 3, 2, 4)))
	return Add(Mul(y, v.Spread(v.Get(d.name+".scale"), y)), x)
}

// adjacency returns softmax(w_1 softmax(ReLU(X M / √n)) + w_2 softmax(ReLU(X X^T / √n))) with the sum X over time and
// the memory M. Each node keeps its largest 4n/5 edges, rounded down; among equal edges the first are kept. All
// softmaxes are over targets, and the remaining edges are not normalised again.
func (d dynamicGraph) adjacency(v nn.Values, x *Node) *Node {
	sum := ReduceSum(x, 2) // [B, k, n, c]
	mix := v.Get(d.name + ".mix")
	var mixed *Node
	for i, similarity := range []*Node{
		v.Product(sum, v.Get(d.name+".memory"), 0),
		DotGeneral(sum, []int{3}, []int{0, 1}, sum, []int{3}, []int{0, 1}),
	} {
		share := Softmax(nn.ReLU(DivScalar(similarity, math.Sqrt(float64(d.nodes)))), -1)
		share = Mul(share, v.Spread(SliceAxis(mix, -1, AxisElem(i)), share))
		if mixed == nil {
			mixed = share
		} else {
			mixed = Add(mixed, share)
		}
	}
	g := Softmax(mixed, -1)
	return Where(nn.Largest(g, 4*d.nodes/5), g, ZerosLike(g))
}

// frozenDropout zeroes entries of x [..., T, n, c] at the given rate and scales the others. The entries are the same in
// all calls with these three sizes.
func frozenDropout(x *Node, rate float64) *Node {
	dims := x.Shape().Dimensions[x.Rank()-3:]
	kept := make([]bool, dims[0]*dims[1]*dims[2])
	rng := rand.New(rand.NewPCG(0, 0))
	for i := range kept {
		kept[i] = rng.Float64() >= rate
	}
	mask := Const(x.Graph(), tensors.FromFlatDataAndDimensions(kept, dims...))
	mask = BroadcastToDims(ExpandLeftToRank(mask, x.Rank()), x.Shape().Dimensions...)
	return Where(mask, DivScalar(x, 1-rate), ZerosLike(x))
}
