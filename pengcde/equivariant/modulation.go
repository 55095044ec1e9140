package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Modulation replaces the entries of an adjacency by a learned function of the entry and of the [Identities] of source
// u and target v,
//
//	a_uv <- MLP(a_uv || φ(u) || φ(v)),  MLP of 2k+1 -> 1 with two hidden layers of width 8,
//
// so that later operations may treat nodes differently. It replaces every entry on an edge of the pattern, including
// entries whose weight is 0 at the time; a field declares this by the trait EveryEdge. Other entries stay 0, in a dense
// layout too. (The published code modulates all n² entries, also where there is never an edge; a pattern of all edges
// gives the same.) Sums, diagonal, total and trace are computed from the new entries. They are no longer linear in A,
// and cannot be interpolated.
//
// The first linear map splits into a_uv w + W_s φ(u) + W_t φ(v), so that no vector of length 2k+1 is formed. Memory is
// k n and 8 n numbers for the nodes and 8 for each entry of the neighbour lists. The lists have at most twice the
// edges, plus padding that keeps nodes in few buckets, hence O(edges + k n). A dense layout takes 8 n². The modulation
// is the larger part of a layer: prefer Sparse to Auto, also on small graphs with few edges.
type Modulation struct {
	Name string
	// Size is k.
	Size int
}

func (m Modulation) mlp() nn.MLP {
	return nn.MLP{Name: m.Name, In: 2*m.Size + 1, Out: 1, Width: identityWidth, Depth: identityDepth}
}

// Params declares the parameters of the MLP, named Name.layers.K.
func (m Modulation) Params() []nn.Param { return m.mlp().Params() }

// Apply returns the modulated matrix, given identities φ [n, k]. It panics on parameters of several seeds.
func (m Modulation) Apply(v nn.Values, a *Matrix, identities *Node) *Matrix {
	oneSeed(v, "modulations")
	if a.form.Used {
		panic(errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: modulation of edges that have a weight in a window, want "+
			"all: give the field the trait EveryEdge, or choose Product Dense"))
	}
	weight, bias := v.Get(m.Name+".layers.0.weight"), v.Get(m.Name+".layers.0.bias") // [8, 2k+1], [8]
	columns := func(from, to int) *Node { return Slice(weight, AxisRange(), AxisRange(from, to)) }
	part := func(w *Node) *Node { return DotGeneral(identities, []int{1}, nil, w, []int{1}, nil) } // [n, 8]
	source := Add(part(columns(1, 1+m.Size)), ExpandLeftToRank(bias, 2))
	target := part(columns(1+m.Size, 1+2*m.Size))
	modulated := a.With(a.operator.modulateEdges(a.form.Symmetric, a.Rows, Squeeze(columns(0, 1), 1), source, target,
		func(x *Node) *Node { return m.mlp().Continue(v, x) }))
	modulated.form.Symmetric = false // f(a_uv, u, v) differs from f(a_vu, v, u)
	return modulated
}
