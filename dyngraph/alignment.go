package dyngraph

import "slices"

// StepRange is a range of consecutive steps, First and Last included.
type StepRange struct{ First, Last int }

func (s StepRange) overlaps(other StepRange) bool {
	return s.First <= other.Last && other.First <= s.Last
}

// Alignment gives the steps of the recorded process that the values of a snapshot come from, as offsets from the index
// of the snapshot. The usual reason to set it is features that repeat the last days of a quantity. With k lags, where
// snapshot i holds the days i..i+k-1 and its target is day i+k, it is
//
//	Alignment{Features: StepRange{0, k - 1}, Targets: StepRange{k, k}}
//
// so that windows which share no snapshot may share days. In the zero value features and targets of snapshot i come
// from step i. Edge weights always do. Alignment does not cover a standardisation over all times, which uses every
// step.
type Alignment struct{ Features, Targets StepRange }

// mostOffset keeps sums of offsets and snapshot indices far from overflow.
const mostOffset = 1 << 30

func (s *Series) checkSteps() error {
	for _, c := range []struct {
		name string
		span StepRange
	}{{"features", s.Alignment.Features}, {"targets", s.Alignment.Targets}} {
		if c.span.First > c.span.Last || c.span.First < -mostOffset || c.span.Last > mostOffset {
			return s.invalid("steps %d to %d for %s, want the first no later than the last and both within %d of 0",
				c.span.First, c.span.Last, c.name, mostOffset)
		}
	}
	if steps := s.TargetSteps(); s.EachStep && (s.TargetSize < 1 || s.TargetSize%steps != 0) {
		return s.invalid("targets of size %d for each of %d steps, want a multiple of the steps: set Alignment.Targets",
			s.TargetSize, steps)
	}
	if lags := s.lags(); s.Lagged && (s.TargetSize < 1 || s.FeatureSize < lags*s.Quantities()) {
		return s.invalid("lagged features of size %d over %d steps, want at least %d (steps x target quantities): set "+
			"Alignment.Features", s.FeatureSize, lags, lags*max(1, s.Quantities()))
	}
	return nil
}

// lags returns the number of steps in the features of a lagged series.
func (s *Series) lags() int { return s.Alignment.Features.Last - s.Alignment.Features.First + 1 }

// inputSteps returns the range of steps in the window's inputs, features and edges. No newer step is known when the
// forecast is made. It returns the zero StepRange for a window that is not in its series.
func (w Window) inputSteps() StepRange {
	if w.Validate() != nil {
		return StepRange{}
	}
	features := w.Series.Alignment.Features
	return StepRange{w.Start + min(0, features.First), w.Start + w.Inputs() - 1 + max(0, features.Last)}
}

// StepsUsed returns the range of steps that the window's inputs or target use.
func (w Window) StepsUsed() StepRange {
	if w.Validate() != nil {
		return StepRange{}
	}
	in, targets, first := w.inputSteps(), w.Series.Alignment.Targets, w.Last()
	if w.Whole {
		first = w.Start
	}
	return StepRange{min(in.First, first+targets.First), max(in.Last, w.Last()+targets.Last)}
}

// Known returns the windows that are completely observed, target included, when the forecast of origin is made: no step
// that they use is later than the newest step in the inputs of origin. All are windows of one series, or of series with
// the same steps.
func Known(windows []Window, origin Window) []Window {
	newest := origin.inputSteps().Last
	return slices.DeleteFunc(slices.Clone(windows), func(w Window) bool { return w.StepsUsed().Last > newest })
}

// Purge returns the windows that share no step with any of the others. Steps of equal number count as the same,
// whatever the series.
func Purge(windows []Window, others ...[]Window) []Window {
	rest := slices.Concat(others...)
	return slices.DeleteFunc(slices.Clone(windows), func(w Window) bool {
		return slices.ContainsFunc(rest, func(o Window) bool { return w.StepsUsed().overlaps(o.StepsUsed()) })
	})
}

// Visible returns the values of the target quantity in the inputs, oldest first, each [nodes*Quantities]: the lags of
// the first input, if Series.Lagged, and Series.LastObserved of each input. It returns nil for a series without
// LastObserved, and for a window that is not in its series or has rows of another length. NaN marks a lag that was not
// observed.
func (w Window) Visible() [][]float64 {
	s := w.Series
	if w.Validate() != nil || s.Quantities() < 1 || w.Start+w.Inputs() > len(s.LastObserved) {
		return nil
	}
	newest, width := s.LastObserved[w.Start:w.Start+w.Inputs()], s.Nodes()*s.TargetSize
	if slices.ContainsFunc(newest, func(row []float64) bool { return len(row) != width }) {
		return nil
	}
	newest = slices.Clone(newest)
	for i, row := range newest {
		newest[i] = s.AtStep(row, 0)
	}
	if !s.Lagged {
		return newest
	}
	if w.Start >= len(s.Features) || len(s.Features[w.Start]) != s.Nodes()*s.FeatureSize ||
		s.lags() < 1 || s.lags() > s.FeatureSize/s.Quantities() {
		return nil
	}
	var rows [][]float64
	size := s.Quantities()
	for k := range s.lags() - 1 { // the last is LastObserved
		row := make([]float64, 0, s.Nodes()*size)
		for u := range s.Nodes() {
			at := u*s.FeatureSize + k*size
			row = append(row, s.Features[w.Start][at:at+size]...)
		}
		rows = append(rows, row)
	}
	return append(rows, newest...)
}
