package dyngraph

import (
	"math"
	"slices"
)

// Window is a run of consecutive snapshots to learn from. All but the last are inputs. The model forecasts the targets
// of the last snapshot, whose features and edges it does not see. If Whole is set, as by [Series.Whole], all snapshots
// are inputs, and the model forecasts the targets at each of them.
type Window struct {
	Series *Series
	// Start is the index of the first snapshot. Length is the number of snapshots, inputs and target.
	Start, Length int
	// Whole means that all snapshots of the window are inputs and have targets.
	Whole bool
}

// Whole returns the window of all snapshots, for models that follow a series from its first snapshot to its last.
func (s *Series) Whole() Window {
	if s == nil {
		return Window{Whole: true}
	}
	return Window{Series: s, Length: len(s.Times), Whole: true}
}

// Validate returns an error for a window that is not in its series: no series, start or inputs out of range, no input.
// The target snapshot may be the one after the last, as for [Series.Latest]. Validate does not check the values; see
// [Series.Validate]. Its error wraps [ErrInvalid].
func (w Window) Validate() error {
	s := w.Series
	switch {
	case s == nil:
		return invalid("window without a series: take windows from Series.Windows, Series.Latest or Series.Whole")
	case s.Pattern == nil:
		return s.invalid("window of a series without Pattern, want the edges, as NewPattern makes them")
	case s.Nodes() < 1 || s.Nodes() > MaxNodes:
		return s.invalid("window of a series of %d nodes, want 1 to %d", s.Nodes(), MaxNodes)
	}
	// Compare by differences: the sum of a huge start and a huge length overflows.
	if n := len(s.Times); w.Start < 0 || w.Length < 1 || w.Inputs() < 1 || w.Start > n || w.Inputs() > n-w.Start {
		return s.invalid("window of length %d from snapshot %d on, want a length of at least 2 (1 for a whole series) "+
			"and all inputs, the length less 1 (the length for a whole series), among the %d snapshots", w.Length,
			w.Start, n)
	}
	if s.TargetSize < 0 || s.TargetSize > MaxTargetSize {
		return s.invalid("target size %d, want 0 to %d", s.TargetSize, MaxTargetSize)
	}
	return nil
}

// Inputs returns the number of input snapshots.
func (w Window) Inputs() int {
	if w.Whole {
		return w.Length
	}
	return w.Length - 1
}

// Last returns the index of the last snapshot with targets.
func (w Window) Last() int { return w.Start + w.Length - 1 }

// InputTimes returns the times of the inputs, relative to the first; nil for a window that is not in its series.
func (w Window) InputTimes() []float64 {
	if w.Validate() != nil {
		return nil
	}
	times := make([]float64, w.Inputs())
	for i := range times {
		times[i] = w.Series.Times[w.Start+i] - w.Series.Times[w.Start]
	}
	return times
}

// ForecastTimes returns the times at which Targets are forecast, relative to the first input: the time of the last
// input for the snapshot after it, or the times of all snapshots of a whole series, each for its own targets. It
// returns nil for a window that is not in its series.
func (w Window) ForecastTimes() []float64 {
	times := w.InputTimes()
	if times == nil || w.Whole {
		return times
	}
	return times[len(times)-1:]
}

// Targets returns the node targets at ForecastTimes, [times][nodes*TargetSize] row-major by node, NaN where not
// observed or where the node is absent at the forecast time, see [Window.Present]. It returns nil for a series
// without targets, for the window of [Series.Latest] and for one that is not in its series.
func (w Window) Targets() [][]float64 {
	rows := w.compared(func(s *Series) [][]float64 { return s.Targets })
	if len(rows) == 0 || w.Series.Present == nil {
		return rows
	}
	rows = slices.Clone(rows)
	for k, t := range w.ForecastTimes() {
		rows[k] = w.WithoutAbsent(t, rows[k])
	}
	return rows
}

