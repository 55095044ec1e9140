package ode

import (
	"cmp"
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// InGraph solves with constant steps inside a GoMLX graph that is being built, so that a solve can be a part of any
// GoMLX model: the states are nodes that [github.com/gomlx/gomlx/core/graph.Gradient] differentiates with respect to z0
// and args, exactly, as [Solution.Pullback] does. Start with [InGraph.End].
//
// The steps are unrolled, since GoMLX 0.28 has no gradient of a loop (While) inside a graph. So the graph, and the time
// to compile it, grow with the number of steps times the stages of the method. For many steps, or steps whose size
// adapts, [Solver] compiles one step alone.
//
// Nothing is checked while the graph runs: a state that leaves the finite numbers goes on as NaN. All samples of the
// batch share their times. Nor are there step-to times: where the field jumps, a step that ends there and one that
// begins see the same limit, and the error falls as the step; [Solver] keeps the order, see [Problem].
type InGraph struct {
	// Method is the Runge-Kutta method; nil means [Tsit5].
	Method *Method
	// Steps is the number of steps from the first time to the last, 1 to 10,000. They end where the steps of [Constant]
	// end.
	Steps int
	// Recompute rematerialises: the forward pass keeps the state at every Recompute-th step alone, and the backward
	// pass computes the steps between again, for about one more evaluation for each of the forward pass. 1 needs least
	// memory unless states are wide and stages cheap. 0 recomputes nothing: memory then holds all evaluations of all
	// steps.
	//
	// What a field's own custom gradient holds on to (see graph.IdentityWithCustomGradient) is not recomputed.
	//
	// T. Chen, B. Xu, C. Zhang, C. Guestrin, Training deep nets with sublinear memory cost (2016), arXiv:1604.06174.
	Recompute int
}

// End returns the state at t1, [batch, ...] as z0, the state at t0. Like all functions that build graphs it panics on
// bad input, with an error that wraps [ErrInput].
func (g InGraph) End(field Field, z0 *Node, t0, t1 float64, args ...*Node) *Node {
	return g.states(field, z0, []float64{t0, t1}, args)[1]
}

// Solve returns the states at the save times, [batch, saves, ...]: the first time is t0, where the state is z0 [batch,
// ...], the last t1, and they never turn back. States inside steps come from the method's continuous extension. It
// panics as [InGraph.End] does.
func (g InGraph) Solve(field Field, z0 *Node, times []float64, args ...*Node) *Node {
	return Stack(g.states(field, z0, times, args), 1)
}

func (g InGraph) states(field Field, z0 *Node, times []float64, args []*Node) []*Node {
	ends, err := g.ends(field, z0, times)
	if err != nil {
		panic(err)
	}
	u := &unrolled{solver: &Solver{field: checked(field.piecewise()), method: cmp.Or(g.Method, Tsit5)},
		recompute: g.Recompute, args: args, z: z0, times: times, states: make([]*Node, len(times))}
	for u.next < len(times) && times[u.next] == times[0] {
		u.states[u.next] = z0
		u.next++
	}
	t := times[0]
	for k, end := range ends {
		u.step(k, t, end)
		t = end
	}
	if len(u.waiting) > 0 {
		u.block()
		u.finish(u.solver.field(u.clock(t), nil, u.z, args))
	}
	for i, state := range u.states {
		u.states[i] = u.keep(state)
	}
	return u.states
}

// maxUnrolled bounds the steps in one graph, which takes about a KiB for each of the some hundred operations of a
// stage.
const maxUnrolled = 10_000

// ends checks the input and returns the ends of the steps.
func (g InGraph) ends(field Field, z0 *Node, times []float64) ([]float64, error) {
	if field == nil || z0 == nil || z0.Rank() < 2 || !z0.DType().IsFloat() || z0.Shape().Size() == 0 {
		return nil, errs.New(ErrInput, "pengcde/ode: InGraph needs a field and an initial state of floats [batch, ...] "+
			"without an empty axis")
	}
	if g.Steps < 1 || g.Steps > maxUnrolled || g.Recompute < 0 {
		return nil, errs.New(ErrInput, "pengcde/ode: InGraph has Steps %d and Recompute %d, want 1 to %d steps and 0 or "+
			"more; for more steps use Solver, which compiles one alone", g.Steps, g.Recompute, maxUnrolled)
	}
	if err := cmp.Or(g.Method, Tsit5).check(false); err != nil {
		return nil, err
	}
	one := Problem{Z0: tensors.FromValue([][]float64{{0}}), Times: [][]float64{times}} // the times of one sample
	if _, err := checkTimes(one); err != nil {
		return nil, err
	}
	t0, t1 := times[0], times[len(times)-1]
	if t0 == t1 {
		return nil, nil
	}
	steps, err := Constant{Step: math.Abs(t1-t0) / float64(g.Steps)}.Steps(0, 0, t0, t1)
	if err != nil {
		return nil, err
	}
	return steps.(*given).ends, nil
}

// unrolled is a solve while its graph is built.
//
// With recompute, blocks of steps begin with a checkpoint of the state, and what leaves a block is kept. Times are
// checkpoints too, for a control that depends on them alone is to be recomputed as well. GoMLX recomputes a block when
// the first cotangent arrives at a node of it, the last built first: so the state at a step's end is built after those
// inside it, whose cotangents are there early.
type unrolled struct {
	solver    *Solver
	recompute int
	args      []*Node
	z         *Node // at the end of the last step

	times   []float64
	states  []*Node // at times, as far as they are reached
	next    int     // of the times to reach
	waiting []waiting
}

// waiting is a state inside a step that lacks its term of the slope at the step's end, which the next step evaluates.
type waiting struct {
	place  int
	weight float64
}

func (u *unrolled) step(k int, t, end float64) {
	if u.recompute > 0 && k%u.recompute == 0 {
		u.block()
	}
	s, now, then := u.solver, u.clock(t), u.clock(end)
	n := s.method.stages()
	first := s.field(now, nil, u.z, u.args)
	u.finish(first)
	ks := s.evaluate(now, then, nil, u.z, first, n-1, u.args)
	for ; u.next < len(u.times) && u.times[u.next] != end && within(u.times[u.next], t, end); u.next++ {
		weights := s.method.inside(t, end, u.times[u.next])
		u.states[u.next] = u.keep(Add(u.z, weighted(weights[1:n], ks)))
		if last := weights[n]; last != 0 {
			u.waiting = append(u.waiting, waiting{u.next, last})
		}
	}
	u.z = Add(u.z, Mul(leading(Sub(then, now), u.z), weighted(s.method.A[n-1], ks)))
	for ; u.next < len(u.times) && u.times[u.next] == end; u.next++ {
		u.states[u.next] = u.z
	}
}

// finish completes the states that wait for the slope at the end of the last step.
func (u *unrolled) finish(slope *Node) {
	for _, w := range u.waiting {
		u.states[w.place] = Add(u.states[w.place], MulScalar(slope, w.weight))
	}
	u.waiting = nil
}

// block begins a block of steps.
func (u *unrolled) block() {
	if u.recompute > 0 {
		u.z = u.z.Checkpoint()
	}
}

// keep marks what leaves a block.
func (u *unrolled) keep(x *Node) *Node {
	if u.recompute == 0 {
		return x
	}
	return x.StopCheckpoint()
}

// clock is a time as [batch] float64.
func (u *unrolled) clock(t float64) *Node {
	time := BroadcastToDims(Scalar(u.z.Graph(), dtypes.Float64, t), u.z.Shape().Dimensions[0])
	if u.recompute == 0 {
		return time
	}
	return time.Checkpoint()
}
