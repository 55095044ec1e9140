// Package errs puts errors of one package into those of another so that people read each thing once: "pengcde: sample
// 0: knot 2 is ...", not "pengcde: pengcde/path: sample 0: pengcde/path: knot 2 is ...: invalid knots: invalid input".
package errs

import (
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/panics"
)

// framed is an error in the words of the package that hands it on.
type framed struct {
	text string
	errs []error
}

func (f *framed) Error() string   { return f.text }
func (f *framed) Unwrap() []error { return f.errs }

// Format adds the stack of an [*panics.Error] for %+v.
func (f *framed) Format(s fmt.State, verb rune) { panics.Format(s, verb, f) }

// In is err in a context, "CONTEXT: ERR", without the name of the package that err begins with. It wraps err and the
// sentinels, whose words it does not add.
func In(context string, err error, sentinels ...error) error {
	return &framed{context + ": " + bare(err.Error()), append([]error{err}, sentinels...)}
}

// bare is a text without the name of one of the library's packages before it.
func bare(text string) string {
	name, rest, found := strings.Cut(text, ": ")
	if found && (name == "pengcde" || name == "dyngraph" || strings.HasPrefix(name, "pengcde/") &&
		!strings.Contains(name, " ")) {
		return rest
	}
	return text
}
