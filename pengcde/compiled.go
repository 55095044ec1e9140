package pengcde

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// compiled is what a network compiles for batches whose control has one form.
type compiled struct {
	solver                                *ode.Solver
	encode, encodePull, decode, objective *xla.Program
}

// compile makes what serves batches of a form, or finds it.
func (n *network) compile(form field.Form) (*compiled, error) {
	if c := n.compiled[form]; c != nil {
		return c, nil
	}
	c := &compiled{}
	derivative, fieldParams := field.Piecewise(n.field, form)
	config := ode.Config{StepSize: n.stepSize, MaxSteps: n.maxSteps, Parameters: len(fieldParams)}
	var err error
	if c.solver, err = ode.NewPiecewise(n.backend, derivative, config); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		program **xla.Program
		name    string
		build   func(form field.Form, in []*Node) []*Node
	}{
		{&c.encode, "encoder", n.buildEncode}, {&c.encodePull, "encoder pullback", n.buildEncodePull},
		{&c.decode, "readout", n.buildDecode}, {&c.objective, "loss", n.buildObjective},
	} {
		build := func(in []*Node) []*Node { return p.build(form, in) }
		if *p.program, err = xla.NewProgram(n.backend, p.name, build); err != nil {
			c.close()
			return nil, err
		}
	}
	n.compiled[form] = c
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
