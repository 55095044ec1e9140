package dyngraph

import (
	"encoding/csv"
	"io"
	"iter"
	"math"
	"strconv"
)

// Event is a directed edge at a time: a payment, a song listened to, the trade of a year.
type Event struct {
	Time                float64 // in any unit
	Source, Destination int32
	Weight              float64
}

// Events is a stream of events in order of time. It ends with its first error. Ranging over it again starts from the
// beginning, unless its source says otherwise:
//
//	for event, err := range events {
//		...
//	}
type Events iter.Seq2[Event, error]

// WriteCSV writes the columns time, source, destination and weight, which datasets/table reads. names are the names of
// the nodes; without names, nodes are written as numbers. Errors of the stream and of the writer are returned
// unchanged.
func (e Events) WriteCSV(w io.Writer, names []string) error {
	rows := csv.NewWriter(w)
	if err := rows.Write([]string{"time", "source", "destination", "weight"}); err != nil {
		return err
	}
	name := func(node int32) string {
		if names == nil {
			return strconv.Itoa(int(node))
		}
		return names[node]
	}
	at := 0
	for event, err := range e.Checked() {
		if err != nil {
			return err
		}
		if most := max(event.Source, event.Destination); names != nil && int(most) >= len(names) {
			return invalid("event %d is of node %d, want nodes in 0..%d: there are names of %d", at, most, len(names)-1,
				len(names))
		}
		if err := rows.Write([]string{strconv.FormatFloat(event.Time, 'f', -1, 64), name(event.Source),
			name(event.Destination), strconv.FormatFloat(event.Weight, 'g', -1, 64)}); err != nil {
			return err
		}
		at++
	}
	rows.Flush()
	return rows.Error()
}

// check returns an error if the event is not valid as event number at of a stream, after an event at time before.
func (e Event) check(at int, before float64) error {
	switch {
	case !finite(e.Time):
		return invalid("time of event %d is %g, want a finite number", at, e.Time)
	case e.Source < 0 || e.Destination < 0:
		return invalid("event %d joins %d -> %d, want nodes from 0 on", at, e.Source, e.Destination)
	case !finite(e.Weight):
		return invalid("weight of event %d, %d -> %d at time %s, is %g, want a finite number", at, e.Source,
			e.Destination, timeText(e.Time), e.Weight)
	case e.Time < before:
		return invalid("event %d is of time %s after %s, want events in order of time: sort them", at,
			timeText(e.Time), timeText(before))
	}
	return nil
}

// timeText writes a time without an exponent, so that years and seconds since 1970 can be read back.
func timeText(t float64) string { return strconv.FormatFloat(t, 'f', -1, 64) }

// Checked returns the stream with an error at the first event that is not finite, has a negative node, or is earlier
// than the event before it. The error wraps [ErrInvalid].
func (e Events) Checked() Events {
	return func(yield func(Event, error) bool) {
		at, last := 0, math.Inf(-1)
		for event, err := range e {
			if err == nil {
				err = event.check(at, last)
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
			if !yield(event, nil) {
				return
			}
			at, last = at+1, event.Time
		}
	}
}