// GraphTargets returns the targets of the graph as a whole, [times][TargetSize]; nil under the same conditions as
// Targets.
func (w Window) GraphTargets() [][]float64 {
	return w.compared(func(s *Series) [][]float64 { return s.GraphTargets })
}

// compared returns the rows of the snapshots whose targets are forecast.
func (w Window) compared(of func(*Series) [][]float64) [][]float64 {
	if w.Validate() != nil || w.Last() >= len(of(w.Series)) {
		return nil
	}
	rows := of(w.Series)[w.Start : w.Last()+1]
	if w.Whole {
		return rows
	}
	return rows[len(rows)-1:]
}

// Latest returns the window whose inputs are the last snapshots of the series. Its targets are not known yet.
func (s *Series) Latest(inputs int) (Window, error) {
	if err := s.Validate(); err != nil {
		return Window{}, err
	}
	if inputs < 1 || inputs > len(s.Times) {
		return Window{}, s.invalid("the latest %d of %d snapshots as inputs, want 1 to %d",
			inputs, len(s.Times), len(s.Times))
	}
	return Window{Series: s, Start: len(s.Times) - inputs, Length: inputs + 1}, nil
}

// Target returns the values to forecast, [nodes*TargetSize] row-major by node, NaN where not observed. It returns nil
// for a series without targets, for the window of [Series.Latest], for a whole series and for one that is not in its
// series.
func (w Window) Target() []float64 {
	if targets := w.Targets(); targets != nil && !w.Whole {
		return targets[0]
	}
	return nil
}

// Windows holds windows in order of time, or the error from making them, which every method returns. So calls chain:
//
//	split, err := series.Windows(5, 1).Chronological(0.6, 0.2)
type Windows struct {
	list []Window
	err  error
}

// Windows cuts the series into windows of the given length (inputs and target). Each starts stride snapshots after the
// window before it. Snapshots left at the end are in no window.
func (s *Series) Windows(length, stride int) Windows {
	if err := s.Validate(); err != nil {
		return Windows{err: err}
	}
	switch {
	case length < 2:
		return Windows{err: s.invalid("windows of length %d, want at least 2: an input and the target", length)}
	case length > len(s.Times):
		return Windows{err: s.invalid("windows of length %d in %d snapshots: want a shorter window, or data of more times",
			length, len(s.Times))}
	case stride < 1:
		return Windows{err: s.invalid("windows every %d snapshots, want at least 1 (the length for windows that do "+
			"not overlap)", stride)}
	}
	var w Windows
	for start := 0; start <= len(s.Times)-length; start += stride {
		w.list = append(w.list, Window{Series: s, Start: start, Length: length})
	}
	return w
}

// Observed drops the windows in which no node target was observed, such as those whose target is after the last
// snapshot. A model cannot be trained on them, and their forecasts cannot be scored.
func (w Windows) Observed() Windows {
	return w.without(func(one Window) bool { return !slices.ContainsFunc(one.Targets(), anyObserved) })
}

// Complete drops the newest windows of a series with EachStep, which have a step after the last observed one. All steps
// are then scored on the same windows.
func (w Windows) Complete() Windows {
	if len(w.list) == 0 {
		return w
	}
	last := w.list[0].Series.lastComplete()
	return w.without(func(one Window) bool { return one.Last() > last })
}

func (w Windows) without(drop func(Window) bool) Windows {
	w.list = slices.DeleteFunc(slices.Clone(w.list), drop)
	return w
}

func anyObserved(row []float64) bool {
	return slices.ContainsFunc(row, func(y float64) bool { return !math.IsNaN(y) })
}

// lastComplete returns the last snapshot whose targets lie no later than the last observed one, -1 if there is none.
func (s *Series) lastComplete() int {
	last := -1
	for i, row := range s.Targets {
		for k := range s.TargetSteps() {
			if anyObserved(s.AtStep(row, k)) {
				last = max(last, i+k-s.TargetSteps()+1)
			}
		}
	}
	return last
}

// List returns the windows.
func (w Windows) List() ([]Window, error) { return w.list, w.err }
