// Package errs words errors so that people read each thing once, and programs still find what they wrap: "pengcde:
// sample 0: knot 2 is ...", not "pengcde: pengcde/path: sample 0: pengcde/path: knot 2 is ...: invalid knots: invalid
// input".
package errs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/panics"
)

// ErrInput is wrapped by errors about options and data that a package cannot use. Public packages export it, so that a
// caller asks the package at hand about an error that came from one below.
var ErrInput = errors.New("invalid input")

// framed is an error with its own text.
type framed struct {
	text string
	errs []error
}

func (f *framed) Error() string   { return f.text }
func (f *framed) Unwrap() []error { return f.errs }

// Format adds the stack of an [*panics.Error] for %+v.
func (f *framed) Format(s fmt.State, verb rune) { panics.Format(s, verb, f) }

// New is [fmt.Errorf] for an error that also wraps a sentinel without adding its text.
func New(sentinel error, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &framed{err.Error(), []error{err, sentinel}}
}

// In returns err in a context, "CONTEXT: ERR", without the package name at the beginning of err. It wraps err and the
// sentinels without adding the sentinels' text.
func In(context string, err error, sentinels ...error) error {
	return &framed{context + ": " + bare(err.Error()), append([]error{err}, sentinels...)}
}

// topLevel are the library's top-level packages, with which errors begin; packages below them add a slash and a name.
var topLevel = []string{"affinity", "bench", "datasets", "doctor", "dyngraph", "experiments", "figures", "forecast",
	"graphs", "notebook", "pengcde", "slurm", "starter", "stats", "xla"}

// bare returns a text without a leading name of one of the library's packages.
func bare(text string) string {
	name, rest, found := strings.Cut(text, ": ")
	top, _, _ := strings.Cut(name, "/")
	if found && slices.Contains(topLevel, top) && !strings.Contains(name, " ") {
		return rest
	}
	return text
}

// Quote returns a text that was found, such as a cell of a file, in quotes, and cut if it is long.
func Quote(found string) string {
	const longest = 60
	if len(found) > longest {
		return fmt.Sprintf("%q and %d bytes more", found[:longest], len(found)-longest)
	}
	return fmt.Sprintf("%q", found)
}
