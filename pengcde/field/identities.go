package field

import (
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// modulated is the common part of fields with [equivariant.Identities]. For size 0 it changes nothing.
type modulated struct {
	equivariant.Identities
	modulations [2]equivariant.Modulation // of A, or of the single matrix of a field, and of A'
}

func withIdentities(i equivariant.Identities) modulated {
	i.Name = "field.identities"
	return modulated{i, [2]equivariant.Modulation{
		{Name: "field.modulation", Size: i.Size}, {Name: "field.modulation_derivative", Size: i.Size}}}
}

func (m modulated) traits(perChannel bool) Traits {
	return Traits{EveryEdge: m.Size > 0, Seeds: m.Size == 0, PerChannel: perChannel}
}

// params declares field.identities, then the modulations of the given number of matrices.
func (m modulated) params(matrices int) []nn.Param {
	if m.Size == 0 {
		return nil
	}
	return append(m.Params(), nn.ParamsOf(m.modulations[:matrices]...)...)
}

// apply modulates one matrix, or A and A'.
func (m modulated) apply(v nn.Values, matrices ...*equivariant.Matrix) []*equivariant.Matrix {
	if m.Size == 0 {
		return matrices
	}
	identities := m.Apply(v, matrices[0].Nodes())
	for k, a := range matrices {
		matrices[k] = m.modulations[k].Apply(v, a, identities)
	}
	return matrices
}

// both returns the signal with A and A' modulated.
func (m modulated) both(v nn.Values, s signal) signal {
	both := m.apply(v, s.a, s.da)
	s.a, s.da = both[0], both[1]
	return s
}
