package xla

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/internal/panics"
)

// BuildError is the error of a [Program] whose graph could not be built; it unwraps to the function's panic.
type BuildError struct {
	// Program is the name.
	Program string
	// Err is what the function panicked with; other panics than errors of its own say the place, and %+v the stack.
	Err error
}

// Error implements error.
func (e *BuildError) Error() string {
	return fmt.Sprintf("%v (while building program %q)", e.Err, e.Program)
}

// Unwrap gives the panic.
func (e *BuildError) Unwrap() error { return e.Err }

// Format adds the stack of a panic for %+v.
func (e *BuildError) Format(s fmt.State, verb rune) { panics.Format(s, verb, e) }
