package xla

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/internal/panics"
)

// BuildError is the error of a [Program] whose graph could not be built; it unwraps to what the building function
// panicked with.
type BuildError struct {
	// Program is the name.
	Program string
	// Err is what the function panicked with. Where that is no error of the function's own, it says the place, and %+v
	// prints the stack.
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
