package nn

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla"
)

// Normalised is the linear map of what the norm makes of x [batch, n, In]: l.Apply(v, r.Apply(v, x)), on a CPU in one
// pass.
func Normalised(v Values, r RMSNorm, l Linear, x *Node) *Node {
	const kernel, ofPullback = "pengcde_linear", "pengcde_linear_pullback"
	if v.Seeds > 0 || x.Rank() != 3 || !xla.HasKernels(x) {
		return l.Apply(v, r.Apply(v, x))
	}
	apply := func(in []*Node) *Node {
		return xla.Call(kernel, func(in []*Node) []*Node { return []*Node{normalise(in).mapped(in)} }, in...)[0]
	}
	pull := func(in []*Node, cotangent *Node) []*Node {
		return xla.Call(ofPullback, normalisedPullback, append(in, cotangent)...)
	}
	return xla.WithPullback(apply, pull, x, v.Get(r.Name+".weight"), v.Get(r.Name+".bias"), v.Get(l.Name+".weight"),
		v.Get(l.Name+".bias"))
}

// normal is x [batch, n, In] over its root mean squares, and what gain and shift make of it.
type normal struct{ roots, rows, shifted *Node }

func leading(param *Node) *Node { return ExpandLeftToRank(param, 3) }

// meanOf is the mean of the last axis, which stays.
func meanOf(x *Node) *Node {
	size := x.Shape().Dim(-1)
	each := make([][]float64, size)
	for i := range each {
		each[i] = []float64{1 / float64(size)}
	}
	return DotGeneral(x, []int{2}, nil, ConstAs(x, each), []int{0}, nil)
}

// normalise takes x, gain and shift.
func normalise(in []*Node) (n normal) {
	x := in[0]
	n.roots = Sqrt(Add(meanOf(Mul(x, x)), ConstAs(x, [][][]float64{{{rmsEpsilon}}})))
	n.rows = Div(x, n.roots)
	n.shifted = Add(Mul(n.rows, leading(in[1])), leading(in[2]))
	return n
}

// mapped takes the weight and the bias of the linear map as the fourth and fifth input.
func (n normal) mapped(in []*Node) *Node {
	return Add(DotGeneral(n.shifted, []int{2}, nil, in[3], []int{1}, nil), leading(in[4]))
}

// normalisedPullback gives the cotangents of the inputs for that of the output, which follows them.
func normalisedPullback(in []*Node) []*Node {
	n, gain, weight, v := normalise(in), in[1], in[3], in[5]
	flat := func(x *Node) *Node { return Reshape(x, -1, x.Shape().Dim(-1)) }
	ones := Reshape(Div(n.roots, n.roots), -1)
	sum := func(x *Node) *Node { return DotGeneral(ones, []int{0}, nil, flat(x), []int{0}, nil) }
	shifted := DotGeneral(v, []int{2}, nil, weight, []int{0}, nil)
	rows := Mul(shifted, leading(gain))
	return []*Node{
		Div(Sub(rows, Mul(n.rows, meanOf(Mul(rows, n.rows)))), n.roots),
		sum(Mul(shifted, n.rows)),
		sum(shifted),
		DotGeneral(flat(v), []int{0}, nil, flat(n.shifted), []int{0}, nil),
		sum(v),
	}
}
