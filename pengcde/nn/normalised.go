package nn

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla"
)

// Normalised is the linear map of what the norm makes of x [batch, n, In]: l.Apply(v, r.Apply(v, x)), on a CPU in one
// pass.
func Normalised(v Values, r RMSNorm, l Linear, x *Node) *Node {
	const kernel, ofPullback = "pengcde_linear", "pengcde_linear_pullback"
	if r.Norm != (Norm{}) || x.Rank() != 3 || !xla.HasKernels(x) {
		return l.Apply(v, r.Apply(v, x))
	}
	param := func(name string) *Node { // [S, dims...], also of one seed
		if v.Seeds == 0 {
			return ExpandAxes(v.Get(name), 0)
		}
		return v.Get(name)
	}
	apply := func(in []*Node) *Node {
		return xla.Call(kernel, func(in []*Node) []*Node { return []*Node{normalise(in).mapped(in)} }, in...)[0]
	}
	pull := func(in []*Node, cotangent *Node) []*Node {
		return xla.Call(ofPullback, normalisedPullback, append(in, cotangent)...)
	}
	return xla.WithPullback(apply, pull, x, param(r.Name+".weight"), param(r.Name+".bias"), param(l.Name+".weight"),
		param(l.Name+".bias"))
}

// normal is x [batch, n, In] over its root mean squares, and what gain and shift make of it.
type normal struct {
	seeds                Seeds
	roots, rows, shifted *Node
}

// meanOf is the mean of the last axis, which stays.
func meanOf(x *Node) *Node {
	size := x.Shape().Dim(-1)
	each := make([][]float64, size)
	for i := range each {
		each[i] = []float64{1 / float64(size)}
	}
	return DotGeneral(x, []int{2}, nil, ConstAs(x, each), []int{0}, nil)
}

// normalise takes x, and gain and shift [S, In].
func normalise(in []*Node) (n normal) {
	x := in[0]
	n.seeds = Seeds(in[1].Shape().Dim(0))
	n.roots = Sqrt(Add(meanOf(Mul(x, x)), ConstAs(x, [][][]float64{{{rmsEpsilon}}})))
	n.rows = Div(x, n.roots)
	n.shifted = Add(Mul(n.rows, n.seeds.Spread(in[1], x)), n.seeds.Spread(in[2], x))
	return n
}

// mapped takes the weight and the bias of the linear map as the fourth and fifth input.
func (n normal) mapped(in []*Node) *Node {
	y := n.seeds.Product(n.shifted, in[3], 1)
	return Add(y, n.seeds.Spread(in[4], y))
}

// normalisedPullback gives the cotangents of the inputs for that of the output, which follows them.
func normalisedPullback(in []*Node) []*Node {
	n, gain, weight, v := normalise(in), in[1], in[3], in[5]
	bySeed := func(x *Node) *Node { return Reshape(x, int(n.seeds), -1, x.Shape().Dim(-1)) } // [S, rows, ...]
	over := func(a, b *Node) *Node { return DotGeneral(a, []int{1}, []int{0}, b, []int{1}, []int{0}) }
	ones := Reshape(Div(n.roots, n.roots), int(n.seeds), -1)
	shifted := n.seeds.Product(v, weight, 0)
	rows := Mul(shifted, n.seeds.Spread(gain, shifted))
	return []*Node{
		Div(Sub(rows, Mul(n.rows, meanOf(Mul(rows, n.rows)))), n.roots),
		over(ones, bySeed(Mul(shifted, n.rows))),
		over(ones, bySeed(shifted)),
		over(bySeed(v), bySeed(n.shifted)),
		over(ones, bySeed(v)),
	}
}
