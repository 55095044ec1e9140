package dyngraph

import "math"

// LastObserved returns Series.LastObserved at the last input, [nodes*TargetSize] row-major by node, NaN for nodes that
// are absent there. The error wraps [ErrInvalid] if another entry is NaN, if the series has no newest values, or if the
// window is not in it.
func (w Window) LastObserved() ([]float64, error) {
	return w.known("LastObserved", func(s *Series) [][]float64 { return s.LastObserved })
}

// RecentMean returns Series.RecentMean at the last input, with the same shape and errors as [Window.LastObserved].
func (w Window) RecentMean() ([]float64, error) {
	return w.known("RecentMean", func(s *Series) [][]float64 { return s.RecentMean })
}

func (w Window) known(field string, of func(*Series) [][]float64) ([]float64, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	s, at, rows := w.Series, w.Start+w.Inputs()-1, of(w.Series)
	if len(rows) == 0 {
		return nil, s.invalid("it does not say which earlier targets are known: set Series.%s", field)
	}
	if err := s.checkRows("Series."+field, rows, s.Nodes()*s.TargetSize); err != nil {
		return nil, err
	}
	for i, v := range rows[at] {
		if math.IsNaN(v) && !s.absent(at, i/s.TargetSize) {
			return nil, s.invalid("Series.%s of snapshot %d, node %d, target %d is NaN, want a number where a forecast "+
				"builds on it: fill it, or leave out the window", field, at, i/s.TargetSize, i%s.TargetSize)
		}
	}
	return rows[at], nil
}
