package pengcde

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// compiled is what an equation compiles for batches whose control has one form.
type compiled struct {
	solver                                *ode.Solver
	encode, encodePull, decode, objective *xla.Program
}

// compile makes what serves batches of a form, or finds it.
func (e *equation) compile(form field.Form) (*compiled, error) {
	if c := e.compiled[form]; c != nil {
		return c, nil
	}
	c := &compiled{}
	derivative, fieldParams := field.Piecewise(e.field, form)
	config := ode.Config{StepSize: e.stepSize, MaxSteps: e.maxSteps, Parameters: len(fieldParams)}
	var err error
	if c.solver, err = ode.NewPiecewise(e.backend, derivative, config); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		program **xla.Program
		name    string
		build   func(form field.Form, in []*Node) []*Node
	}{
		{&c.encode, "encoder", e.buildEncode}, {&c.encodePull, "encoder pullback", e.buildEncodePull},
		{&c.decode, "readout", e.buildDecode}, {&c.objective, "loss", e.buildObjective},
	} {
		build := func(in []*Node) []*Node { return p.build(form, in) }
		if *p.program, err = xla.NewProgram(e.backend, p.name, build); err != nil {
			c.close()
			return nil, err
		}
	}
	e.compiled[form] = c
	return c, nil
}

func (c *compiled) close() {
	c.solver.Close()
	for _, p := range []*xla.Program{c.encode, c.encodePull, c.decode, c.objective} {
		if p != nil {
			p.Close()
		}
	}
}
