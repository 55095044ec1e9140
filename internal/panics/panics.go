// Package panics converts panics of functions that build graphs into errors with the position of the panic.
package panics

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// Error is an error for a panic of Go's runtime, of GoMLX, or with a value that is not an error, with its position.
type Error struct {
	// Err is the panic's value as an error.
	Err error
	// Position is FILE:LINE of the innermost call outside of Go's runtime and GoMLX; "" if unknown.
	Position string
	// Stack is the whole stack, which %+v prints.
	Stack string
}

// Error implements error.
func (p *Error) Error() string {
	if p.Position == "" {
		return p.Err.Error()
	}
	return fmt.Sprintf("%v (at %s)", p.Err, p.Position)
}

// Unwrap returns Err.
func (p *Error) Unwrap() error { return p.Err }

// Format adds the stack for %+v.
func (p *Error) Format(s fmt.State, verb rune) { Format(s, verb, p) }

// Format formats err, and for %+v the stack of the [*Error] that it wraps, if any: for errors that wrap others to
// implement [fmt.Formatter] with.
func Format(s fmt.State, verb rune, err error) {
	if verb == 'q' {
		fmt.Fprintf(s, "%q", err.Error())
		return
	}
	io.WriteString(s, err.Error())
	var p *Error
	if verb == 'v' && s.Flag('+') && errors.As(err, &p) {
		io.WriteString(s, "\n"+p.Stack)
	}
}

// Catch calls a function that builds a graph and returns its panic as an error: an error value unchanged, other values
// and the errors of Go's runtime and of GoMLX as a [*Error].
func Catch(build func()) (caught error) {
	defer func() {
		thrown := recover()
		if thrown == nil {
			return
		}
		var known *Error
		position, foreign := origin()
		err, isError := thrown.(error)
		if !isError {
			err, foreign = fmt.Errorf("panic: %v", thrown), true
		}
		if foreign && !errors.As(err, &known) {
			err = &Error{Err: err, Position: position, Stack: string(debug.Stack())}
		}
		caught = err
	}()
	build()
	return nil
}

// origin is the position of a panic that is being recovered: its innermost call outside of Go's runtime and of
// GoMLX; foreign says that there were calls inside of them.
func origin() (position string, foreign bool) {
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
