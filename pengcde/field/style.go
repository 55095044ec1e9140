package field

import (
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Style configures the layers of a field on graphs. The zero value is the published style; [WellPosed] is the style
// that trains.
type Style struct {
	// Norm is the norm that a layer divides its input by.
	Norm nn.Norm `json:"Norm,omitzero"`
	// Activation is the activation between layers.
	Activation nn.Activation `json:"Activation,omitzero"`
	// Linear adds a linear part to dZ/dt: one more layer on Z, with its own message matrix, weights and bias, and
	// without norm and activation. Weights and bias start at zero.
	Linear bool `json:"Linear,omitzero"`
	// Feedback adds -k Z to dZ/dt, with a rate k >= 0 for each feature of the state, learned as
	// softplus(field.feedback).
	Feedback bool `json:"Feedback,omitzero"`
}

// WellPosed returns the style of fields that train: a norm over the graph, which keeps the size of a node's state
// relative to its neighbours, and a smooth activation. docs/which-settings.md measures the effect of each.
func WellPosed() Style {
	return Style{Norm: nn.Norm{Over: nn.GraphNorm}, Activation: nn.SiLU}
}

// Resolved returns the style with the norm's epsilon written out and published choices as zero values, so that styles
// that compute the same are equal.
func (s Style) Resolved() Style {
	s.Norm = s.Norm.Resolved()
	if s.Activation == nn.Rectified {
		s.Activation = ""
	}
	return s
}

// Layers selects the layers of a field that see A'.
type Layers string

const (
	// EveryLayer has A' in the message matrix of each layer, as published. With L layers F is of order L in A' without
	// a norm. With one it grows like the first power, but is not linear in A', so the state's response to several
	// changes depends on whether they come at once.
	EveryLayer Layers = "every"
	// LastLayer has A' only in the last layer. F is then affine in A',
	//
	//	F(Z, A, A') = f(Z, A) dτ/dt + g(Z, A)[A']
	//
	// where τ is the time channel, as in a controlled differential equation dZ = f(Z, A) dτ + g(Z, A) dA. So the
	// solution does not depend on the clock. If a jump of A is spread over shorter and shorter intervals, the solution
	// has a limit, and small changes add up in it.
	LastLayer Layers = "last"
	// NoLayer omits A': F depends only on A.
	NoLayer Layers = "none"
)

// check panics on an unknown value, and on options that do not apply to it.
func (l Layers) check(perChannel bool, identities equivariant.Identities) {
	switch l {
	case "", EveryLayer:
	case LastLayer, NoLayer:
		if perChannel {
			panic(invalid("PerChannel beside DerivativeIn %q, whose solution does not depend on the clock: leave it out", l))
		}
		if l == LastLayer && identities.Size > 0 {
			panic(invalid("Identities beside DerivativeIn %q: their MLP of the entries of A' is not linear in A'; take %q or "+
				"%q", l, EveryLayer, NoLayer))
		}
	default:
		panic(invalid("DerivativeIn %q, want one of %q", l, []Layers{EveryLayer, LastLayer, NoLayer}))
	}
}

// Resolved returns the zero value for the published choice, so that configurations that compute the same are equal.
func (l Layers) Resolved() Layers {
	if l == EveryLayer {
		return ""
	}
	return l
}

// every reports whether all layers see A'.
func (l Layers) every() bool { return l == "" || l == EveryLayer }
