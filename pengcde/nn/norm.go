package nn

import (
	"cmp"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// NormOver selects the entries that share a root mean square; "" means [RowNorm].
type NormOver string

const (
	// RowNorm divides each row by its root mean square, as published. It loses the size of a node's state relative to
	// its neighbours, and its slope is 1/sqrt(epsilon) where a row passes through zero.
	RowNorm NormOver = "row"
	// GraphNorm divides all nodes of a sample by the root mean square over nodes and features.
	GraphNorm NormOver = "graph"
	// NoNorm does not change rows, and has no parameters.
	NoNorm NormOver = "none"
)

// Norm configures how a layer normalises its input; the zero value is the published normalisation.
type Norm struct {
	Over NormOver `json:"Over,omitzero"`
	// Epsilon is added to the mean square; 0 means the published 1e-5 for rows, and 1e-2 for graphs.
	Epsilon float64 `json:"Epsilon,omitzero"`
}

// Check returns an error that wraps [ErrInput] for an unknown Over or an invalid Epsilon.
func (n Norm) Check() error {
	if kinds := []NormOver{RowNorm, GraphNorm, NoNorm}; n.Over != "" && !slices.Contains(kinds, n.Over) {
		return errs.New(ErrInput, "pengcde/nn: norm over %q, want one of %q", n.Over, kinds)
	}
	if !(n.Epsilon >= 0) || n.Epsilon > 1e6 || n.Epsilon > 0 && n.Over == NoNorm {
		return errs.New(ErrInput, "pengcde/nn: norm over %q with epsilon %g, want a positive number, or 0 for the default",
			n.Over, n.Epsilon)
	}
	return nil
}

// Layer returns the norm of rows of a size. It panics if Check returns an error.
func (n Norm) Layer(name string, size int) RMSNorm {
	if err := n.Check(); err != nil {
		panic(err)
	}
	return RMSNorm{Name: name, Size: size, Norm: n}
}

// Resolved returns the zero value for the published norm, and other norms with their epsilon written out.
func (n Norm) Resolved() Norm {
	n.Over = cmp.Or(n.Over, RowNorm)
	if n.Over != NoNorm {
		n.Epsilon = n.epsilon()
	}
	if n == (Norm{RowNorm, rmsEpsilon}) {
		return Norm{}
	}
	return n
}

func (n Norm) epsilon() float64 {
	if n.Over == GraphNorm {
		return cmp.Or(n.Epsilon, graphEpsilon)
	}
	return cmp.Or(n.Epsilon, rmsEpsilon)
}

const (
	rmsEpsilon   = 1e-5 // published
	graphEpsilon = 1e-2
)

// RMSNorm divides entries by their root mean square, sqrt(mean(x²) + epsilon), by default over their row, then scales
// by gain and shifts by bias. It does not subtract the mean.
type RMSNorm struct {
	Name string
	Size int
	Norm
}

// Params declares Name.weight (gain, 1 at start) and Name.bias (shift, 0 at start).
func (r RMSNorm) Params() []Param {
	if r.Over == NoNorm {
		return nil
	}
	return []Param{
		{Name: r.Name + ".weight", Dims: []int{r.Size}, Init: Fill(1)},
		{Name: r.Name + ".bias", Dims: []int{r.Size}, Init: Fill(0)},
	}
}

// Apply normalises x [..., Size] over the last axis or, for graphs, x [batch, n, Size] over the last two axes.
func (r RMSNorm) Apply(v Values, x *Node) *Node {
	if r.Over == NoNorm {
		return x
	}
	gain, shift := v.Spread(v.Get(r.Name+".weight"), x), v.Spread(v.Get(r.Name+".bias"), x)
	return Add(Mul(Mul(x, r.inverse(x)), gain), shift)
}

// inverse returns what x is multiplied by before gain and shift.
func (r RMSNorm) inverse(x *Node) *Node {
	axes := []int{-1}
	if r.Over == GraphNorm {
		axes = []int{-2, -1}
	}
	meanSquare := ReduceAndKeep(Square(x), ReduceMean, axes...)
	return Inverse(Sqrt(AddScalar(meanSquare, r.epsilon()))) // Rsqrt has no gradient in GoMLX 0.28
}
