package pengcde

import (
	"context"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// Steps are those of one sample's solve.
type Steps struct {
	// Ends are the times, from the first input's 0, at which accepted steps end; StepTo those that steps had to end on.
	// With a Rectilinear path they are places on its axis, see [field.Axis].
	Ends, StepTo []float64
	ode.Stats
}

// Steps solves windows with the present parameters, as [Model.PredictAll] does, and returns the steps in place of
// forecasts. They say how stiff a trained field is, and give [Model.Plan] its number of steps.
func (m *Model) Steps(ctx context.Context, windows []dyngraph.Window) ([]Steps, error) {
	if len(windows) == 0 {
		return nil, invalid("steps of no windows, want at least one")
	}
	e := equationOf(m.network)
	if e == nil {
		return nil, invalid("steps of a solver, but the model has a network in discrete steps")
	}
	samples := make([]sample, len(windows))
	for b, w := range windows {
		var err error
		if samples[b], err = m.sample(w); err != nil {
			return nil, err
		}
		samples[b].times = samples[b].paths.Knots
	}
	batch, err := newBatch(m.backend, m.computing(), samples)
	if err != nil {
		return nil, err
	}
	defer batch.free()
	solution, err := e.solve(ctx, m.params, batch, false)
	if err != nil {
		return nil, notFinite(err)
	}
	defer solution.Close()
	steps := make([]Steps, len(windows))
	for b, s := range samples {
		steps[b] = Steps{Ends: solution.StepTimes(b)[1:], StepTo: s.stops, Stats: solution.Stats[b]}
	}
	return steps, nil
}
