package ode

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla"
)

// smallChunk and largeChunk are the possible numbers of saves per sample in one call of the programs save and pull. A
// call costs more than padding with rows of zeros; two sizes keep compilation small. Inside a call products have
// smallChunk rows each, so that the rounding of a state does not depend on the number of saves in a step.
const smallChunk, largeChunk = 4, 32

// rowsFor returns the chunk size for a call with the given number of saves left: smallChunk if largeChunk would make
// more than 8 MiB of states.
func rowsFor(left int, state shapes.Shape) int {
	if left <= smallChunk || largeChunk*state.ByteSize() > 8<<20 {
		return smallChunk
	}
	return largeChunk
}

// leading reshapes x [batch] to the rank of a state, for broadcasting, and converts it to the state's float type.
func leading(x, state *Node) *Node {
	x = ConvertDType(x, state.DType())
	for x.Rank() < state.Rank() {
		x = ExpandAxes(x, -1)
	}
	return x
}

// weighted returns Σ w_i x_i over the nonzero weights, or nil if all are zero.
func weighted(w []float64, xs []*Node) *Node {
	var sum *Node
	for i, x := range xs {
		if i >= len(w) || w[i] == 0 {
			continue
		}
		term := MulScalar(x, w[i])
		if sum == nil {
			sum = term
		} else {
			sum = Add(sum, term)
		}
	}
	return sum
}

// evaluate builds the stages k_2 .. of a step from t to end that starts with z and k_1, up to stage last. Stages at the
// end take the limit from the step's side there.
func (s *Solver) evaluate(t, end, side, z, first *Node, last int, args []*Node) (ks []*Node) {
	length := leading(Sub(end, t), z)
	ks = append(ks, first)
	for i := 1; i < last; i++ {
		time, from := end, side
		if s.method.C[i] != 1 {
			time, from = Add(t, MulScalar(Sub(end, t), s.method.C[i])), nil
		}
		ks = append(ks, s.field(time, from, Add(z, Mul(length, weighted(s.method.A[i], ks))), args))
	}
	return ks
}

// buildFirst builds the first stage of a step: (t, side, z, args...) -> k_1.
func (s *Solver) buildFirst(in []*Node) []*Node { return []*Node{s.field(in[0], in[1], in[2], in[3:])} }

// buildStep builds one try of a step: (t, end, side of the end, z, k_1, rtol, atol, args...) -> (z new, norm, k_2, ..,
// k_s), where k_s is the k_1 of the next step unless the field jumps at the end. A sample with end = t keeps its state.
func (s *Solver) buildStep(in []*Node) []*Node {
	t, end, side, z, first, rtol, atol, args := in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7:]
	n := s.method.stages()
	length := leading(Sub(end, t), z)
	ks := s.evaluate(t, end, side, z, first, n-1, args)
	next := Add(z, Mul(length, weighted(s.method.A[n-1], ks)))
	ks = append(ks, s.field(end, side, next, args))

	scale := Add(leading(atol, z), Mul(leading(rtol, z), Max(Abs(z), Abs(next))))
	estimate := weighted(s.method.Error, ks)
	if estimate == nil {
		estimate = ZerosLike(z)
	}
	scaled := inFloat32(Div(Mul(length, estimate), scale))
	axes := withinSample(z)
	norm := Sqrt(ReduceMean(Square(scaled), axes...))
	// The slope at the end is checked too: without a weight in the error estimate it would go unnoticed and save NaN.
	// Entries are counted, since a sum of large entries overflows.
	bad := LogicalNot(LogicalAnd(IsFinite(next), IsFinite(ks[n-1])))
	count := ReduceSum(ConvertDType(bad, dtypes.Float32), axes...)
	norm = Where(Equal(count, ZerosLike(count)), norm, MulScalar(OnesLike(norm), math.NaN()))
	return append([]*Node{next, ConvertDType(norm, t.DType())}, ks[1:]...)
}

// buildSave builds the states inside steps: (coefficients [batch, rows, 1+s], z, k_1, .., k_s) -> [batch, rows, ...].
func buildSave(in []*Node) []*Node {
	parts := Stack(in[1:], 1) // [batch, 1+s, ...]
	var saves []*Node
	for _, coefficients := range bySmallChunk(in[0]) {
		saves = append(saves, contract(coefficients, parts, 2))
	}
	return []*Node{Concatenate(saves, 1)}
}

// bySmallChunk cuts x [batch, rows, ...] into smallChunk rows each.
func bySmallChunk(x *Node) (parts []*Node) {
	for from := 0; from < x.Shape().Dim(1); from += smallChunk {
		parts = append(parts, Slice(x, AxisRange(), AxisRange(from, from+smallChunk)))
	}
	return parts
}

// contract sums c [batch, i, j] times x [batch, axis of c, ...] over the given axis of c, which is short. For a GPU it
// adds term by term: CUDA rounds the factors of DotGeneral to 10 bits in float32 (TF32), an error as large as usual
// tolerances of a solve, and terms fuse with the operations around them.
func contract(c, x *Node, axis int) *Node {
	dims := x.Shape().Dimensions
	if xla.ForGPU(x) {
		parts := along(x, 1)
		for k := range parts {
			parts[k] = ExpandAxes(parts[k], 1)
		}
		return combined(along(c, axis), parts)
	}
	flat := Reshape(x, dims[0], dims[1], -1)
	sum := DotGeneral(ConvertDType(c, x.DType()), []int{axis}, []int{0}, flat, []int{1}, []int{0})
	return Reshape(sum, append([]int{dims[0], c.Shape().Dimensions[3-axis]}, dims[2:]...)...)
}

