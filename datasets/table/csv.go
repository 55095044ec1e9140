package table

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/peng-cde/pengcde-go/internal/csvrows"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// foreign returns the kind of a file whose first bytes are not text in lines.
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
	if bytes.Contains(bytes.TrimRight(head, "\r"), []byte("\r")) && !bytes.Contains(head, []byte("\n")) {
		return "text whose lines end in CR alone: save it with LF or CR LF"
	}
	return ""
}

// separatorOf returns a semicolon if the first line has one and no comma outside of quotes, else a comma.
func separatorOf(text *bufio.Reader) (rune, error) {
	var line []byte
	for {
		head, _ := text.Peek(text.Buffered())
		ended := false
		if line, _, ended = bytes.Cut(bytes.TrimLeft(head, "\ufeff\r\n"), []byte("\n")); ended {
			break
		}
		if _, err := text.Peek(len(head) + 1); err == io.EOF || err == bufio.ErrBufferFull {
			break
		} else if err != nil {
			return 0, err // Peek gives it only once
		}
	}
	separator, quoted := ',', false
	for _, b := range line {
		switch {
		case b == '"':
			quoted = !quoted
		case b == ',' && !quoted:
			return ',', nil
		case b == ';' && !quoted:
			separator = ';'
		}
	}
	return separator, nil
}

func (f *file) eachCSV(ctx context.Context, r io.Reader, columns []column,
	row func(p fileRow, cells []cell) error) ([]string, error) {
	text := bufio.NewReaderSize(r, 1<<16)
	_, _ = text.Peek(4) // fills the buffer, at which foreign looks
	head, _ := text.Peek(text.Buffered())
	if kind := foreign(head); kind != "" {
		return nil, &Error{Path: f.path, Line: 1, Found: kind}
	}
	if f.comma == 0 {
		var err error
		if f.comma, err = separatorOf(text); err != nil {
			return nil, f.csvFault(1, err)
		}
	}
	if f.comma != ';' {
		f.decimal = cmp.Or(f.decimal, '.')
	}
	lines := csvrows.New(text, f.comma, f.comma != '\t') // a tab is a space too
	record, err := lines.Next()
	if err == io.EOF {
		return nil, fileRow{f, 1}.fault("", "no text", "a first line with the columns "+list(names(columns)))
	}
	if err != nil {
		return nil, f.csvFault(lines.Line(), err)
	}
	at := fileRow{f, lines.Line()}
	header := make([]string, len(record))
	for i, name := range record {
		header[i] = strings.TrimSpace(name)
		if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			return nil, at.fault("", fmt.Sprintf("the name %s of column %d", errs.Quote(name), i+1),
				"text in UTF-8 without NUL bytes")
		}
	}
	indices, others, err := f.locate(header, columns, at)
	if err != nil {
		return nil, err
	}
	cells := make([]cell, len(columns))
	for rows := 0; ; rows++ {
		record, err := lines.Next()
		if err == io.EOF {
			return others, f.someRows(rows)
		}
		at.at = lines.Line()
		if err != nil {
			return nil, f.csvFault(at.at, err)
		}
		for i, k := range indices {
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

// csvFault is an error of the row that begins in a line, or of what it was read from.
func (f *file) csvFault(line int, err error) error {
	if fault, ok := errors.AsType[*csvrows.Fault](err); ok {
		return fileRow{f, line}.fault("", fault.Found, fault.Wanted)
	}
	broken := f.unreadable(err)
	broken.Line = line
	return broken
}
