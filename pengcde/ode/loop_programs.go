package ode

import (
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla"
)

// loopTry is what a loop records of a try of each sample: its end and error norm, and afterwards the sample's time and
// the state of its control ([rk.State]). accepted is 1 if the try was accepted, else 0. stopped is 1 if the host must
// take the try; the sample then has end = t. T is a float64 on the host and a node [batch] in a graph.
type loopTry[T any] struct{ end, norm, t, next, before, before2, accepted, stopped T }

func (a *loopTry[T]) rows() []*T {
	return []*T{&a.end, &a.norm, &a.t, &a.next, &a.before, &a.before2, &a.accepted, &a.stopped}
}

// loopSettings are the settings of the control of each sample, which a loop does not change. toward is 1 forward in
// time and -1 backward; times closer than near count as equal; the control ends at the last time if less than slack
// would be left. A sample goes on while active is 1, and accepts every finite step if always is 1. A next step is
// safety E_n^p E_{n-1}^p2 E_{n-2}^p3 times as long.
type loopSettings[T any] struct {
	end, toward, near, slack, active, always              T
	rtol, atol, safety, shrink, grow, min, max, p, p2, p3 T
}

func (s *loopSettings[T]) rows() []*T {
	return []*T{&s.end, &s.toward, &s.near, &s.slack, &s.active, &s.always, &s.rtol, &s.atol, &s.safety, &s.shrink,
		&s.grow, &s.min, &s.max, &s.p, &s.p2, &s.p3}
}

// unpack sets the rows of a struct from x [rows, batch].
func unpack(x *Node, rows []*(*Node)) {
	for i, row := range rows {
		*row = Squeeze(Slice(x, AxisElem(i)), 0)
	}
}

// pack is the reverse of unpack.
func pack(rows []*(*Node)) *Node {
	nodes := make([]*Node, len(rows))
	for i, row := range rows {
		nodes[i] = *row
	}
	return Stack(nodes, 0)
}

// packed returns the rows of all samples as [rows, batch] on the host.
func packed(samples [][]*float64) [][]float64 {
	x := make([][]float64, len(samples[0]))
	for row := range x {
		for _, sample := range samples {
			x[row] = append(x[row], *sample[row])
		}
	}
	return x
}

// buildLoop builds one try of a loop of steps: (go on, tries so far, log [1+capacity, rows, batch], z, k_1, parts
// [capacity, batch, 1+s, ...], most tries, settings [rows, batch], stops [batch, stops], args...) -> the first six. The
// control is the one of [rk.Adaptive], see [PID]. The log begins with the start; parts holds z and k_1 .. k_s of each
// try, and anything for tries not yet made.
//
// A sample stops if its step would be too short, or is not finite and of a control that accepts every finite step. The
// host takes this try again and decides; the other samples go on.
func (s *Solver) buildLoop(in []*Node) []*Node {
	tries, log, z, slope, parts, most, stops, args := in[1], in[2], in[3], in[4], in[5], in[6], in[8], in[9:]
	var now loopTry[*Node]
	var set loopSettings[*Node]
	unpack(at(log, tries), now.rows())
	unpack(in[7], set.rows())
	one, zero := OnesLike(now.t), ZerosLike(now.t)
	is := func(x *Node) *Node { return GreaterThan(x, zero) }
	toward := func(from, to *Node) *Node { return Mul(set.toward, Sub(to, from)) }

	active := LogicalAnd(LogicalAnd(is(set.active), LogicalNot(is(now.stopped))), NotEqual(now.t, set.end))
	accepted := is(now.accepted)
	ulps := MulScalar(Abs(now.t), 4*0x1p-52) // at least the shortest step of [rk.Adaptive]
	proposed := Add(now.t, Mul(set.toward, now.next))
	end := Where(GreaterOrEqual(toward(proposed, set.end), set.slack), proposed,
		Where(accepted, set.end, Add(now.t, MulScalar(Sub(set.end, now.t), 0.5))))
	short := LogicalOr(LessOrEqual(now.next, ulps), LogicalAnd(LogicalNot(accepted), LessOrEqual(now.next, set.min)))

	ahead := Mul(ExpandAxes(set.toward, -1), stops)
	far := MulScalar(OnesLike(stops), math.Inf(1))
	stop := Mul(set.toward, ReduceMin(Where(GreaterThan(ahead, ExpandAxes(Mul(set.toward, now.t), -1)), ahead, far), 1))
	left := toward(end, stop)
	cut := LogicalOr(LessThan(left, zero), LogicalAnd(LogicalAnd(accepted, LessThan(left, set.near)),
		NotEqual(end, now.t)))
	end = Where(active, Where(cut, stop, end), now.t)

	out := s.buildStep(append([]*Node{now.t, end, zero, z, slope, set.rtol, set.atol}, args...))
	next, norm, ks := out[0], out[1], out[2:]

	bounded := IsFinite(norm)
	good := LogicalAnd(LogicalNot(short), LogicalOr(bounded, LogicalNot(is(set.always))))
	tried := LogicalAnd(active, good)
	taken := LogicalAnd(tried, LogicalAnd(bounded, LogicalOr(LessThan(norm, one), is(set.always))))
	stopped := LogicalOr(is(now.stopped), LogicalAnd(active, LogicalNot(good)))

	low, high := Where(taken, one, set.shrink), Where(taken, set.grow, set.safety)
	some := GreaterThan(norm, zero)
	size := func(norm *Node) *Node { return Where(LogicalAnd(GreaterThan(norm, zero), IsFinite(norm)), norm, one) }
	factor := Mul(Mul(Mul(set.safety, Pow(size(norm), set.p)), Pow(size(now.before), set.p2)),
		Pow(size(now.before2), set.p3))
	factor = Where(bounded, Where(some, Min(Max(factor, low), high), high), low)
	length := Mul(Abs(Sub(end, now.t)), factor)
	cut = LogicalAnd(taken, GreaterThan(toward(end, proposed), zero))
	length = Min(Where(cut, Max(length, now.next), length), set.max)
	counts := LogicalAnd(LogicalAnd(taken, LogicalNot(cut)), some)
	number := func(x *Node) *Node { return ConvertDType(x, now.t.DType()) }
	then := loopTry[*Node]{
		end: Where(tried, end, now.t), norm: norm, stopped: number(stopped),
		t: Where(taken, end, now.t), next: Where(tried, length, now.next),
		before: Where(counts, norm, now.before), before2: Where(counts, now.before, now.before2),
		accepted: Where(tried, number(taken), now.accepted),
	}
	keep := func(next, z *Node) *Node {
		rows := taken
		for rows.Rank() < z.Rank() {
			rows = ExpandAxes(rows, -1)
		}
		return Where(BroadcastToDims(rows, z.Shape().Dimensions...), next, z)
	}
	after := AddScalar(tries, 1)
	goesOn := LogicalAnd(LogicalAnd(is(set.active), LogicalNot(stopped)), NotEqual(then.t, set.end))
	return []*Node{LogicalAnd(LessThan(after, most), ReduceLogicalOr(goesOn)), after, put(log, pack(then.rows()), after),
		keep(next, z), keep(ks[len(ks)-1], slope), put(parts, Stack(append([]*Node{z, slope}, ks...), 1), tries)}
}

