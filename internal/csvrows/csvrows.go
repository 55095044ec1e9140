// Package csvrows reads CSV row by row. Its errors say where a fault is, what was found and what was wanted.
package csvrows

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// longest bounds the bytes read for one row: a quote that is not closed would take the rest of the file.
const longest = 16 << 20

// Fault is about a row.
type Fault struct {
	Line          int // its first, counted from 1
	Found, Wanted string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("line %d: found %s, want %s", f.Line, f.Found, f.Wanted)
}

// Reader reads rows. All have as many cells as the first.
type Reader struct {
	rows  *csv.Reader
	limit *limit
	line  int
}

// New reads text, whose byte order mark it passes over. Spaces around cells belong to them, unless those before are to
// be trimmed.
func New(text io.Reader, comma rune, trim bool) *Reader {
	r := &Reader{limit: &limit{r: text, left: longest}}
	buffered := bufio.NewReaderSize(r.limit, 1<<16)
	const mark = "\ufeff"
	if head, _ := buffered.Peek(len(mark)); string(head) == mark {
		_, _ = buffered.Discard(len(mark)) // buffered already
	}
	r.rows = csv.NewReader(buffered)
	r.rows.Comma, r.rows.ReuseRecord, r.rows.TrimLeadingSpace = comma, true, trim
	return r
}

// Line is the first of the row that was read last, or of the one that could not be read.
func (r *Reader) Line() int { return r.line }

// Next is the next row, good until it is called again: cells to keep are to be cloned. It returns io.EOF after the
// last, a [*Fault], or an error of the text.
func (r *Reader) Next() ([]string, error) {
	r.limit.left = longest
	cells, err := r.rows.Read()
	var syntax *csv.ParseError
	switch {
	case err == nil:
		r.line, _ = r.rows.FieldPos(0)
		return cells, nil
	case err == io.EOF:
		return nil, err
	case errors.As(err, &syntax):
		r.line = syntax.StartLine
	default:
		r.line++
	}
	switch {
	case errors.Is(err, errLong):
		return nil, &Fault{r.line, err.Error(), "a shorter one: a quote may not be closed"}
	case syntax == nil:
		return nil, err
	case errors.Is(err, csv.ErrFieldCount):
		return nil, &Fault{r.line, fmt.Sprintf("%d cells", len(cells)), fmt.Sprintf("%d as in the first line: leave cells "+
			"empty where there is no value, quote those that hold the separator", r.rows.FieldsPerRecord)}
	case errors.Is(err, csv.ErrQuote):
		return nil, &Fault{r.line, fmt.Sprintf("a quote that is not closed, or text after it (line %d, byte %d)",
			syntax.Line, syntax.Column), `cells as "a ""quoted"" word", or without any quotes`}
	case errors.Is(err, csv.ErrBareQuote):
		return nil, &Fault{r.line, fmt.Sprintf("a quote within a cell (line %d, byte %d)", syntax.Line, syntax.Column),
			`cells with quotes as "a ""quoted"" word"`}
	}
	return nil, &Fault{r.line, syntax.Err.Error(), "text in CSV"}
}

// limit refuses to read on within one row.
type limit struct {
	r    io.Reader
	left int
}

var errLong = fmt.Errorf("a row of more than %d MiB", longest>>20)

func (l *limit) Read(into []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLong
	}
	n, err := l.r.Read(into)
	l.left -= n
	return n, err
}
