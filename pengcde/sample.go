package pengcde

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// sample is the data of one window that a network reads.
type sample struct {
	paths field.Sample
	all   *dyngraph.Pattern // all edges of the series; onAll are the snapshots on it
	onAll [][]float64
	x0    []float64 // [n*p], input of the encoder; p includes the mask's channels
	times []float64 // [S], the first is the start of the solve
	stops []float64 // times that steps end on
	taken head.Sample
}

// last returns the time of the last observation.
func (s sample) last() float64 { return s.paths.Knots[len(s.paths.Knots)-1] }

// write writes the training data of the sample, for a digest.
func (s sample) write(w io.Writer) error {
	rows := [][]float64{s.paths.Knots, s.x0, s.times, s.taken.Targets, s.taken.Weights}
	rows = append(append(rows, s.onAll...), s.paths.Features...)
	for _, row := range s.paths.Present {
		rows = append(rows, host.Bits(row))
	}
	if s.taken.Regressors != nil {
		rows = append(rows, s.taken.Regressors)
	}
	if s.taken.Affinities != nil {
		for _, affinities := range []*dyngraph.Affinities{s.taken.Affinities, s.taken.Prior} {
			if err := writeAffinities(w, affinities); err != nil {
				return fmt.Errorf("pengcde: digest of a window: %w", err)
			}
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

func writeAffinities(w io.Writer, a *dyngraph.Affinities) error {
	if a == nil {
		return nil
	}
	starts := make([]int64, len(a.Start))
	for i, start := range a.Start {
		starts[i] = int64(start)
	}
	for _, part := range []any{a.Nodes, starts, a.Classes, a.Values} {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}

// validated holds the series that a call has validated: each takes time once, not for each of its windows.
type validated map[*dyngraph.Series]bool

func (v validated) check(s *dyngraph.Series) error {
	if v[s] {
		return nil
	}
	if err := s.Validate(); err != nil {
		return errs.In("pengcde", err, ErrInput)
	}
	v[s] = true
	return nil
}

// check returns an error if a window cannot be an input of the model.
func (m *Model) check(w dyngraph.Window, valid validated) error {
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
	case (m.config.RowFeatures > 0 || m.config.Parity) && !s.AllPresent():
		return invalid("series %q has nodes that appear or leave (Series.Present), which a model with RowFeatures or Parity "+
			"does not know: leave these out, with features of a constant 1 if there are no others", s.Name)
	case w.Whole && m.config.Network != nil && isSummed(m.config.Head):
		return invalid("a forecast of the graph with a Network, which has it at the end of a window alone: take windows of "+
			"series %q", s.Name)
	}
	if err := m.config.Head.Check(w); err != nil {
		return errs.In("pengcde", err, ErrInput)
	}
	return valid.check(s)
}

// sample reads a window without save times; training says whether to read its targets.
func (m *Model) sample(w dyngraph.Window, training bool, valid validated) (sample, error) {
	if err := m.check(w, valid); err != nil {
		return sample{}, err
	}
	s, end := w.Series, w.Start+w.Inputs()
	weights, seen, knots, index := s.Weights[w.Start:end], s.Features[w.Start:end], w.InputTimes(), []int(nil)
	var present [][]bool
	if !s.AllPresent() {
		present = s.Present[w.Start:end]
		seen = started(seen, present, w.Whole && !m.config.driven())
	} else if w.Whole {
		weights, index = runs(weights)
		if !m.config.driven() { // only the start is read; path.Fill needs two observations
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
	snapshots = withoutLoops(pattern, snapshots, present)
	m.noteFeatures(s, w.Start, seen)
	m.noteTimes(s, knots)
	all, onAll := pattern, snapshots
	pattern, snapshots, capacity := m.ownEdges(w, all, onAll)
	seen, err = m.config.Smoothing.Apply(knots[:len(seen)], seen, m.config.Nodes)
	if err != nil {
		return sample{}, errs.In("pengcde: inputs of the "+here, err, ErrInput)
	}
	// Missing values repeat the last observation. An observation then shapes the path only from the interval that ends
	// at it. The path does not change where nothing is observed, so steps need not end there. A node that appears later
	// starts from the features that it then has; until then nothing reads its state.
	features, err := path.Fill(path.Ramp, m.config.Mask, knots[:len(seen)], seen, m.config.Nodes)
	if err != nil {
		return sample{}, errs.In("pengcde: inputs of the "+here, err, ErrInput)
	}
	one := sample{x0: start(features, present), all: all, onAll: onAll, paths: field.Sample{Knots: knots, Pattern: pattern,
		Snapshots: snapshots, Index: index, Present: present, Capacity: capacity, GraphPath: m.config.Path,
		FeaturePath: m.config.Path}}
	if m.config.driven() {
		one.paths.Features = features
	}
	one.stops = m.config.stops(one.paths)
	if one.taken, err = m.config.Head.Sample(w, training); err != nil {
		return one, errs.In("pengcde", err, ErrInput)
	}
	if count := len(one.taken.Times); m.config.Smoothing != path.NoSmoothing && count > 1 {
		return one, invalid("Config.Smoothing is %q, and the head has forecasts at %d times of the %s: want one time, at "+
			"the end, since smoothed features depend on later ones", m.config.Smoothing, count, here)
	}
	return one, nil
}

// checkEntries returns an error for negative matrix entries if the network accepts none.
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

// training returns the sample of a window with its targets; its save times are the times of the targets.
func (m *Model) training(w dyngraph.Window, valid validated) (sample, error) {
	s, err := m.sample(w, true, valid)
	if err != nil {
		return s, err
	}
	t := &s.taken
	s.times = t.Times
	if m.config.Network == nil && s.times[0] != 0 { // where a solve starts
		t.Targets = slices.Insert(t.Targets, 0, make([]float64, len(t.Targets)/len(t.Times))...)
		t.Weights, s.times = slices.Insert(t.Weights, 0, 0), slices.Insert(s.times, 0, 0)
	}
	return s, nil
}

// started returns the features with 0 in place of NaN for nodes that are absent at all snapshots, and if alone is set,
// as states start from these features alone, with NaN for other nodes at all but their first snapshot.
func started(features [][]float64, present [][]bool, alone bool) [][]float64 {
	firsts := appearances(present)
	features = slices.Clone(features)
	for k, row := range features {
		features[k] = slices.Clone(row)
		for i := range row {
			switch first := firsts[i*len(firsts)/len(row)]; {
			case first < 0:
				features[k][i] = 0
			case alone && k != first:
				features[k][i] = math.NaN()
			}
		}
	}
	return features
}

// start returns the features that states start from: of each node those at its first snapshot, with its mask there.
func start(features [][]float64, present [][]bool) []float64 {
	x0 := slices.Clone(features[0])
	for u, first := range appearances(present) {
		if size := len(x0) / len(present[0]); first > 0 {
			copy(x0[u*size:(u+1)*size], features[first][u*size:])
		}
	}
	return x0
}

// appearances returns the first snapshot of each node, -1 if there is none.
func appearances(present [][]bool) (firsts []int) {
	if present == nil {
		return nil
	}
	for u := range present[0] {
		firsts = append(firsts, slices.IndexFunc(present, func(row []bool) bool { return row[u] }))
	}
	return firsts
}

// withoutLoops returns snapshots without the self-loops that a normalisation gives to absent nodes.
func withoutLoops(p *dyngraph.Pattern, snapshots [][]float64, present [][]bool) [][]float64 {
	if present == nil {
		return snapshots
	}
	snapshots = slices.Clone(snapshots)
	for k, entries := range snapshots {
		snapshots[k] = slices.Clone(entries)
		for e := range entries {
			if !present[k][p.From[e]] {
				snapshots[k][e] = 0
			}
		}
	}
	return snapshots
}

// runs merges each row that equals the row before it. It returns the distinct rows, and for each row the index of its
// distinct row.
func runs(rows [][]float64) (distinct [][]float64, index []int) {
	for _, row := range rows {
		if last := len(distinct) - 1; last < 0 || &row[0] != &distinct[last][0] && !slices.Equal(row, distinct[last]) {
			distinct = append(distinct, row)
		}
		index = append(index, len(distinct)-1)
	}
	return distinct, index
}
