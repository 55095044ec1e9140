package nn

import (
	"cmp"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Activation is an activation function, applied to each entry; "" means [Rectified].
type Activation string

const (
	// Rectified is max(x, 0), as published, see [ReLU].
	Rectified Activation = "relu"
	// SiLU is x / (1 + e^-x), smooth. S. Elfwing, E. Uchibe, K. Doya, Sigmoid-Weighted Linear Units, 2018.
	SiLU Activation = "silu"
	// HyperbolicTangent is tanh x, smooth and bounded.
	HyperbolicTangent Activation = "tanh"
)

// Check returns an error that wraps [ErrInput] for an unknown function.
func (a Activation) Check() error {
	if all := []Activation{Rectified, SiLU, HyperbolicTangent}; a != "" && !slices.Contains(all, a) {
		return errs.New(ErrInput, "pengcde/nn: activation %q, want one of %q", a, all)
	}
	return nil
}

// Apply applies the function to each entry of x. It panics if Check returns an error.
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

// Resolved returns the function with the zero value replaced by [Rectified].
func (a Activation) Resolved() Activation { return cmp.Or(a, Rectified) }

// withSlopes returns the function, ReLU or SiLU, and its derivative at each entry of x.
func (a Activation) withSlopes(x *Node) (y, slopes *Node) {
	if a == SiLU {
		sigmoid := Logistic(x)
		y = Mul(x, sigmoid)
		return y, Add(sigmoid, Mul(y, OneMinus(sigmoid)))
	}
	positive := GreaterThan(x, ZerosLike(x))
	return ReLU(x), ConvertDType(positive, x.DType())
}
