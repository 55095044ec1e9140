package field

import (
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// modulated is what fields with [equivariant.Identities] share. For size 0 it leaves everything as it is.
type modulated struct{ equivariant.Identities }

func withIdentities(i equivariant.Identities) modulated {
	i.Name = "field.identities"
	return modulated{i}
}

func (m modulated) modulation(name string) equivariant.Modulation {
	return equivariant.Modulation{Name: "field." + name, Size: m.Size}
}

// params declares field.identities, then a modulation field.NAME for each of the names.
func (m modulated) params(names ...string) []nn.Param {
	if m.Size == 0 {
		return nil
	}
	params := m.Params()
	for _, name := range names {
		params = append(params, m.modulation(name).Params()...)
	}
	return params
}

// apply modulates the k-th of some matrices by the k-th name.
func (m modulated) apply(v nn.Values, names []string, matrices ...*equivariant.Matrix) []*equivariant.Matrix {
	if m.Size == 0 {
		return matrices
	}
	identities := m.Apply(v, matrices[0].Nodes())
	out := make([]*equivariant.Matrix, len(matrices))
	for k, a := range matrices {
		out[k] = m.modulation(names[k]).Apply(v, a, identities)
	}
	return out
}

// forBoth names the modulations of A and of A'.
var forBoth = []string{"modulation", "modulation_derivative"}

// both is the signal with A and A' modulated.
func (m modulated) both(v nn.Values, s signal) signal {
	both := m.apply(v, forBoth, s.a, s.da)
	s.a, s.da = both[0], both[1]
	return s
}
