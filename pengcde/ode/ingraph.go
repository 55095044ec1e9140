package ode

import (
	"cmp"
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// InGraph solves with constant steps inside a GoMLX graph, so that a solve can be part of any GoMLX model. The states
// are nodes. [github.com/gomlx/gomlx/core/graph.Gradient] differentiates them with respect to z0 and args, exactly, as
// [Solution.Pullback] does. Start with [InGraph.End].
//
// The steps are unrolled, since GoMLX 0.28 has no gradient of a loop (While) inside a graph. The size of the graph
// grows with the number of steps times the stages of the method. XLA on a CPU compiles long chains of elementwise
// operations in more than proportional time: on two cores the gradient of a scalar equation over 10 steps of Tsit5
// compiled in 2 to 7 s, over 20 steps in 14 s to more than a minute. For many steps, or for adaptive steps, use
// [Solver], which compiles only one step.
//
// The graph has no checks at run time: a state that overflows goes on as NaN. All samples of the batch share their
// times. There are no step-to times: where the field jumps, the step that ends there and the step that begins there see
// the same limit, and the error falls only linearly with the step. [Solver] keeps the order, see [Problem].
type InGraph struct {
	// Method is the Runge-Kutta method; nil means [Tsit5].
	Method *Method
	// Steps is the number of steps from the first time to the last, 1 to 10,000. They end at the same times as the
	// steps of [Constant].
	Steps int
	// Recompute rematerialises: the forward pass keeps only the state at every Recompute-th step, and the backward pass
	// computes the steps in between again. This costs about one more evaluation for each evaluation of the forward
	// pass. 1 needs the least memory unless states are wide and stages cheap. 0 recomputes nothing: memory then holds
	// all evaluations of all steps.
	//
	// Values that a custom gradient of the field holds on to (see graph.IdentityWithCustomGradient) are not recomputed.
	//
	// T. Chen, B. Xu, C. Zhang, C. Guestrin, Training deep nets with sublinear memory cost (2016), arXiv:1604.06174.
	Recompute int
}

// End returns the state at t1, with the shape [batch, ...] of z0, the state at t0. Like all functions that build
// graphs, it panics on bad input, with an error that wraps [ErrInput].
func (g InGraph) End(field Field, z0 *Node, t0, t1 float64, args ...*Node) *Node {
	return g.states(field, z0, []float64{t0, t1}, args)[1]
}

// Solve returns the states at the save times, [batch, saves, ...]. The first time is t0, where the state is z0 [batch,
// ...], and the last is t1. Times must be monotone. States inside steps come from the method's continuous extension.
// Solve panics as [InGraph.End] does.
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

// maxUnrolled bounds the steps in one graph. A graph takes about a KiB for each of the few hundred operations of a
// stage.
const maxUnrolled = 10_000

// ends checks the input and returns the end times of the steps.
func (g InGraph) ends(field Field, z0 *Node, times []float64) ([]float64, error) {
	if field == nil || z0 == nil || z0.Rank() < 2 || !z0.DType().IsFloat() || z0.Shape().Size() == 0 {
		return nil, errs.New(ErrInput, "pengcde/ode: InGraph needs a field and an initial state of floats [batch, ...] "+
			"without an empty axis")
	}
	if g.Steps < 1 || g.Steps > maxUnrolled || g.Recompute < 0 {
		return nil, errs.New(ErrInput, "pengcde/ode: InGraph has Steps %d and Recompute %d, want 1 to %d steps and 0 or "+
			"more; for more steps use Solver, which compiles one alone", g.Steps, g.Recompute, maxUnrolled)
	}
	if err := cmp.Or(g.Method, Tsit5).Check(false); err != nil {
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

// unrolled is the state of a solve while its graph is built.
//
// With Recompute, each block of steps begins with a checkpoint of the state, and values that leave a block are kept.
// Times are checkpoints too, so that a control that depends only on time is recomputed as well. GoMLX recomputes a
// block when the first cotangent arrives at one of its nodes, the last node built first. The state at the end of a step
// is therefore built after the states inside the step, whose cotangents arrive early.
type unrolled struct {
	solver    *Solver
	recompute int
	args      []*Node
	z         *Node // at the end of the last step

	times   []float64
	states  []*Node // at times, for the times reached so far
	next    int     // index of the next time to reach
	waiting []waiting
}

// waiting is a state inside a step that lacks the term of the slope at the step's end. The next step evaluates this
// slope.
type waiting struct {
	index  int
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
		u.states[w.index] = Add(u.states[w.index], MulScalar(slope, w.weight))
	}
	u.waiting = nil
}

// block begins a block of steps.
func (u *unrolled) block() {
	if u.recompute > 0 {
		u.z = u.z.Checkpoint()
	}
}

// keep marks a node that leaves a block.
func (u *unrolled) keep(x *Node) *Node {
	if u.recompute == 0 {
		return x
	}
	return x.StopCheckpoint()
}

// clock returns a time as a node [batch] float64.
func (u *unrolled) clock(t float64) *Node {
	time := BroadcastToDims(Scalar(u.z.Graph(), dtypes.Float64, t), u.z.Shape().Dimensions[0])
	if u.recompute == 0 {
		return time
	}
	return time.Checkpoint()
}
