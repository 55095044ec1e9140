package table

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// longestRow bounds what is read for one row: a quote that is not closed would take the rest of the file.
const longestRow = 16 << 20

// rowLimit refuses to read on within one row.
type rowLimit struct {
	r    io.Reader
	left int
}

var errLongRow = fmt.Errorf("a row of more than %d MiB", longestRow>>20)

func (l *rowLimit) Read(into []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLongRow
	}
	n, err := l.r.Read(into)
	l.left -= n
	return n, err
}

// foreign says what a file is whose first bytes are not those of text.
func foreign(head []byte) string {
	for start, what := range map[string]string{
		"\x1f\x8b": "data compressed by gzip: add .gz to its name", "\x28\xb5\x2f\xfd": "data compressed by Zstandard: add " +
			".zst to its name", "PAR1": "a Parquet file: let its name end in .parquet",
		"\xff\xfe": "text in UTF-16: save it as UTF-8", "\xfe\xff": "text in UTF-16: save it as UTF-8",
		"PK\x03\x04": "a spreadsheet or an archive: save it as CSV",
	} {
		if strings.HasPrefix(string(head), start) {
			return what
		}
	}
	return ""
}

func (f *file) eachCSV(ctx context.Context, r io.Reader, columns []string,
	row func(p place, cells []cell) error) ([]string, error) {
	limit := &rowLimit{r, longestRow}
	text := bufio.NewReaderSize(limit, 1<<16)
	const mark = "\ufeff" // a byte order mark
	if head, _ := text.Peek(4); foreign(head) != "" {
		return nil, &Error{Path: f.path, Line: 1, Found: foreign(head)}
	} else if strings.HasPrefix(string(head), mark) {
		_, _ = text.Discard(len(mark)) // buffered already
	}
	lines := csv.NewReader(text)
	lines.Comma, lines.ReuseRecord = f.comma, true
	lines.TrimLeadingSpace = f.comma == ',' // a tab is a space too
	at := place{f, 1}
	record, err := lines.Read()
	if err == io.EOF {
		return nil, at.fault("", "no text", "a first line with the columns "+list(columns))
	}
	if err != nil {
		return nil, f.csvFault(at, err, 0, 0)
	}
	header := make([]string, len(record))
	for i, name := range record {
		header[i] = strings.TrimSpace(name)
		if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			return nil, at.fault("", fmt.Sprintf("the name %s of column %d", quote(name), i+1),
				"text in UTF-8 without NUL bytes")
		}
	}
	places, others, err := f.locate(header, columns, at)
	if err != nil {
		return nil, err
	}
	cells := make([]cell, len(columns))
	for rows := 0; ; rows++ {
		limit.left = longestRow
		record, err := lines.Read()
		if err == io.EOF {
			return others, f.someRows(rows)
		}
		if err != nil {
			at.at++
			return nil, f.csvFault(at, err, len(record), len(header))
		}
		at.at, _ = lines.FieldPos(0)
		for i, k := range places {
			cells[i] = newText(record[k])
		}
		if err := row(at, cells); err != nil {
			return nil, err
		}
		if rows%ctxEvery == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("datasets/table: %v: %w", at, ctx.Err())
		}
	}
}

func (f *file) someRows(rows int) error {
	if rows > 0 {
		return nil
	}
	return &Error{Path: f.path, Found: "a header without rows", Wanted: "at least one row"}
}

// csvFault is an error of the CSV reader, at the row after the last that it read.
func (f *file) csvFault(at place, err error, cells, columns int) error {
	var known *Error
	var syntax *csv.ParseError
	switch {
	case errors.As(err, &known): // of what unpacks the file
		known.Line = at.at
		return known
	case errors.Is(err, errLongRow):
		return at.fault("", err.Error(), "a shorter one: a quote may not be closed")
	case !errors.As(err, &syntax):
		return f.unreadable(err)
	}
	at.at = syntax.StartLine
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		return at.fault("", fmt.Sprintf("%d cells", cells), fmt.Sprintf("%d as in the first line: leave cells empty where "+
			"there is no value, quote those that hold the separator", columns))
	case errors.Is(err, csv.ErrQuote):
		return at.fault("", fmt.Sprintf("a quote that is not closed, or text after it (line %d, byte %d)", syntax.Line,
			syntax.Column), `cells as "a ""quoted"" word", or without any quotes`)
	case errors.Is(err, csv.ErrBareQuote):
		return at.fault("", fmt.Sprintf("a quote within a cell (line %d, byte %d)", syntax.Line, syntax.Column),
			`cells with quotes as "a ""quoted"" word"`)
	}
	return at.fault("", syntax.Err.Error(), "text in CSV")
}
