package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Modulation replaces the entries of an adjacency by learned functions of themselves and of the [Identities] of source
// u and target v,
//
//	a_uv <- MLP(a_uv || φ(u) || φ(v)),  MLP of 2k+1 -> 1 with two hidden layers of width 8,
//
// so that later operations may treat nodes differently. It replaces every entry on an edge of the pattern, also the
// entries of weight 0 at the time, which a field says by the trait EveryEdge; other entries stay 0, in a dense layout
// too. (The published code modulates all n² entries, also where there is never an edge; a pattern of all edges gives
// that.) Sums, diagonal, total and trace are computed from the new entries: they are not linear in A any more, and
// cannot be interpolated.
//
// The first linear map splits into a_uv w + W_s φ(u) + W_t φ(v), so that no vector of length 2k+1 is formed: memory is
// k n and 8 n numbers for the nodes and 8 for each entry of the neighbour lists, at most twice the edges and the places
// that keep nodes in few buckets, hence O(edges + k n); a dense layout takes 8 n². It is the larger part of a layer:
// prefer Sparse to Auto also on small graphs with few edges.
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

// Apply is the modulated matrix; identities are φ [n, k]. It panics on parameters of several seeds.
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
	modulated.form.Symmetric = false // f(a_uv, u, v) is not f(a_vu, v, u)
	return modulated
}
