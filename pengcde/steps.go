package pengcde

import (
	"context"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// Steps are those of one sample's solve.
type Steps struct {
	// Ends are the times, from the first snapshot's 0, at which accepted steps end; StepTo those that steps had to end
	// on.
	Ends, StepTo []float64
	ode.Stats
}

// Steps solves series with the present parameters, as [Model.Trajectories] does, and returns the steps in place of
// forecasts. They say how stiff a trained field is, and give [Model.Plan] its number of steps.
func (m *Model) Steps(ctx context.Context, series []*dyngraph.Series) ([]Steps, error) {
	examples := make([]example, len(series))
	for b, s := range series {
		var err error
		if examples[b], err = m.trajectory(s); err != nil {
			return nil, err
		}
		examples[b].times = examples[b].sample.Knots
	}
	if len(examples) == 0 {
		return nil, invalid("steps of no series, want at least one")
	}
	batch, err := newBatch(m.backend, m.config, examples)
	if err != nil {
		return nil, err
	}
	defer batch.free()
	solution, err := m.network.solve(ctx, m.params, batch, false)
	if err != nil {
		return nil, notFinite(err)
	}
	defer solution.Close()
	steps := make([]Steps, len(series))
	for b, e := range examples {
		steps[b] = Steps{Ends: solution.StepTimes(b)[1:], StepTo: e.stops, Stats: solution.Stats[b]}
	}
	return steps, nil
}
