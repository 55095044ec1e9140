package dyngraph

import (
	"fmt"
	"math"
)

// MissingError is a NaN in Series.Newest or Series.Recent that a forecast builds on. It wraps [ErrInvalid].
type MissingError struct {
	// Series is the name of the series, Field that of the array: "Newest" or "Recent".
	Series, Field string
	// Snapshot, Node and Target say which entry.
	Snapshot, Node, Target int
}

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf("dyngraph: series %q: Series.%s of snapshot %d, node %d, target %d is NaN, want a number "+
		"where a forecast builds on it: fill it, or leave out the window: %v",
		e.Series, e.Field, e.Snapshot, e.Node, e.Target, ErrInvalid)
}

// Unwrap gives [ErrInvalid].
func (e *MissingError) Unwrap() error { return ErrInvalid }

// Newest is Series.Newest at the last input, [nodes*TargetSize] row-major by node. Where an entry is NaN the error is a
// [*MissingError]; where the series has no newest values, or the window is not in it, it wraps [ErrInvalid].
func (w Window) Newest() ([]float64, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	return w.known("Newest", w.Series.Newest)
}

// Recent is Series.Recent at the last input, as [Window.Newest].
func (w Window) Recent() ([]float64, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	return w.known("Recent", w.Series.Recent)
}

func (w Window) known(field string, rows [][]float64) ([]float64, error) {
	s, at := w.Series, w.Start+w.Inputs()-1
	if len(rows) == 0 {
		return nil, s.invalid("it does not say what is known of earlier targets: set Series.%s", field)
	}
	if err := s.checkRows("Series."+field, rows, s.Nodes()*s.TargetSize); err != nil {
		return nil, err
	}
	for i, v := range rows[at] {
		if math.IsNaN(v) {
			return nil, &MissingError{Series: s.Name, Field: field, Snapshot: at, Node: i / s.TargetSize,
				Target: i % s.TargetSize}
		}
	}
	return rows[at], nil
}
