package equivariant

import (
	"errors"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// ErrIdentities is wrapped by errors about invalid identities.
var ErrIdentities = errors.New("invalid identities")

// IdentityKind selects how the number of a node becomes its identity; "" is [IdentityMLP].
type IdentityKind string

const (
	// IdentityMLP is an MLP of the number, 1 -> k with two hidden layers of width 8, as in the published code.
	IdentityMLP IdentityKind = "mlp"
	// IdentityLinear is a linear map of the number, 1 -> k.
	IdentityLinear IdentityKind = "linear"
	// IdentityTable is a learned row for each node, initialised N(0, 1).
	IdentityTable IdentityKind = "table"
)

var identityKinds = []IdentityKind{IdentityMLP, IdentityLinear, IdentityTable}

// Identities are vectors φ(u) of k numbers that identify the nodes u = 0 .. n-1, for a [Modulation]. Results that
// depend on them are tied to the numbering of the nodes. As in the published code, the node number enters unscaled.
// With many nodes the gradient of the first weights of an MLP or a linear map is therefore large. A table has no such
// scale.
type Identities struct {
	// Name is the prefix of the parameters. Fields set their own.
	Name string `json:"Name"`
	// Kind defaults to IdentityMLP.
	Kind IdentityKind `json:"Kind"`
	// Size is k, 512 in the paper; 0 for no identities.
	Size int `json:"Size"`
	// Nodes is n, which only a table needs.
	Nodes int `json:"Nodes"`
}

// Check returns an error for an unknown Kind, a Size out of range or a table without Nodes; it wraps [ErrIdentities].
func (i Identities) Check() error {
	switch {
	case i.Kind != "" && !slices.Contains(identityKinds, i.Kind):
		return errs.New(ErrIdentities, "pengcde/equivariant: identities %q, want one of %q", i.Kind, identityKinds)
	case i.Size < 0 || i.Size > nn.MaxWidth:
		return errs.New(ErrIdentities, "pengcde/equivariant: identities of size %d, want 1 to %d, or 0 for none", i.Size,
			nn.MaxWidth)
	case i.Size > 0 && i.Kind == IdentityTable && i.Nodes < 1:
		return errs.New(ErrIdentities, "pengcde/equivariant: a table of identities for %d nodes, want their number in "+
			"Nodes", i.Nodes)
	}
	return nil
}

// network returns the network from a node number to its identity, for kinds other than a table.
func (i Identities) network() interface {
	Params() []nn.Param
	Apply(nn.Values, *Node) *Node
} {
	if i.Kind == IdentityLinear {
		return nn.Linear{Name: i.Name, In: 1, Out: i.Size}
	}
	return nn.MLP{Name: i.Name, In: 1, Out: i.Size, Width: identityWidth, Depth: identityDepth}
}

// identityWidth and identityDepth are the width and depth of all MLPs of identities in the published code.
const identityWidth, identityDepth = 8, 2

// Params declares the parameters of the MLP, Name.layers.K, or of the linear map, or Name.table [n, k]. It panics if
// Check returns an error.
func (i Identities) Params() []nn.Param {
	if err := i.Check(); err != nil {
		panic(err)
	}
	if i.Kind == IdentityTable {
		return []nn.Param{{Name: i.Name + ".table", Dims: []int{i.Nodes, i.Size}, Init: nn.Normal(1)}}
	}
	return i.network().Params()
}

// Apply returns φ [n, k] of the nodes 0 .. n-1. It panics on parameters of several seeds.
func (i Identities) Apply(v nn.Values, n int) *Node {
	oneSeed(v, "identities")
	if i.Kind == IdentityTable {
		if n != i.Nodes {
			panic(errs.New(ErrIdentities, "pengcde/equivariant: identities of %d nodes, the graphs have %d", i.Nodes, n))
		}
		return v.Get(i.Name + ".table")
	}
	network := i.network()
	like := v.Get(network.Params()[0].Name)
	return network.Apply(v, Iota(like.Graph(), shapes.Make(like.DType(), n, 1), 0))
}

// oneSeed panics on parameters of several seeds, for layers that take only one.
func oneSeed(v nn.Values, part string) {
	if v.Seeds > 0 {
		panic(errs.New(ErrIdentities, "pengcde/equivariant: %s take the parameters of one seed at a time, got %d "+
			"seeds: bind each seed's in a program of its own", part, v.Seeds))
	}
}