// combined returns Σ_k weights_k parts_k, with weights [batch, rows] and parts [batch, rows or 1, ...].
func combined(weights, parts []*Node) (sum *Node) {
	for k, part := range parts {
		term := Mul(leading(weights[k], part), part)
		if sum == nil {
			sum = term
		} else {
			sum = Add(sum, term)
		}
	}
	return sum
}

// along returns the slices of x along an axis.
func along(x *Node, axis int) (slices []*Node) {
	for k := range x.Shape().Dimensions[axis] {
		specs := make([]SliceAxisSpec, axis+1)
		for i := range axis {
			specs[i] = AxisRange()
		}
		specs[axis] = AxisElem(k)
		slices = append(slices, Squeeze(Slice(x, specs...), axis))
	}
	return slices
}

// buildPull builds the transpose of save: (coefficients [batch, rows, s], indices [batch, rows] of the rows among batch
// × saves, cotangent of all saves [batch, saves, ...], sum so far [batch, s, ...]) -> new sum. The s parts are z and
// the stages that a step evaluates, k_1 .. k_(s-1).
func buildPull(in []*Node) []*Node {
	coefficients, indices, cotangent, sum := in[0], in[1], in[2], in[3]
	dims := cotangent.Shape().Dimensions
	flat := Reshape(cotangent, append([]int{dims[0] * dims[1]}, dims[2:]...)...)
	saves := bySmallChunk(Gather(flat, ExpandAxes(indices, -1))) // [batch, smallChunk, ...]
	for i, c := range bySmallChunk(coefficients) {
		sum = Add(sum, contract(c, saves[i], 1))
	}
	return []*Node{sum}
}

// buildGather assembles states sample by sample. Each state has one input tensor [batch, ...] per sample, and takes the
// sample's own row from it.
func buildGather(in []*Node) (together []*Node) {
	batch := in[0].Shape().Dimensions[0]
	for ; len(in) > 0; in = in[batch:] {
		parts := make([]*Node, batch)
		for b := range parts {
			parts[b] = Slice(in[b], AxisRange(b, b+1))
		}
		together = append(together, Concatenate(parts, 0))
	}
	return together
}

// buildPullback builds the vector-Jacobian product of a step: (t, side of t, end, side of the end, z, cotangent of z
// new, cotangents of (z, k_1 .. k_(s-1)) [batch, s, ...], args..., sums so far...) -> (cotangent of z, new sums). The
// sums are cotangents of the differentiable args.
func (s *Solver) buildPullback(in []*Node) []*Node {
	t, from, end, to, z, cotangent, parts := in[0], in[1], in[2], in[3], in[4], in[5], in[6]
	args, sums, wrt := s.splitSums(in[7:])
	n := s.method.stages()
	ks := s.evaluate(t, end, to, z, s.field(t, from, z, args), n-1, args)
	next := Add(z, Mul(leading(Sub(end, t), z), weighted(s.method.A[n-1], ks)))
	objective := ReduceAllSum(Mul(cotangent, next))
	stacked := Stack(append([]*Node{z}, ks...), 1)
	objective = Add(objective, ReduceAllSum(Mul(parts, stacked)))
	return gradients(objective, z, args, sums, wrt)
}

// buildSlopePullback builds the vector-Jacobian product of the slope at the end of a step, if the next step has
// another: (t, side, z, cotangents of (z, the slope, ..) [batch, s, ...], cotangent of z so far, args..., sums so
// far...) -> (cotangent of z, new sums).
func (s *Solver) buildSlopePullback(in []*Node) []*Node {
	t, side, z, parts, cotangent := in[0], in[1], in[2], in[3], in[4]
	args, sums, wrt := s.splitSums(in[5:])
	wanted := Squeeze(Slice(parts, AxisRange(), AxisElem(1)), 1)
	pulled := gradients(ReduceAllSum(Mul(wanted, s.field(t, side, z, args))), z, args, sums, wrt)
	pulled[0] = Add(cotangent, pulled[0])
	return pulled
}

// splitSums separates args from the cotangent sums that follow them. There is one sum per differentiated arg, which
// determines the split.
func (s *Solver) splitSums(in []*Node) (args, sums []*Node, wrt []int) {
	count := 0
	for ; count+len(wrt) < len(in); count++ {
		wrt = differentiated(s, in[:count+1])
	}
	return in[:count], in[count:], wrt
}

// gradients differentiates with respect to z and the differentiable args, and adds the results to the args' sums.
func gradients(objective, z *Node, args, sums []*Node, wrt []int) []*Node {
	sources := []*Node{z}
	for _, i := range wrt {
		sources = append(sources, args[i])
	}
	gradients := Gradient(objective, sources...)
	for i, sum := range sums {
		gradients[1+i] = Add(sum, gradients[1+i])
	}
	return gradients
}

// withinSample returns all axes of a state except the batch axis.
func withinSample(z *Node) (axes []int) {
	for axis := 1; axis < z.Rank(); axis++ {
		axes = append(axes, axis)
	}
	return axes
}

// inFloat32 widens half precision, whose squares overflow early.
func inFloat32(x *Node) *Node {
	if x.DType().Size() < dtypes.Float32.Size() {
		return ConvertDType(x, dtypes.Float32)
	}
	return x
}
