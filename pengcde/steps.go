package pengcde

import (
	"context"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Steps describes the solver steps of one sample.
type Steps struct {
	// Ends are the end times of accepted steps, from 0 at the first input; StepTo are the times that steps had to end
	// on. With a Rectilinear path both are positions on its axis, see [field.Axis].
	Ends, StepTo []float64
	ode.Stats
}

// Steps solves windows with the current parameters, as [Model.PredictAll] does, and returns the solver steps instead of
// forecasts. They show how stiff a trained field is, and provide the number of steps for [Model.Plan].
func (m *Model) Steps(ctx context.Context, windows []dyngraph.Window) ([]Steps, error) {
	var steps []Steps
	err := m.solved(ctx, m.params, windows, forLoss, func(solved *batch, solution *ode.Solution) error {
		for b, stops := range solved.stops {
			steps = append(steps, Steps{Ends: solution.StepTimes(b)[1:], StepTo: stops, Stats: solution.Stats[b]})
		}
		return nil
	})
	return steps, err
}

// Stiffness solves windows with the current parameters and returns for each how close its steps came to the stability
// limit of the solver, see [ode.Stiffness]. Near the limit gradients may explode while forecasts stay within the
// tolerance.
func (m *Model) Stiffness(ctx context.Context, windows []dyngraph.Window) ([]ode.Stiffness, error) {
	return m.stiffness(ctx, m.params, windows)
}

func (m *Model) stiffness(ctx context.Context, params []*tensors.Tensor,
	windows []dyngraph.Window) (found []ode.Stiffness, err error) {
	err = m.solved(ctx, params, windows, forGradient, func(_ *batch, solution *ode.Solution) (err error) {
		found, err = solution.Stiffness(ctx)
		return err
	})
	return found, err
}

// solved solves windows as one batch with the model's equation, and passes the solution to use.
func (m *Model) solved(ctx context.Context, params []*tensors.Tensor, windows []dyngraph.Window, why purpose,
	use func(*batch, *ode.Solution) error) error {
	if len(windows) == 0 {
		return invalid("steps of no windows, want at least one")
	}
	e := equationOf(m.network)
	if e == nil {
		return invalid("steps of a solver, but the model has a network in discrete steps")
	}
	if params == nil {
		return ErrClosed
	}
	samples, valid := make([]sample, len(windows)), validated{}
	for b, w := range windows {
		var err error
		if samples[b], err = m.sample(w, false, valid); err != nil {
			return err
		}
		samples[b].times = samples[b].paths.Knots
	}
	batch, err := newBatch(m.backend, m.computing(), samples)
	if err != nil {
		return err
	}
	defer batch.free()
	solution, err := e.solve(ctx, params, batch, why)
	if err != nil {
		return train.Unsolved(err)
	}
	defer solution.Close()
	if err := use(batch, solution); err != nil {
		return errs.In("pengcde", train.Unsolved(err))
	}
	return nil
}
