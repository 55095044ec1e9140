package tgb

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/csvrows"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// reader reads the rows of a file, and the cells that hold times and numbers.
type reader struct {
	path    string
	columns []column
	rows    *csvrows.Reader
	cells   []string // of the row that was read last

	timeText string // the last time, and what it was read as
	time     float64
	late     int     // rows that were earlier than the one before
	mayLate  float64 // by how much they may be
}

func newReader(path string, text io.Reader, columns []column) (*reader, error) {
	r := &reader{path: path, columns: columns, rows: csvrows.New(text, ',', false), time: math.Inf(-1)}
	switch err := r.next(); {
	case err == io.EOF:
		_, wanted := header(nil, columns)
		return nil, r.fault("no text", wanted)
	case err != nil:
		return nil, err
	}
	if found, wanted := header(r.cells, columns); found != "" {
		return nil, r.fault(found, wanted)
	}
	return r, nil
}

// next reads the next row into r.cells. It returns io.EOF after the last.
func (r *reader) next() (err error) {
	r.cells, err = r.rows.Next()
	var fault *csvrows.Fault
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.As(err, &fault):
		return r.fault(fault.Found, fault.Wanted)
	}
	return unreadable(r.path, r.rows.Line(), err, "a file that can be read")
}

// fault returns an error about the row that was read last.
func (r *reader) fault(found, wanted string) error {
	return &Error{Path: r.path, Line: max(1, r.rows.Line()), Found: found, Wanted: wanted}
}

// faultIn returns an error about a cell of that row.
func (r *reader) faultIn(column int, wanted string) error {
	return r.fault("the "+r.columns[column].what+" "+errs.Quote(r.cells[column]), wanted)
}

// faultInNumber returns an error about a cell that should hold a number.
func (r *reader) faultInNumber(column int, wanted string) error {
	return r.fault("the "+r.columns[column].what+" "+errs.Quote(r.cells[column])+
		csvrows.WhyNot(strings.TrimSpace(r.cells[column])), wanted)
}

// now returns the time in the first cell, a whole number that is not smaller than the time before it.
func (r *reader) now() (float64, error) {
	cell := r.cells[0]
	if cell == r.timeText && cell != "" {
		return r.time, nil
	}
	const exact = 1 << 53 // up to where a float64 holds every whole number
	t, ok := csvrows.ParseNumber(strings.TrimSpace(cell))
	if !ok || t != math.Trunc(t) || math.Abs(t) > exact {
		return 0, r.faultInNumber(0, "a whole number: a year, or seconds since 1970")
	}
	if t < r.time {
		if r.time-t > r.mayLate {
			return 0, r.fault(fmt.Sprintf("the time %.0f after %.0f", t, r.time), "rows in order of time: sort the file "+
				"(Config.Late lets events be late by so much)")
		}
		r.late++
		return r.time, nil
	}
	r.time, r.timeText = t, strings.Clone(cell)
	return t, nil
}

// number returns the value in a cell.
func (r *reader) number(column int, signed bool) (float64, error) {
	v, ok := csvrows.ParseNumber(strings.TrimSpace(r.cells[column]))
	switch {
	case !ok || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, r.faultInNumber(column, "a finite number")
	case v < 0 && !signed:
		return 0, r.faultIn(column, "a number that is not negative")
	}
	return v, nil
}
