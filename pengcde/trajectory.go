package pengcde

import (
	"context"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// FitTrajectories trains on whole series in place of windows: the state is solved from the first snapshot to the last, and
// the readout at every snapshot is compared with the targets there. The loss is the mean over series, snapshots and nodes.
// All else is as in [Model.Fit]; a batch holds config.BatchSize series, with equally many nodes and snapshots.
//
// Where the targets are what the features show, as in the simulated worlds of the paper, set Config.GraphOnly: the model
// then sees the features of the first snapshot alone.
func (m *Model) FitTrajectories(ctx context.Context, training, validation []*dyngraph.Series, config train.Config) (*train.Report, error) {
	if len(training) == 0 || len(validation) == 0 && config.EvaluateEvery >= 0 {
		return nil, fmt.Errorf("pengcde: %d series for training and %d for validation, want at least one each, or EvaluateEvery -1 to do without validation: %w",
			len(training), len(validation), ErrInput)
	}
	return m.fit(ctx, m.trajectories(training), m.trajectories(validation), config)
}

func (m *Model) trajectories(list []*dyngraph.Series) lessons {
	return lessons{len(list), func(i int) (example, error) { return m.trajectoryLesson(list[i]) }}
}

// Trajectory forecasts a whole series: [times][nodes][outputs] at times from 0, at the first snapshot, to the last, that do
// not decrease.
func (m *Model) Trajectory(ctx context.Context, s *dyngraph.Series, times []float64) ([][][]float64, error) {
	e, err := m.trajectory(s)
	if err != nil {
		return nil, err
	}
	last := e.sample.Knots[len(e.sample.Knots)-1]
	for i, t := range times {
		if !(t >= 0 && t <= last) || i > 0 && t < times[i-1] {
			return nil, fmt.Errorf("pengcde: forecast time %d is %g, want times from 0 to the last snapshot's %g that do not decrease: %w", i, t, last, ErrInput)
		}
	}
	e.times = slices.Concat([]float64{0}, times, []float64{last})
	flat, z, err := m.forecast(ctx, e, nil)
	if err != nil {
		return nil, err
	}
	xla.Free(z)
	forecasts := m.unflatten(dyngraph.Window{Series: s}, flat)
	return forecasts[1 : 1+len(times)], nil
}

// trajectory reads a series as one example, without targets.
func (m *Model) trajectory(s *dyngraph.Series) (example, error) {
	switch {
	case m.params == nil:
		return example{}, ErrClosed
	case s == nil || s.Pattern == nil:
		return example{}, fmt.Errorf("pengcde: no series, or one without a pattern: %w", ErrInput)
	case m.config.Residual:
		return example{}, fmt.Errorf("pengcde: the model is Residual, which is for windows: a trajectory has no recent mean: %w", ErrInput)
	case s.Nodes() != m.config.Nodes || s.FeatureSize != m.config.Features || len(s.Times) < 2:
		return example{}, fmt.Errorf("pengcde: series %q has %d nodes with %d features and %d snapshots, the model was made for %d with %d, and a trajectory wants 2 snapshots: %w",
			s.Name, s.Nodes(), s.FeatureSize, len(s.Times), m.config.Nodes, m.config.Features, ErrInput)
	}
	if err := s.Validate(); err != nil {
		return example{}, fmt.Errorf("pengcde: %w: %w", err, ErrInput)
	}
	distinct, index := runs(s.Weights)
	pattern, snapshots, err := m.config.Control.Apply(s.Pattern, distinct)
	if err != nil {
		return example{}, fmt.Errorf("pengcde: control of series %q: %w", s.Name, err)
	}
	e := example{x0: s.Features[0], sample: field.Sample{Pattern: pattern, Snapshots: snapshots, Index: index,
		GraphPath: m.config.Path, FeaturePath: m.config.Path}}
	for _, t := range s.Times {
		e.sample.Knots = append(e.sample.Knots, t-s.Times[0])
	}
	if m.config.driven() {
		e.sample.Features = s.Features
	}
	e.stops = m.stops(e.sample)
	return e, nil
}

// trajectoryLesson is a series with its targets, which are met at its snapshots.
func (m *Model) trajectoryLesson(s *dyngraph.Series) (example, error) {
	e, err := m.trajectory(s)
	if err != nil {
		return e, err
	}
	if s.TargetSize != m.config.Outputs || s.Targets == nil {
		return e, fmt.Errorf("pengcde: series %q has %d targets a node, the model makes %d: %w", s.Name, s.TargetSize, m.config.Outputs, ErrInput)
	}
	e.times = e.sample.Knots
	e.target = slices.Concat(s.Targets...)
	e.weight = slices.Repeat([]float64{1}, len(e.times))
	return e, nil
}

// runs finds rows that equal the one before: it returns the others, and which of them each row is.
func runs(rows [][]float64) (distinct [][]float64, index []int) {
	for _, row := range rows {
		if last := len(distinct) - 1; last < 0 || &row[0] != &distinct[last][0] && !slices.Equal(row, distinct[last]) {
			distinct = append(distinct, row)
		}
		index = append(index, len(distinct)-1)
	}
	return distinct, index
}