// put sets x[i] = y.
func put(x, y, i *Node) *Node {
	y = ExpandAxes(y, 0)
	if !x.Graph().Backend().Capabilities().Operations[compute.OpTypeDynamicUpdateSlice] { // pure Go
		here := Equal(Iota(x.Graph(), shapes.Make(i.DType(), x.Shape().Dimensions...), 0), i)
		return Where(here, BroadcastToDims(y, x.Shape().Dimensions...), x)
	}
	indices := []*Node{i}
	for len(indices) < x.Rank() {
		indices = append(indices, ZerosLike(i))
	}
	return DynamicUpdateSlice(x, y, indices)
}

// at returns x[i].
func at(x, i *Node) *Node { return Gather(x, ExpandAxes(i, 0)) }

// rowsAt returns rows of x [capacity, batch, ...] by their try, [batch, rows] -> [batch, rows, ...].
func rowsAt(x, tries *Node) *Node {
	dims := x.Shape().Dimensions
	sample := Iota(x.Graph(), shapes.Make(dtypes.Int32, tries.Shape().Dimensions...), 0)
	flat := Reshape(x, append([]int{dims[0] * dims[1]}, dims[2:]...)...)
	return Gather(flat, ExpandAxes(Add(MulScalar(tries, dims[1]), sample), -1))
}

// buildLoopSave builds the states inside steps of a loop: (tries [batch, rows], coefficients [batch, rows, 1+s], parts)
// -> [batch, rows, ...].
func buildLoopSave(in []*Node) []*Node {
	tries, parts := in[0], in[2]
	if xla.HasKernels(parts) {
		return []*Node{combinedSaves(tries, in[1], parts)}
	}
	var rows []*Node
	for _, part := range along(parts, 2) {
		rows = append(rows, rowsAt(part, tries))
	}
	return []*Node{combined(along(in[1], 2), rows)}
}

// combinedSaves is [buildLoopSave] by a kernel.
func combinedSaves(tries, coefficients, parts *Node) *Node {
	dims, each := parts.Shape().Dimensions, coefficients.Shape().Dimensions
	shape := shapes.Make(tries.DType(), each...)
	g := parts.Graph()
	indices := Add(MulScalar(BroadcastToDims(ExpandAxes(tries, -1), each...), dims[1]*dims[2]),
		Add(MulScalar(Iota(g, shape, 0), dims[2]), Iota(g, shape, 2)))
	rows := Reshape(parts, append([]int{dims[0] * dims[1] * dims[2]}, dims[3:]...)...)
	saves := combinedRows(Reshape(coefficients, -1, dims[2]), Reshape(indices, -1, dims[2]), rows)
	return Reshape(saves, append([]int{each[0], each[1]}, dims[3:]...)...)
}

