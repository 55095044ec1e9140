package nn

import (
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
)

// timeAxis is the time axis of x [batch, ..., T, n, features].
const timeAxis = -3

// TimeConv is a convolution along time over Kernel times, without padding: y_t = b + Σ_k W_k x_{t+k}. The kernel is not
// reversed, as usual in neural networks.
type TimeConv struct {
	Name            string
	In, Out, Kernel int
}

// Params declares Name.weight [Out, In, Kernel] and Name.bias, uniform on ±1/sqrt(In·Kernel).
func (c TimeConv) Params() []Param {
	return []Param{
		{Name: c.Name + ".weight", Dims: []int{c.Out, c.In, c.Kernel}, Init: fanIn(c.In * c.Kernel)},
		{Name: c.Name + ".bias", Dims: []int{c.Out}, Init: fanIn(c.In * c.Kernel)},
	}
}

// Apply maps x [batch, ..., T, n, In] to [batch, ..., T-Kernel+1, n, Out]. It uses one product with the inputs at the
// Kernel times of each output, concatenated.
func (c TimeConv) Apply(v Values, x *Node) *Node {
	seen := make([]*Node, c.Kernel)
	for k := range seen {
		seen[k] = SliceAxis(x, timeAxis, AxisRange(k, k+x.Shape().Dim(timeAxis)-c.Kernel+1))
	}
	weight := Reshape(Transpose(v.Get(c.Name+".weight"), -1, -2), v.Dims(c.Out, c.Kernel*c.In)...)
	y := v.Product(Concatenate(seen, -1), weight, 1)
	return Add(y, v.Spread(v.Get(c.Name+".bias"), y))
}

// RepeatEnds extends x [batch, ..., T, n, features] along time: it repeats the first value before times in front, and
// the last value after times at the end.
func RepeatEnds(x *Node, before, after int) *Node {
	first, last := SliceAxis(x, timeAxis, AxisElem(0)), SliceAxis(x, timeAxis, AxisElem(-1))
	return Concatenate(slices.Concat(slices.Repeat([]*Node{first}, before), []*Node{x},
		slices.Repeat([]*Node{last}, after)), timeAxis)
}

// PadZeros pads x along an axis with the given numbers of zeros before and behind.
func PadZeros(x *Node, axis, before, behind int) *Node {
	if before == 0 && behind == 0 {
		return x
	}
	// One for every axis, because the gradient of Pad in GoMLX 0.28 skips axes left out.
	axes := make([]compute.PadAxis, x.Rank())
	axes[axis] = compute.PadAxis{Start: before, End: behind}
	return Pad(x, ConstAs(x, 0), axes...) // GoMLX keeps one ScalarZero for a graph, which its functions cannot share
}

// LeakyReLU returns x where it is positive and slope x elsewhere; its derivative at 0 is slope.
func LeakyReLU(x *Node, slope float64) *Node {
	return Where(GreaterThan(x, ZerosLike(x)), x, MulScalar(x, slope))
}
