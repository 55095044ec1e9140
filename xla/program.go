package xla

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/peng-cde/pengcde-go/internal/panics"
)

// Program is a function of tensors that is compiled once for each combination of input shapes it is called with.
// A Program is safe for calls from several goroutines.
type Program struct {
	name    string
	backend *Backend
	exec    *graph.Exec
	build   func(inputs []*graph.Node) []*graph.Node
	loop    bool // made by NewLoop
}

// NewProgram returns a program. fn builds its graph at the first call with new shapes. If fn panics, [Program.Call]
// returns a [*BuildError]. If the backend is not open, the error wraps [ErrNotOpen].
func NewProgram(backend *Backend, name string, fn func(inputs []*graph.Node) []*graph.Node) (*Program, error) {
	if strings.HasPrefix(strings.ReplaceAll(name, "_", " "), loopOf) {
		return nil, fmt.Errorf("xla: program %q: want a name that does not begin with %q, as loops do", name, loopOf)
	}
	return newProgram(backend, name, fn)
}

func newProgram(backend *Backend, name string, fn func(inputs []*graph.Node) []*graph.Node) (*Program, error) {
	if err := backend.Check(); err != nil {
		return nil, err
	}
	build := func(inputs []*graph.Node) (outputs []*graph.Node) {
		if err := panics.Catch(func() { outputs = fn(inputs) }); err != nil {
			panic(&BuildError{Program: name, Err: err})
		}
		return outputs
	}
	exec, err := graph.NewExec(backend.Compute, build)
	if err != nil {
		return nil, fmt.Errorf("xla: program %q: %w", name, err)
	}
	return &Program{name: name, backend: backend, exec: exec.WithName(name).SetMaxCache(-1), build: build}, nil
}

// donated marks an input whose device buffer the program may overwrite.
type donated struct{ tensor *tensors.Tensor }

// Donate marks an input of [Program.Call] whose device buffer the program may reuse for an output. The tensor must not
// be used again, and its owner no longer frees it.
func Donate(t *tensors.Tensor) any { return donated{t} }

// Call runs the program. Inputs are *tensors.Tensor, plain or wrapped in [Donate], or numbers and slices of Go. The
// caller owns the outputs, and frees them with [Free] or passes them to [Buffers].
func (p *Program) Call(inputs ...any) (outputs []*tensors.Tensor, err error) {
	if p.loop {
		return p.repeat(inputs)
	}
	return p.once(inputs)
}

func (p *Program) once(inputs []any) (outputs []*tensors.Tensor, err error) {
	recordCall(p.name)
	args := make([]any, len(inputs))
	for i, input := range inputs {
		args[i] = input
		if d, ok := input.(donated); ok {
			if args[i], err = p.donate(d.tensor); err != nil {
				return nil, fmt.Errorf("xla: program %q: input %d: %w", p.name, i, err)
			}
		}
	}
	caught := exceptions.TryCatch[error](func() { outputs, err = p.exec.Call(args...) })
	if caught != nil {
		err = caught
	}
	if build, ok := errors.AsType[*BuildError](err); ok {
		return nil, build // without GoMLX's wrapping
	}
	if err != nil {
		return nil, fmt.Errorf("xla: program %q: %w", p.name, err)
	}
	return outputs, nil
}

func (p *Program) donate(t *tensors.Tensor) (any, error) {
	if err := t.MaterializeOnDevice(p.backend.Compute, false, 0); err != nil {
		return nil, err
	}
	buffer, err := graph.DonateTensorBuffer(t, p.backend.Compute, 0)
	Free(t) // frees its copy on the host
	return buffer, err
}

// Close releases the compiled code.
func (p *Program) Close() { p.exec.Finalize() }

// BuildError is the error of a [Program] whose graph could not be built. It unwraps to the panic of the build function.
type BuildError struct {
	// Program is the name of the program.
	Program string
	// Err is the panic value. Unless the function itself panicked with an error, it also gives the position of the panic,
	// and %+v the stack.
	Err error
}

// Error implements error.
func (e *BuildError) Error() string {
	return fmt.Sprintf("%v (while building program %q)", e.Err, e.Program)
}

// Unwrap returns the panic.
func (e *BuildError) Unwrap() error { return e.Err }

// Format adds the stack of a panic for %+v.
func (e *BuildError) Format(s fmt.State, verb rune) { panics.Format(s, verb, e) }
