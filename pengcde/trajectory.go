package pengcde

import (
	"context"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// FitTrajectories trains on whole series in place of windows: the state is solved from the first snapshot to the last, and
// the readout at every snapshot is compared with the targets there. The loss is the mean over all series' snapshots that have
// an observed target, of each one's mean over nodes.
// All else is as in [Model.Fit]; a batch holds config.BatchSize series, with equally many nodes and snapshots.
//
// Where the targets are what the features show, as in the simulated worlds of the paper, set Config.GraphOnly: the model
// then sees the features of the first snapshot alone.
func (m *Model) FitTrajectories(ctx context.Context, training, validation []*dyngraph.Series,
	config train.Config) (*train.Report, error) {
	if len(training) == 0 || len(validation) == 0 && config.EvaluateEvery >= 0 {
		return nil, invalid("%d series for training and %d for validation, "+
			"want at least one each, or EvaluateEvery -1 to do without validation",
			len(training), len(validation))
	}
	return m.fit(ctx, m.trajectories(training), m.trajectories(validation), config)
}

func (m *Model) trajectories(list []*dyngraph.Series) lessons {
	return lessons{len(list), func(i int) (example, error) { return m.trajectoryLesson(list[i]) }}
}

// Trajectory forecasts a whole series: [times][nodes][outputs] at times from 0, at the first snapshot, to the last, that do
// not decrease; nil takes those of the snapshots.
func (m *Model) Trajectory(ctx context.Context, s *dyngraph.Series, times []float64) ([][][]float64, error) {
	var at [][]float64
	if times != nil {
		at = [][]float64{times}
	}
	all, err := m.Trajectories(ctx, []*dyngraph.Series{s}, at)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Trajectories is Trajectory of a batch of series, [series][times][nodes][outputs], with equally many nodes, snapshots and
// times; nil for the times takes those of the snapshots.
func (m *Model) Trajectories(ctx context.Context, series []*dyngraph.Series, times [][]float64) ([][][][]float64, error) {
	if len(series) == 0 || times != nil && len(times) != len(series) {
		return nil, invalid("%d series with times for %d, want at least one series, and times for each or none", len(series), len(times))
	}
	examples := make([]example, len(series))
	begin, end := false, false // whether the solve goes beyond the times asked for
	for b, s := range series {
		e, err := m.trajectory(s)
		if err != nil {
			return nil, err
		}
		e.times = e.sample.Knots
		if times != nil {
			e.times = times[b]
		}
		last := e.sample.Knots[len(e.sample.Knots)-1]
		for i, t := range e.times {
			if !(t >= 0 && t <= last) || i > 0 && t < e.times[i-1] {
				return nil, invalid("forecast time %d of series %d is %g, want times from 0 to the last snapshot's %g that do not decrease",
					i, b, t, last)
			}
		}
		if len(e.times) == 0 || b > 0 && len(e.times) != len(examples[0].times) {
			return nil, invalid("%d forecast times for series %d, %d for the first, want as many, at least one",
				len(e.times), b, len(examples[0].times))
		}
		begin, end = begin || e.times[0] != 0, end || e.times[len(e.times)-1] != last
		examples[b] = e
	}
	from, saves := 0, len(examples[0].times)
	for b := range examples {
		e := &examples[b]
		if begin {
			e.times, from = slices.Concat([]float64{0}, e.times), 1
		}
		if end { // so that the steps do not depend on the times
			e.times = slices.Concat(e.times, e.sample.Knots[len(e.sample.Knots)-1:])
		}
	}
	batch, err := newBatch(m.backend, m.config, examples)
	if err != nil {
		return nil, err
	}
	defer batch.free()
	flat, z, err := m.network.forecast(ctx, m.params, batch, nil)
	if err != nil {
		return nil, err
	}
	xla.Free(z)
	forecasts := make([][][][]float64, len(series))
	for b := range forecasts {
		size := len(flat) / len(series)
		forecasts[b] = m.unflatten(dyngraph.Window{Series: series[b]}, flat[b*size:(b+1)*size])[from : from+saves]
	}
	return forecasts, nil
}

// trajectory reads a series as one example, without targets.
func (m *Model) trajectory(s *dyngraph.Series) (example, error) {
	switch {
	case m.params == nil:
		return example{}, ErrClosed
	case s == nil || s.Pattern == nil:
		return example{}, invalid("no series, or one without a pattern")
	case m.config.Residual:
		return example{}, invalid("the model is Residual, which is for windows: a trajectory has no recent mean")
	case s.Nodes() != m.config.Nodes || s.FeatureSize != m.config.Features || len(s.Times) < 2:
		return example{}, invalid("series %q has %d nodes with %d features and %d snapshots, "+
			"the model was made for %d with %d, and a trajectory wants 2 snapshots",
			s.Name, s.Nodes(), s.FeatureSize, len(s.Times), m.config.Nodes, m.config.Features)
	}
	if err := s.Validate(); err != nil {
		return example{}, errs.In("pengcde", err, ErrInput)
	}
	distinct, index := runs(s.Weights)
	pattern, snapshots, err := m.config.Control.Apply(s.Pattern, distinct)
	if err != nil {
		return example{}, errs.In(fmt.Sprintf("pengcde: control of series %q", s.Name), err, ErrInput)
	}
	m.noteControl(s, pattern, snapshots)
	e := example{sample: field.Sample{Pattern: pattern, Snapshots: snapshots, Index: index,
		GraphPath: m.config.Path, FeaturePath: m.config.Path}}
	for _, t := range s.Times {
		e.sample.Knots = append(e.sample.Knots, t-s.Times[0])
	}
	seen := s.Features
	if !m.config.driven() { // a path needs two observations
		seen = [][]float64{s.Features[0], s.Features[0]}
	}
	features, err := m.fill(e.sample.Knots[:len(seen)], seen)
	if err != nil {
		return example{}, errs.In(fmt.Sprintf("pengcde: series %q", s.Name), err, ErrInput)
	}
	e.x0 = features[0]
	if m.config.driven() {
		e.sample.Features = features
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
		return e, invalid("series %q has %d targets a node, the model makes %d", s.Name, s.TargetSize, m.config.Outputs)
	}
	e.times = e.sample.Knots
	e.target = slices.Concat(s.Targets...)
	e.weight = make([]float64, len(e.times))
	for k, targets := range s.Targets {
		if slices.ContainsFunc(targets, known) {
			e.weight[k] = 1
		}
	}
	if !slices.Contains(e.weight, 1) {
		return e, invalid("series %q has no observed target, all are NaN: leave it out", s.Name)
	}
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
