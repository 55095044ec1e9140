package dyngraph

import "math"

// Window is a run of consecutive snapshots to learn from: all but the last are inputs, and the targets of the last are
// to be forecast; its features and edges are not seen.
type Window struct {
	Series *Series
	// Start is the first snapshot, Length counts inputs and target.
	Start, Length int
}

// Inputs is the number of snapshots that are seen.
func (w Window) Inputs() int { return w.Length - 1 }

// Last is the index of the snapshot whose targets are to be forecast.
func (w Window) Last() int { return w.Start + w.Length - 1 }

// InputTimes are the times of the inputs, counted from the first.
func (w Window) InputTimes() []float64 {
	times := make([]float64, w.Inputs())
	for i := range times {
		times[i] = w.Series.Times[w.Start+i] - w.Series.Times[w.Start]
	}
	return times
}

// TargetTime is the time of the snapshot whose targets are to be forecast, counted from the first input; NaN for the window
// of [Series.Latest], whose target has not been observed.
func (w Window) TargetTime() float64 {
	if w.Last() >= len(w.Series.Times) {
		return math.NaN()
	}
	return w.Series.Times[w.Last()] - w.Series.Times[w.Start]
}

// Latest is the window whose inputs are the last snapshots of the series: what it asks for is not known yet.
func (s *Series) Latest(inputs int) (Window, error) {
	if err := s.Validate(); err != nil {
		return Window{}, err
	}
	if inputs < 1 || inputs > len(s.Times) {
		return Window{}, s.invalid("the latest %d of %d snapshots as inputs, want 1 to %d", inputs, len(s.Times), len(s.Times))
	}
	return Window{Series: s, Start: len(s.Times) - inputs, Length: inputs + 1}, nil
}

// Target are the values to be forecast, [nodes*TargetSize] row-major by node, NaN where not observed; nil for a series without targets and for the
// window of [Series.Latest].
func (w Window) Target() []float64 {
	if w.Last() >= len(w.Series.Targets) {
		return nil
	}
	return w.Series.Targets[w.Last()]
}

// Windows are windows in order of time, or the error met while making them, which every method returns. So calls chain:
//
//	split, err := series.Windows(5, 5).Split(0.6, 0.2, seed)
type Windows struct {
	list []Window
	err  error
}

// Windows cuts the series into windows of the given length (inputs and target), each a stride after the one before;
// snapshots left at the end are in no window.
func (s *Series) Windows(length, stride int) Windows {
	if err := s.Validate(); err != nil {
		return Windows{err: err}
	}
	switch {
	case length < 2:
		return Windows{err: s.invalid("windows of length %d, want at least 2: an input and the target", length)}
	case length > len(s.Times):
		return Windows{err: s.invalid("windows of length %d in %d snapshots: want a shorter window", length, len(s.Times))}
	case stride < 1:
		return Windows{err: s.invalid("windows every %d snapshots, want at least 1 (the length for windows that do not overlap)", stride)}
	}
	var w Windows
	for start := 0; start <= len(s.Times)-length; start += stride {
		w.list = append(w.list, Window{Series: s, Start: start, Length: length})
	}
	return w
}

// List returns the windows.
func (w Windows) List() ([]Window, error) { return w.list, w.err }