// pulledParts sums the cotangents of saves x [batch × saves, ...] at indices [batch, rows] with coefficients [batch,
// rows, s] to the cotangents of the parts [batch, s, ...].
func pulledParts(coefficients, indices, x *Node) *Node {
	if !xla.HasKernels(x) {
		return contract(coefficients, Gather(x, ExpandAxes(indices, -1)), 1)
	}
	dims := coefficients.Shape().Dimensions
	weights := Reshape(Transpose(coefficients, 1, 2), -1, dims[1]) // [batch × s, rows]
	repeated := Reshape(BroadcastToDims(ExpandAxes(indices, 1), dims[0], dims[2], dims[1]), -1, dims[1])
	return Reshape(combinedRows(weights, repeated, x), append([]int{dims[0], dims[2]}, x.Shape().Dimensions[1:]...)...)
}

// buildLoopBlank builds the parts that a first loop of steps fills: (z, capacity of the loop as the length of a vector)
// -> parts of zeros.
func (s *Solver) buildLoopBlank(in []*Node) []*Node {
	dims, capacity := in[0].Shape().Dimensions, in[1].Shape().Dimensions[0]
	shape := append([]int{capacity, dims[0], 1 + s.method.stages()}, dims[1:]...)
	return []*Node{Zeros(in[0].Graph(), shapes.Make(in[0].DType(), shape...))}
}

// buildLoopStates builds the states at the starts of a loop's first tries: (parts, their number as the length of a
// vector) -> [tries, batch, ...].
func buildLoopStates(in []*Node) []*Node {
	tries := in[1].Shape().Dimensions[0]
	return []*Node{Squeeze(Slice(in[0], AxisRange(0, tries), AxisRange(), AxisElem(0)), 2)}
}

// buildLoopRow builds the state of the batch at the start of a try: (states, try) -> [batch, ...].
func buildLoopRow(in []*Node) []*Node { return []*Node{at(in[0], in[1])} }

// buildLoopStarts builds the states in which the samples start the rounds of a piece: (states, tries [rounds, batch],
// others [rounds, batch, ...] or [batch, ...] for all rounds) -> [rounds, batch, ...]. A try below 0 takes the other
// state.
func buildLoopStarts(in []*Node) []*Node {
	states, tries, others := in[0], Transpose(in[1], 0, 1), in[2]
	inside := GreaterOrEqual(tries, ZerosLike(tries))
	rows := rowsAt(states, Max(tries, ZerosLike(tries))) // [batch, rounds, ...]
	swap := []int{1, 0}
	for len(swap) < rows.Rank() {
		inside, swap = ExpandAxes(inside, -1), append(swap, len(swap))
	}
	if others.Rank() < rows.Rank() {
		others = ExpandAxes(others, 1)
	} else {
		others = TransposeAllAxes(others, swap...)
	}
	dims := rows.Shape().Dimensions
	from := Where(BroadcastToDims(inside, dims...), rows, BroadcastToDims(others, dims...))
	return []*Node{TransposeAllAxes(from, swap...)}
}

// buildLoopPullback builds the vector-Jacobian product of one round of a loop, the last one left: (go on, rounds left,
// cotangent of z at its end, sums so far..., starts [rounds, batch, ...], spans [rounds, 4, batch], coefficients
// [rounds, batch, rows, s], indices [rounds, batch, rows] among the saves, cotangents of the saves [batch, saves, ...],
// args...) -> (go on, rounds left, cotangent of z at its start, new sums...).
func (s *Solver) buildLoopPullback(in []*Node) []*Node {
	const fixed = 5 // inputs between sums and args
	// There is a sum for each differentiated arg. With one sum more, one input fewer is an arg, so only one number fits.
	sums := 0
	for len(differentiated(s, in[3+sums+fixed:])) != sums {
		sums++
	}
	rest, args := in[3+sums:], in[3+sums+fixed:]
	left := Sub(in[1], OnesLike(in[1]))
	starts, span, coefficients, indices, cotangents := at(rest[0], left), at(rest[1], left), at(rest[2], left),
		at(rest[3], left), rest[4]
	row := func(i int) *Node { return Squeeze(Slice(span, AxisElem(i)), 0) }
	dims := cotangents.Shape().Dimensions
	flat := Reshape(cotangents, append([]int{dims[0] * dims[1]}, dims[2:]...)...)
	parts := pulledParts(coefficients, indices, flat)
	inputs := append([]*Node{row(0), row(1), row(2), row(3), starts, in[2], parts}, args...)
	pulled := s.buildPullback(append(inputs, in[3:3+sums]...))
	return append([]*Node{GreaterThan(left, ZerosLike(left)), left}, pulled...)
}
