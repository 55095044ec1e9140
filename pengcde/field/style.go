package field

import (
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Style says how the layers of a field on graphs compute. The zero value is as published; [WellPosed] trains.
type Style struct {
	// Norm is what a layer divides its input by.
	Norm nn.Norm `json:"Norm,omitzero"`
	// Activation stands between layers.
	Activation nn.Activation `json:"Activation,omitzero"`
	// Linear adds a linear part to dZ/dt: one more layer on Z, with message matrix, weights and bias of its own, without
	// norm and activation. Weights and bias start at zero.
	Linear bool `json:"Linear,omitzero"`
	// Feedback adds -k Z to dZ/dt, with a rate k >= 0 for each feature of the state, learnt as softplus(field.feedback).
	Feedback bool `json:"Feedback,omitzero"`
}

// WellPosed is the style of fields that train: a norm over the graph, which keeps how large a node's state is beside
// its neighbours', and a smooth activation. docs/equation.md says what each is worth.
func WellPosed() Style {
	return Style{Norm: nn.Norm{Over: nn.GraphNorm}, Activation: nn.SiLU}
}

// Resolved writes out the norm's epsilon, and has the zero value for published choices, so that styles that compute the
// same are equal.
func (s Style) Resolved() Style {
	s.Norm = s.Norm.Resolved()
	if s.Activation == nn.Rectified {
		s.Activation = ""
	}
	return s
}

// Layers says which layers of a field see A'.
type Layers string

const (
	// EveryLayer has A' in the message matrix of each layer, as published. With L layers F is of order L in A', so that
	// the state's response to a change depends on how fast it happens.
	EveryLayer Layers = "every"
	// LastLayer has A' in the last layer alone. F is then affine in A',
	//
	//	F(Z, A, A') = f(Z, A) dτ/dt + g(Z, A)[A']
	//
	// with τ the time channel, as in a controlled differential equation dZ = f(Z, A) dτ + g(Z, A) dA. So the solution
	// does not depend on the clock, and a jump of A that is joined over a shorter and shorter interval has a limit.
	LastLayer Layers = "last"
	// NoLayer leaves A' out: F depends on A alone.
	NoLayer Layers = "none"
)

// check panics on a value that does not exist, and on options that mean nothing beside it.
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

// every says whether all layers see A'.
func (l Layers) every() bool { return l == "" || l == EveryLayer }
