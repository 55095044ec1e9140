package ode

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/xla"
)

// Stiffness measures how near a solve came to the stability limit of its method. A step of length h multiplies the
// component along an eigenvector with eigenvalue λ by a polynomial of hλ, which grows without bound, while the
// solution's factor exp(hλ) vanishes for negative λ. The stability limit on the negative axis is 3.5 for [Tsit5], 3.3
// for [Dopri5] and 2 for [Euler].
type Stiffness struct {
	// Product is the largest h |λ| over the steps, where λ is the eigenvalue of largest size of the field's Jacobian
	// ∂f/∂z at the start of the step. It is 0 if no step was taken.
	Product float64
	// T, Step and Eigenvalue are the start of this step, its length, and |λ| there.
	T, Step, Eigenvalue float64
}

// powerIterations is the number of iterations per step. The growth is averaged over the last powerAverage iterations,
// an even number, since the growth alternates if the largest eigenvalues are a complex pair.
const powerIterations, powerAverage = 20, 10

// Stiffness estimates the stiffness of each sample by power iteration on the transpose of the Jacobian at the start of
// every accepted step: v ← Jᵀv / |Jᵀv|, where each iteration is a pullback of the field. v carries over from one step
// to the next. The cost is about three pullbacks of the solve; the first call compiles a program. Like
// [Solution.Pullback], Stiffness needs the states that the solve kept.
func (s *Solution) Stiffness(ctx context.Context) ([]Stiffness, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if s.history == nil {
		return nil, ErrNoTrail
	}
	if s.solver.closed {
		return nil, ErrClosed
	}
	if err := s.solver.checkArgs(s.args); err != nil {
		return nil, err
	}
	found := make([]Stiffness, len(s.taken))
	if most(s.taken) == 0 {
		return found, nil
	}
	r := &replay{Solution: s, ctx: ctx, ones: tensors.FromValue(slices.Repeat([]float64{1}, len(s.times)))}
	state := s.final.Shape()
	random := rand.New(rand.NewPCG(1, 2)) // any start will do
	entries := make([]float64, state.Size())
	for i := range entries {
		entries[i] = random.NormFloat64()
	}
	v := host.Tensor(state.DType, entries, state.Dimensions...)
	defer func() {
		r.scratch.Free()
		xla.Free(v, r.ones)
	}()
	for round := most(s.taken) - 1; round >= 0; round-- {
		at, z, err := r.start(round, pulls{step: make([][]pulled, len(s.taken))})
		if err != nil {
			return nil, stiffnessFailed(err)
		}
		var sizes []float64
		if v, sizes, err = r.power(at, z, v); err != nil {
			return nil, stiffnessFailed(err)
		}
		r.scratch.Free()
		for b, size := range sizes {
			if round >= len(s.taken[b]) {
				continue
			}
			step := math.Abs(at.end[b] - at.t[b])
			if !finite(size) {
				return nil, &Failure{Code: NotFinite, Sample: b, T: at.t[b], Step: step, Stats: s.Stats[b]}
			}
			if step*size > found[b].Product {
				found[b] = Stiffness{Product: step * size, T: at.t[b], Step: step, Eigenvalue: size}
			}
		}
	}
	return found, nil
}

func stiffnessFailed(err error) error {
	if errors.Is(err, Cancelled) {
		return err
	}
	return errs.In("pengcde/ode: stiffness", err)
}

// power iterates at one state from v, which it frees, and returns the next v and |λ| of each sample.
func (r *replay) power(at spans, z, v *tensors.Tensor) (next *tensors.Tensor, sizes []float64, err error) {
	sizes = make([]float64, len(at.t))
	for i := range powerIterations {
		if err := r.cancelled(); err != nil {
			return v, nil, err
		}
		out, err := call(r.solver.power, r.args, at.t, at.from, z, v)
		if err != nil {
			return v, nil, err
		}
		xla.Free(v)
		v = out[0]
		for b, growth := range host.Floats(out[1]) {
			if i >= powerIterations-powerAverage {
				sizes[b] += math.Log(growth) / powerAverage
			}
		}
		xla.Free(out[1])
	}
	for b := range sizes {
		sizes[b] = math.Exp(sizes[b])
	}
	return v, sizes, nil
}

// buildPower builds one iteration: (t, side, z, v, args...) -> (Jᵀv / |Jᵀv|, |Jᵀv| / |v| [batch]). If Jᵀv is 0, v is
// unchanged.
func (s *Solver) buildPower(in []*Node) []*Node {
	t, side, z, v, args := in[0], in[1], in[2], in[3], in[4:]
	axes := withinSample(z)
	size := func(x *Node) *Node { return Sqrt(ReduceSum(Square(inFloat32(x)), axes...)) }
	pulled := Gradient(ReduceAllSum(Mul(v, s.field(t, side, z, args))), z)[0]
	growth := size(pulled)
	by := BroadcastToDims(leading(growth, z), z.Shape().Dimensions...)
	next := Where(Equal(by, ZerosLike(by)), v, Div(pulled, by))
	return []*Node{next, ConvertDType(Div(growth, size(v)), t.DType())}
}
