package tgb

import (
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Error reports a fault in a file and its position. It wraps [dyngraph.ErrInvalid] if the content is wrong, and the
// system's error if the file cannot be read.
type Error struct {
	// Path is the file's path, prefixed by its folder or zip.
	Path string
	// Line counts from 1; 0 if the whole file is wrong.
	Line int
	// Found and Wanted are phrases: `the weight "abc"`, `a number`. Wanted may be "".
	Found, Wanted string
	// Err is the cause, if it is another error.
	Err error
}

// Error returns a text such as "datasets/tgb: FILE, line 3: found the weight "abc", want a number".
func (e *Error) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "datasets/tgb: %s", e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&text, ", line %d", e.Line)
	}
	fmt.Fprintf(&text, ": found %s", e.Found)
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
