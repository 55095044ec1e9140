package nn

import (
	"cmp"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Activation is a function of each entry; "" is [Rectified].
type Activation string

const (
	// Rectified is max(x, 0), as published, see [ReLU].
	Rectified Activation = "relu"
	// SiLU is x / (1 + e^-x), smooth. S. Elfwing, E. Uchibe, K. Doya, Sigmoid-Weighted Linear Units, 2018.
	SiLU Activation = "silu"
	// HyperbolicTangent is tanh x, smooth and bounded.
	HyperbolicTangent Activation = "tanh"
)

// Check finds a function that does not exist; the error wraps [ErrInput].
func (a Activation) Check() error {
	if all := []Activation{Rectified, SiLU, HyperbolicTangent}; a != "" && !slices.Contains(all, a) {
		return errs.New(ErrInput, "pengcde/nn: activation %q, want one of %q", a, all)
	}
	return nil
}

// Apply is the function of each entry of x. It panics where Check errs.
func (a Activation) Apply(x *Node) *Node {
	if err := a.Check(); err != nil {
		panic(err)
	}
	switch a {
	case SiLU:
		return Mul(x, Sigmoid(x))
	case HyperbolicTangent:
		return Tanh(x)
	}
	return ReLU(x)
}

// ReLU is max(x, 0) with derivative 0 at 0.
func ReLU(x *Node) *Node { return Where(GreaterThan(x, ZerosLike(x)), x, ZerosLike(x)) }

// Resolved writes out the zero value.
func (a Activation) Resolved() Activation { return cmp.Or(a, Rectified) }

// withSlopes are the function of each entry of x, ReLU or SiLU, and its derivative there, in operations that functions
// of [xla.Call] may have.
func (a Activation) withSlopes(x *Node) (y, slopes *Node) {
	one := ExpandAxes(constant(x, 1, 1, 1), 0)
	if a == SiLU {
		sigmoid := Logistic(x)
		y = Mul(x, sigmoid)
		return y, Add(sigmoid, Mul(y, Sub(one, sigmoid)))
	}
	zeros := Sub(x, x)
	positive := GreaterThan(x, zeros)
	return Where(positive, x, zeros), Where(positive, Add(zeros, one), zeros)
}
