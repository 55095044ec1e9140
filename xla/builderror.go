package xla

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// BuildError is the error of a [Program] whose graph could not be built; it unwraps to what the building function
// panicked with.
type BuildError struct {
	// Program is the name.
	Program string
	// Err is what the function panicked with, a [*Panic] where that does not say by itself what is wrong.
	Err error
}

// Error implements error.
func (e *BuildError) Error() string {
	return fmt.Sprintf("%v (while building program %q)", e.Err, e.Program)
}

// Unwrap gives the panic.
func (e *BuildError) Unwrap() error { return e.Err }

// Format adds the stack of a [*Panic] for %+v.
func (e *BuildError) Format(s fmt.State, verb rune) { FormatError(s, verb, e) }

// Panic is a panic of Go's runtime, of GoMLX, or with a value that is no error, as an error that says where it was.
type Panic struct {
	// Err is what was panicked with.
	Err error
	// Place is FILE:LINE of the innermost call outside of Go's runtime and GoMLX; "" where that is not known.
	Place string
	// Stack is the whole stack, which %+v prints.
	Stack string
}

// Error implements error.
func (p *Panic) Error() string {
	if p.Place == "" {
		return p.Err.Error()
	}
	return fmt.Sprintf("%v (at %s)", p.Err, p.Place)
}

// Unwrap gives what was panicked with.
func (p *Panic) Unwrap() error { return p.Err }

// Format adds the stack for %+v.
func (p *Panic) Format(s fmt.State, verb rune) { FormatError(s, verb, p) }

// FormatError formats err, and for %+v the stack of the [*Panic] that it wraps, if any: for errors that wrap others to implement
// [fmt.Formatter] with.
func FormatError(s fmt.State, verb rune, err error) {
	if verb == 'q' {
		fmt.Fprintf(s, "%q", err.Error())
		return
	}
	io.WriteString(s, err.Error())
	var p *Panic
	if verb == 'v' && s.Flag('+') && errors.As(err, &p) {
		io.WriteString(s, "\n"+p.Stack)
	}
}

// Catch calls a function that builds a graph and returns what it panics with: an error as it is, all else and the errors
// of Go's runtime and of GoMLX as a [*Panic].
func Catch(build func()) (caught error) {
	defer func() {
		thrown := recover()
		if thrown == nil {
			return
		}
		var known *Panic
		place, foreign := origin()
		err, isError := thrown.(error)
		if !isError {
			err, foreign = fmt.Errorf("panic: %v", thrown), true
		}
		if foreign && !errors.As(err, &known) {
			err = &Panic{Err: err, Place: place, Stack: string(debug.Stack())}
		}
		caught = err
	}()
	build()
	return nil
}

// origin is the place of a panic that is being recovered, by its innermost call outside of Go's runtime and of GoMLX;
// foreign says that there were calls inside of them.
func origin() (place string, foreign bool) {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)]) // without Callers, origin and what recovers
	for {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
		case strings.HasPrefix(frame.Function, "runtime."), strings.HasPrefix(frame.Function, "github.com/gomlx/"):
			foreign = true
		case frame.Function != "":
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line), foreign
		}
		if !more {
			return "", foreign
		}
	}
}
