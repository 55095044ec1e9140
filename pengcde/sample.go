package pengcde

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// sample is what the network sees of one window.
type sample struct {
	paths  field.Sample
	all    *dyngraph.Pattern // of the series, and the snapshots on it
	onAll  [][]float64
	x0     []float64 // [n*p], what the encoder takes; p with the mask's channels
	linear []float64 // [n*width], the regressors of a linear part; nil without one
	times  []float64 // [S], the first is the start of the solve
	stops  []float64 // that steps end on
	target []float64 // [S*rows*q], NaN where not observed; nil where only forecasts are wanted
	weight []float64 // [S], of each time in the loss; nil is 0 everywhere
	affinity
}

// last is the time of the last observation.
func (s sample) last() float64 { return s.paths.Knots[len(s.paths.Knots)-1] }

// write writes what training learns from.
func (s sample) write(w io.Writer) error {
	rows := [][]float64{s.paths.Knots, s.x0, s.times, s.target, s.weight}
	rows = append(append(rows, s.onAll...), s.paths.Features...)
	if s.linear != nil {
		rows = append(rows, s.linear)
	}
	if s.met != nil {
		if err := s.affinity.write(w); err != nil {
			return fmt.Errorf("pengcde: digest of a window: %w", err)
		}
	}
	for _, row := range rows {
		if err := binary.Write(w, binary.LittleEndian, append([]float64{float64(len(row))}, row...)); err != nil {
			return fmt.Errorf("pengcde: digest of a window: %w", err)
		}
	}
	edges := slices.Concat(s.all.From, s.all.To)
	for _, snapshot := range s.paths.Index {
		edges = append(edges, int32(snapshot))
	}
	return binary.Write(w, binary.LittleEndian, edges)
}

// rows is the number of targets, of Outputs entries each, at a time.
func (c Config) rows() int {
	if c.Output.ofGraph() {
		return 1
	}
	return c.Nodes
}

// check says whether a window can be an input of the model.
func (m *Model) check(w dyngraph.Window) error {
	if m.params == nil {
		return ErrClosed
	}
	if err := w.Validate(); err != nil {
		return errs.In("pengcde", err, ErrInput)
	}
	s := w.Series
	switch {
	case w.Inputs() < 2:
		return invalid("window of length %d from snapshot %d of series %q on, want at least 2 inputs: windows of length 3 "+
			"or more, whole series of 2", w.Length, w.Start, s.Name)
	case s.Nodes() != m.config.Nodes || s.FeatureSize != m.config.Features:
		return invalid("series %q has %d nodes with %d features, the model was made for %d with %d",
			s.Name, s.Nodes(), s.FeatureSize, m.config.Nodes, m.config.Features)
	case m.config.Inputs > 0 && w.Inputs() != m.config.Inputs:
		return invalid("window at snapshot %d of series %q has %d inputs, the model was made for %d (Config.Inputs)", w.Start,
			s.Name, w.Inputs(), m.config.Inputs)
	case w.Whole && m.config.Network != nil && m.config.Output == Summed:
		return invalid("Config.Output is %q with a Network, which forecasts the graph at the end of a window alone: take "+
			"windows of series %q", Summed, s.Name)
	case m.config.Output == Affinity && (w.Whole || s.Affinities == nil || s.Classes != m.config.Outputs):
		return invalid("Config.Output is %q with %d classes, and series %q has affinities at %d snapshots to %d classes (whole: "+
			"%v): want windows of a series with Affinities to as many classes", Affinity, m.config.Outputs, s.Name,
			len(s.Affinities), s.Classes, w.Whole)
	case m.config.Output == Affinity && m.config.Residual && s.Known == nil:
		return invalid("the model is Residual, and series %q has no known affinities: want Series.Known",
			s.Name)
	case w.Whole && m.config.Residual:
		return invalid("the model is Residual, which a whole series has no recent mean for: take windows of %q", s.Name)
	case !w.Whole && m.config.Output == PerTime:
		return invalid("Config.Output is %q, and a window of series %q has targets at one time: leave Output empty, or take "+
			"Series.Whole", PerTime, s.Name)
	}
	if err := s.Validate(); err != nil {
		return errs.In("pengcde", err, ErrInput)
	}
	if !m.config.Residual || m.config.Output == Affinity {
		return nil
	}
	recent, err := w.RecentMean()
	if err != nil {
		return errs.In("pengcde: the model is Residual", err, ErrInput)
	}
	if len(recent) != m.config.Nodes*m.config.Outputs {
		return invalid("the model is Residual, and series %q has %d recent means at snapshot %d, want %d (nodes x outputs)",
			s.Name, len(recent), w.Last()-1, m.config.Nodes*m.config.Outputs)
	}
	return nil
}

// recent is what a residual readout is added to, [nodes*outputs] row-major, of a window that was checked.
func (m *Model) recent(w dyngraph.Window) []float64 { return w.Series.RecentMean[w.Last()-1] }

