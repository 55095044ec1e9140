// Package errs words errors so that people read each thing once, and programs still find what they wrap: "pengcde:
// sample 0: knot 2 is ...", not "pengcde: pengcde/path: sample 0: pengcde/path: knot 2 is ...: invalid knots: invalid
// input".
package errs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/panics"
)

// framed is an error in words of its own.
type framed struct {
	text string
	errs []error
}

func (f *framed) Error() string   { return f.text }
func (f *framed) Unwrap() []error { return f.errs }

// Format adds the stack of an [*panics.Error] for %+v.
func (f *framed) Format(s fmt.State, verb rune) { panics.Format(s, verb, f) }

// New is [fmt.Errorf] for an error that also wraps a sentinel, whose words it does not add.
func New(sentinel error, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &framed{err.Error(), []error{err, sentinel}}
}

// In is err in a context, "CONTEXT: ERR", without the name of the package that err begins with. It wraps err and the
// sentinels, whose words it does not add.
func In(context string, err error, sentinels ...error) error {
	return &framed{context + ": " + bare(err.Error()), append([]error{err}, sentinels...)}
}

// rooms are the library's packages, as errors begin with them; those below them with a slash and more.
var rooms = []string{"affinity", "bench", "datasets", "doctor", "dyngraph", "experiments", "figures", "forecast",
	"graphs", "notebook", "pengcde", "slurm", "starter", "stats", "xla"}

// bare is a text without the name of one of the library's packages before it.
func bare(text string) string {
	name, rest, found := strings.Cut(text, ": ")
	room, _, _ := strings.Cut(name, "/")
	if found && slices.Contains(rooms, room) && !strings.Contains(name, " ") {
		return rest
	}
	return text
}
