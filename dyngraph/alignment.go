package dyngraph

import "slices"

// StepRange is a range of consecutive steps, First and Last included.
type StepRange struct{ First, Last int }

func (s StepRange) overlaps(other StepRange) bool {
	return s.First <= other.Last && other.First <= s.Last
}

// Alignment says which steps of the recorded process the values of a snapshot are made of, as offsets from the
// snapshot's index. Features that repeat the last days of a quantity are the usual reason to set it: with k lags, where snapshot i
// holds the days i..i+k-1 and its target is day i+k,
//
//	Alignment{Features: StepRange{0, k - 1}, Targets: StepRange{k, k}}
//
// so that windows which share no snapshot may share days. In the zero value features and targets of snapshot i are
// of step i. Edge weights always are. A standardisation over all times touches every step; it leaves that out.
type Alignment struct{ Features, Targets StepRange }

// mostOffset keeps sums with indices of snapshots far from overflow.
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
	if lags := s.lags(); s.Lagged && (s.TargetSize < 1 || s.FeatureSize < lags*s.TargetSize) {
		return s.invalid("lagged features of size %d over %d steps, want at least %d (steps x target size): set "+
			"Alignment.Features", s.FeatureSize, lags, lags*max(1, s.TargetSize))
	}
	return nil
}

// lags is how many steps features of a lagged series show.
func (s *Series) lags() int { return s.Alignment.Features.Last - s.Alignment.Features.First + 1 }

// inputSteps returns the steps that the window's inputs show: the steps of their features and edges. Nothing newer is
// known when the forecast is made. It returns the zero StepRange for a window that is not in its series.
func (w Window) inputSteps() StepRange {
	if w.Validate() != nil {
		return StepRange{}
	}
	features := w.Series.Alignment.Features
	return StepRange{w.Start + min(0, features.First), w.Start + w.Inputs() - 1 + max(0, features.Last)}
}

// StepsUsed are the steps from the first to the last that inputs or target are made of.
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

// Known returns the windows that were observed to their end, target included, when the forecast of origin is made: no
// step that they touch is later than the newest that the inputs of origin show.
func Known(windows []Window, origin Window) []Window {
	newest := origin.inputSteps().Last
	return slices.DeleteFunc(slices.Clone(windows), func(w Window) bool { return w.StepsUsed().Last > newest })
}

// Purge returns the windows that touch no step which one of the others touches.
func Purge(windows []Window, others ...[]Window) []Window {
	rest := slices.Concat(others...)
	return slices.DeleteFunc(slices.Clone(windows), func(w Window) bool {
		return slices.ContainsFunc(rest, func(o Window) bool { return w.StepsUsed().overlaps(o.StepsUsed()) })
	})
}

// Visible are the values of the targets' quantity that the inputs show, oldest first, each [nodes*TargetSize]: the lags
// of the first input, where Series.Lagged, and Series.LastObserved of each input. Nil for a series without
// LastObserved, and for a window that is not in its series or whose rows are of another length. Lags that are NaN were
// not observed.
func (w Window) Visible() [][]float64 {
	s := w.Series
	if w.Validate() != nil || s.TargetSize < 1 || w.Start+w.Inputs() > len(s.LastObserved) {
		return nil
	}
	newest, width := s.LastObserved[w.Start:w.Start+w.Inputs()], s.Nodes()*s.TargetSize
	if slices.ContainsFunc(newest, func(row []float64) bool { return len(row) != width }) {
		return nil
	}
	if !s.Lagged {
		return slices.Clone(newest)
	}
	if w.Start >= len(s.Features) || len(s.Features[w.Start]) != s.Nodes()*s.FeatureSize ||
		s.lags() < 1 || s.lags() > s.FeatureSize/s.TargetSize {
		return nil
	}
	var rows [][]float64
	for k := range s.lags() - 1 { // the last is LastObserved
		row := make([]float64, 0, width)
		for u := range s.Nodes() {
			at := u*s.FeatureSize + k*s.TargetSize
			row = append(row, s.Features[w.Start][at:at+s.TargetSize]...)
		}
		rows = append(rows, row)
	}
	return append(rows, newest...)
}