// sample reads a window, without times and targets.
func (m *Model) sample(w dyngraph.Window) (sample, error) {
	if err := m.check(w); err != nil {
		return sample{}, err
	}
	s, end := w.Series, w.Start+w.Inputs()
	weights, seen, knots, index := s.Weights[w.Start:end], s.Features[w.Start:end], w.InputTimes(), []int(nil)
	if w.Whole {
		weights, index = runs(weights)
		if !m.config.driven() { // only the start is seen; to fill it takes two observations
			seen = [][]float64{seen[0], seen[0]}
		}
	}
	here := fmt.Sprintf("window at snapshot %d of series %q", w.Start, s.Name)
	pattern, snapshots, err := m.config.Normalise.Apply(s.Pattern, weights)
	if err != nil {
		return sample{}, errs.In("pengcde: weights of the "+here, err, ErrInput)
	}
	if err := m.config.checkEntries(snapshots); err != nil {
		return sample{}, errs.In("pengcde: weights of the "+here, err, ErrInput)
	}
	if m.config.Network == nil {
		m.noteControl(s, pattern, snapshots)
	}
	m.noteFeatures(s, w.Start, seen)
	all, onAll := pattern, snapshots
	pattern, snapshots, room := m.ownEdges(w, all, onAll)
	// Observations are carried forward to where values are missing: then one shapes the path from the interval on that
	// it ends, not before, and where nothing is observed the path does not change, so that steps need not end there.
	features, err := path.Fill(path.Ramp, m.config.Mask, knots[:len(seen)], seen, m.config.Nodes)
	if err != nil {
		return sample{}, errs.In("pengcde: inputs of the "+here, err, ErrInput)
	}
	one := sample{x0: features[0], all: all, onAll: onAll, paths: field.Sample{Knots: knots, Pattern: pattern,
		Snapshots: snapshots, Index: index, Capacity: room, GraphPath: m.config.Path, FeaturePath: m.config.Path}}
	if m.config.driven() {
		one.paths.Features = features
	}
	one.stops = m.config.stops(one.paths)
	if m.config.Output == Affinity && m.config.Residual {
		one.known = s.Known[end-1]
	}
	if m.config.Linear != nil {
		one.linear, err = m.config.Linear.regressors(w)
	}
	return one, err
}

// checkEntries finds negative entries of matrices for a network that takes none.
func (c Config) checkEntries(snapshots [][]float64) error {
	if n, ok := c.Network.(sequence.NonNegative); !ok || !n.NonNegative() {
		return nil
	}
	for _, entries := range snapshots {
		if at := slices.IndexFunc(entries, func(w float64) bool { return w < 0 }); at >= 0 {
			return invalid("an entry of %g with Config.Normalise %q, and the %T wants entries of 0 or more: leave Normalise "+
				"empty, or take another", entries[at], c.Normalise, c.Network)
		}
	}
	return nil
}

// targetTimes are those at which a window's targets are met.
func (m *Model) targetTimes(w dyngraph.Window) []float64 {
	times := w.ForecastTimes()
	if m.config.Output == PerNode || m.config.Output == Class || m.config.Output == Affinity {
		times = times[len(times)-1:]
	}
	return times
}

func known(y float64) bool { return !math.IsNaN(y) }

// targets returns the targets of a window, [times][rows*q]: for a class, the last time alone.
func (m *Model) targets(w dyngraph.Window) ([][]float64, error) {
	if m.config.Output == Class {
		row, err := m.class(w)
		return [][]float64{row}, err
	}
	targets, what := w.Targets(), "targets a node"
	if m.config.Output == Summed {
		targets, what = w.GraphTargets(), "targets of the graph"
	}
	if targets == nil || w.Series.TargetSize != m.config.Outputs {
		return nil, invalid("window at snapshot %d of series %q has %d %s at %d times, the model makes %d",
			w.Start, w.Series.Name, w.Series.TargetSize, what, len(targets), m.config.Outputs)
	}
	return targets, nil
}

// training is the sample of a window with its targets.
func (m *Model) training(w dyngraph.Window) (sample, error) {
	s, err := m.sample(w)
	if err != nil {
		return s, err
	}
	if m.config.Output == Affinity {
		if s.met = w.Affinities(); s.met.Rows() == 0 {
			return s, invalid("window at snapshot %d of series %q has no affinities at snapshot %d: leave it out", w.Start,
				w.Series.Name, w.Last())
		}
		s.times, s.weight = []float64{0, s.last()}, []float64{0, 1}
		return s, nil
	}
	targets, err := m.targets(w)
	if err != nil {
		return s, err
	}
	s.times = m.targetTimes(w)
	targets = targets[len(targets)-len(s.times):]
	if m.config.Network == nil && s.times[0] != 0 { // where a solve starts
		s.times, s.weight = slices.Insert(s.times, 0, 0), []float64{0}
		targets = slices.Insert(slices.Clone(targets), 0, make([]float64, len(targets[0])))
	}
	for _, row := range targets[len(s.weight):] {
		weight := 0.0
		if slices.ContainsFunc(row, known) {
			weight = 1
		}
		s.weight = append(s.weight, weight)
	}
	if !slices.Contains(s.weight, 1) {
		return s, invalid("window at snapshot %d of series %q has no observed target, at snapshot %d all are NaN: leave it "+
			"out", w.Start, w.Series.Name, w.Last())
	}
	s.target = slices.Concat(targets...)
	if m.config.Residual {
		recent := m.recent(w)
		floats.Sub(s.target[len(s.target)-len(recent):], recent)
	}
	return s, nil
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
