package table

import (
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Error reports a fault in a file and its position. It wraps [dyngraph.ErrInvalid] if the content is wrong, and the
// system's error if the file cannot be read.
type Error struct {
	Path string
	// Line is the line in a CSV file, whose first is 1; Row is the row in a Parquet file, whose first is 1. Both are 0
	// if the whole file is wrong.
	Line, Row int
	// Column is the name of a column, "" if the whole row is wrong.
	Column string
	// Found and Wanted are phrases: `"abc"`, `a number`. Wanted may be "".
	Found, Wanted string
	// Err is the cause, if it is another error.
	Err error
}

// Error returns a text such as "datasets/table: FILE, line 3, column "weight": found "abc", want a number".
func (e *Error) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "datasets/table: %s", e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&text, ", line %d", e.Line)
	}
	if e.Row > 0 {
		fmt.Fprintf(&text, ", row %d", e.Row)
	}
	if e.Column != "" {
		fmt.Fprintf(&text, ", column %q", e.Column)
	}
	if e.Found != "" {
		fmt.Fprintf(&text, ": found %s", e.Found)
	}
	if e.Wanted != "" {
		fmt.Fprintf(&text, ", want %s", e.Wanted)
	}
	return text.String()
}

// Unwrap returns the cause, and [dyngraph.ErrInvalid] if the content is wrong.
func (e *Error) Unwrap() error {
	if e.Err == nil {
		return dyngraph.ErrInvalid
	}
	return e.Err
}

// configError returns an error about the configuration.
type configError struct{ text string }

func (e *configError) Error() string { return "datasets/table: " + e.text }
func (e *configError) Unwrap() error { return dyngraph.ErrInvalid }

func invalid(format string, args ...any) error { return &configError{fmt.Sprintf(format, args...)} }

// fileRow is a row of a file.
type fileRow struct {
	file *file
	at   int
}

// fault returns an error about a cell of the row, or about the row if column is "".
func (p fileRow) fault(column, found, wanted string) *Error {
	e := &Error{Path: p.file.path, Column: column, Found: found, Wanted: wanted}
	if p.file.parquet {
		e.Row = p.at
	} else {
		e.Line = p.at
	}
	return e
}

// String is "FILE, line 3".
func (p fileRow) String() string {
	switch {
	case p.file == nil:
		return "the files that the model was made from"
	case p.file.parquet:
		return fmt.Sprintf("%s, row %d", p.file.path, p.at)
	}
	return fmt.Sprintf("%s, line %d", p.file.path, p.at)
}

// list returns the first few of many names.
func list(names []string) string {
	const few = 5
	quoted := make([]string, 0, few)
	for _, name := range names[:min(few, len(names))] {
		quoted = append(quoted, errs.Quote(name))
	}
	text := strings.Join(quoted, ", ")
	if len(names) > few {
		text += fmt.Sprintf(" and %d more", len(names)-few)
	}
	return text
}
