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
// whole series, determine its units. With other options of the field, or with more than one state, hidden layer or
// target, the error wraps [ErrInput].
func (m *Model) Law(windows []dyngraph.Window) (law.Law, error) {
	f, ok := m.config.Field.(field.PENG)
	if c := m.config; !ok || c.Hidden != 1 || c.Layers != 1 || c.Outputs != 1 || !c.LinearCoders || !c.GraphOnly ||
		c.Normalise != dyngraph.MeanDegree || f.Style.Norm.Over != nn.NoNorm || f.Style.Linear || f.Style.Feedback ||
		f.DerivativeIn != field.LastLayer || f.DerivativeMaps != nil {
		return law.Law{}, invalid("the law of a model with another configuration: make it with LinearLaw")
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
	degree := 0.0
	for _, w := range windows {
		if err := m.check(w); err != nil {
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

// mustParameter returns a parameter that the configuration declares.
func (m *Model) mustParameter(name string) []float64 {
	values, ok := m.Parameter(name)
	if !ok {
		panic(fmt.Sprintf("pengcde: no parameter %q", name))
	}
	return values
}
