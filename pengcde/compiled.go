package pengcde

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// compiled holds the programs and the solver of an equation for batches whose control has one form.
type compiled struct {
	programs
	solver *ode.Solver
}

// compile returns the compiled programs for a form, and compiles them on first use.
func (e *equation) compile(form field.Form) (*compiled, error) {
	return e.compiled.find(form, func() (*compiled, error) {
		build := func(build func(form field.Form, in inputs) []*Node) func(in inputs) []*Node {
			return func(in inputs) []*Node { return build(form, in) }
		}
		derivative, fieldParams := field.Piecewise(e.field, form)
		config := ode.Config{Method: e.method, StepSize: e.stepSize, MaxSteps: e.maxSteps, Loop: e.loop,
			Parameters: len(fieldParams)}
		solver, err := ode.NewPiecewise(e.backend, derivative, config)
		if err != nil {
			return nil, err
		}
		set, err := newPrograms(e.backend,
			program{name: "encoder", inputs: []string{"start", "params"}, build: build(e.buildEncode)},
			program{name: "encoder pullback", inputs: []string{"cotangent", "start", "params"}, build: build(e.buildEncodePull)},
			program{name: "readout", inputs: []string{"states", "seen", "params"}, build: build(e.buildDecode)},
			program{name: "loss", inputs: []string{"states", "seen", "targets", "params"}, build: build(e.buildObjective)})
		if err != nil {
			solver.Close()
			return nil, err
		}
		return &compiled{set, solver}, nil
	})
}

func (c *compiled) close() {
	c.solver.Close()
	c.programs.close()
}
