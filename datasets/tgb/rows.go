package tgb

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// longestRow bounds what is read for one row: a quote that is not closed would take the rest of the file.
const longestRow = 1 << 20

// reader reads the rows of a CSV file. Lines without a quote, nearly all of them, are cut at their commas; that is
// several times faster than encoding/csv, which reads the others.
type reader struct {
	ctx     context.Context
	path    string
	in      *bufio.Reader
	columns []column
	line    int      // of the row that was read last, its first
	lines   int      // read so far
	cells   [][]byte // of the row, good until the next is read
	row     []byte   // one that goes over several lines
	quoted  *csv.Reader
	rest    bytes.Buffer // what quoted reads

	timeText []byte // the last time, and what it was read as
	time     float64
}

func newReader(ctx context.Context, path string, in io.Reader, columns []column) (*reader, error) {
	r := &reader{ctx: ctx, path: path, in: bufio.NewReaderSize(in, longestRow), columns: columns, time: math.Inf(-1)}
	r.quoted = csv.NewReader(&r.rest)
	r.quoted.FieldsPerRecord, r.quoted.ReuseRecord = -1, true
	const mark = "\ufeff" // a byte order mark
	if head, _ := r.in.Peek(len(mark)); string(head) == mark {
		_, _ = r.in.Discard(len(mark)) // buffered already
	}
	switch err := r.next(); {
	case err == io.EOF:
		return nil, r.fault("no text", "a first line that names the columns")
	case err != nil:
		return nil, err
	}
	if found, wanted := header(r.cells, columns); found != "" {
		return nil, r.fault(found, wanted)
	}
	return r, nil
}

// read reads the next row into r.cells. It returns io.EOF after the last.
func (r *reader) read() error {
	const ctxEvery = 1 << 12
	if r.lines%ctxEvery == 0 && r.ctx.Err() != nil {
		return fmt.Errorf("datasets/tgb: %s, line %d: %w", r.path, r.lines, r.ctx.Err())
	}
	if err := r.next(); err != nil {
		return err
	}
	if len(r.cells) != len(r.columns) {
		return r.fault(fmt.Sprintf("%d cells", len(r.cells)), fmt.Sprintf("%d as in the first line: quote cells that "+
			"hold a comma", len(r.columns)))
	}
	return nil
}

func (r *reader) next() error {
	var line []byte
	for len(line) == 0 {
		var err error
		if line, err = r.text(); err != nil {
			return err
		}
		r.line = r.lines
	}
	r.cells = r.cells[:0]
	if bytes.IndexByte(line, '"') >= 0 {
		return r.unquote(line)
	}
	for {
		comma := bytes.IndexByte(line, ',')
		if comma < 0 {
			r.cells = append(r.cells, line)
			return nil
		}
		r.cells = append(r.cells, line[:comma])
		line = line[comma+1:]
	}
}

// text is the next line without its end.
func (r *reader) text() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if len(line) > 0 {
		r.lines++
	}
	switch {
	case err == io.EOF && len(line) == 0:
		return nil, io.EOF
	case err == bufio.ErrBufferFull:
		r.line = r.lines
		return nil, r.longRow()
	case err != nil && err != io.EOF:
		r.line = r.lines
		return nil, r.unreadable(err)
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

// unquote reads a row with quotes, which may go over several lines.
func (r *reader) unquote(line []byte) error {
	quote := []byte(`"`)
	r.row = append(r.row[:0], line...)
	for quotes := bytes.Count(line, quote); quotes%2 == 1; quotes += bytes.Count(line, quote) {
		var err error
		line, err = r.text()
		switch {
		case err == io.EOF:
			return r.fault("a quote that is not closed", `cells as "a ""quoted"" name", or without any quote`)
		case err != nil:
			return err
		case len(r.row)+len(line) > longestRow:
			return r.longRow()
		}
		r.row = append(append(r.row, '\n'), line...)
	}
	r.rest.Reset()
	r.rest.Write(r.row)
	r.rest.WriteByte('\n')
	record, err := r.quoted.Read()
	if err != nil {
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			err = syntax.Err
		}
		return r.fault(fmt.Sprintf("%s (%v)", shown(r.row), err), `cells as "a ""quoted"" name", or without any quote`)
	}
	for _, cell := range record {
		r.cells = append(r.cells, []byte(cell))
	}
	return nil
}

func (r *reader) longRow() error {
	return r.fault(fmt.Sprintf("a row of more than %d KiB", longestRow>>10),
		"a shorter one: a quote may not be closed")
}

func (r *reader) fault(found, wanted string) error {
	return &Error{Path: r.path, Line: max(1, r.line), Found: found, Wanted: wanted}
}

// now is the time in the first cell, a whole number that is no less than the one before.
func (r *reader) now() (float64, error) {
	cell := r.cells[0]
	if bytes.Equal(cell, r.timeText) {
		return r.time, nil
	}
	const exact = 1 << 53 // up to where a float64 holds every whole number
	t, err := strconv.ParseFloat(string(bytes.TrimSpace(cell)), 64)
	if err != nil || t != math.Trunc(t) || math.Abs(t) > exact {
		return 0, r.fault("the time "+shown(cell), "a whole number: a year, or seconds since 1970")
	}
	if t < r.time {
		return 0, r.fault(fmt.Sprintf("the time %.0f after %.0f", t, r.time), "rows in order of time: sort the file")
	}
	r.time, r.timeText = t, append(r.timeText[:0], cell...)
	return t, nil
}

// number is the value in a cell.
func (r *reader) number(column int, signed bool) (float64, error) {
	cell := r.cells[column]
	v, err := strconv.ParseFloat(string(bytes.TrimSpace(cell)), 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, r.fault(fmt.Sprintf("the %s %s", r.columns[column].name, shown(cell)), "a finite number")
	case v < 0 && !signed:
		return 0, r.fault(fmt.Sprintf("the %s %s", r.columns[column].name, shown(cell)), "a number that is not negative")
	}
	return v, nil
}
