package pengcde

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/law"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// LinearLaw returns the configuration of a model that is a linear equation in the targets themselves,
//
//	dx = L(A) (x - x0) dt + L'(dA) (x - x0)
//
// where L and L' are linear combinations of the published maps of the adjacency. It has 22 parameters, which
// [Model.Law] reads. It fits whole series with one feature for each node whose targets equal that feature.
func LinearLaw(nodes int) Config {
	return Config{Nodes: nodes, Features: 1,
		Input:    Input{GraphOnly: true, Normalise: dyngraph.MeanDegree},
		Equation: Equation{LinearCoders: true, Path: path.Ramp, Adaptive: &ode.PID{}},
		Hidden:   1, Layers: 1,
		Field: field.PENG{DerivativeIn: field.LastLayer, LocalScale: true,
			Style: field.Style{Norm: nn.Norm{Over: nn.NoNorm}}}}
}

// Law returns the equation that a model of [LinearLaw] has learned. The graphs and targets of the windows, which are
// whole series, determine its units. The error wraps [ErrInput] for a model that differs from LinearLaw in more than
// the maps and their scale, the path, the steps of the solver, and how and from which seed it is computed.
func (m *Model) Law(windows []dyngraph.Window) (law.Law, error) {
	f, _ := m.config.Field.(field.PENG)
	if other, err := m.config.unlikeLaw(f); err != nil {
		return law.Law{}, err
	} else if other != "" {
		return law.Law{}, invalid("the law of a model whose Config.%s is not as in LinearLaw: make it with LinearLaw", other)
	}
	if m.params == nil {
		return law.Law{}, ErrClosed
	}
	maps := f.Maps
	if maps == nil {
		maps = equivariant.Published8()
	}
	read := func(name string) float64 { return m.mustParameter(name)[0] }
	weight, bias := read("field.layers.0.linear.weight"), read("field.layers.0.linear.bias")
	degree, valid := 0.0, validated{}
	for _, w := range windows {
		if err := m.check(w, valid); err != nil {
			return law.Law{}, err
		}
		degree += w.Series.Pattern.MeanDegreeOf(w.Series.Weights) / float64(len(windows))
	}
	learnt := law.Law{Offset: read("readout.bias") - read("readout.weight")*bias/weight, State: weight}
	mixing := m.mustParameter("field.layers.0.maps")
	for side, change := range []bool{false, true} {
		for k, one := range maps {
			share := mixing[2*k+side]
			if one == equivariant.IdentityMap {
				share++
			}
			learnt.Terms = append(learnt.Terms, law.Term{Map: one, Change: change,
				Coefficient: weight * share * f.ScaleOf(one, m.config.Nodes) / degree})
		}
	}
	measured, err := learnt.Measured(windows)
	if err != nil {
		return law.Law{}, errs.In("pengcde", err, ErrInput)
	}
	return measured, nil
}

// unlikeLaw returns the name of a setting by which c, whose field is f, is not linear in its targets, or "".
func (c Config) unlikeLaw(f field.PENG) (string, error) {
	linear := LinearLaw(c.Nodes)
	of := linear.Field.(field.PENG)
	of.Maps, of.LocalScale = f.Maps, f.LocalScale
	linear.Field, linear.Execution = of, c.Execution
	linear.Path, linear.Method, linear.Adaptive, linear.Step, linear.MaxSteps = c.Path, c.Method, c.Adaptive, c.Step,
		c.MaxSteps
	linear, err := linear.withDefaults()
	return difference(c, linear), err
}

// mustParameter returns a parameter that the configuration declares.
func (m *Model) mustParameter(name string) []float64 {
	values, ok := m.Parameter(name)
	if !ok {
		panic(fmt.Sprintf("pengcde: no parameter %q", name))
	}
	return values
}
