package field

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Rows drives a field by the rows of the matrices, for nodes without features. Node u is controlled by the path of W
// A_u(t), its row of n entries mapped to Width features. Because the map is linear,
//
//	dx_u/dt = W A'_u(t)
//
// is one more product with A'. If A' is sparse its n² entries are never formed. A bias would not change dx/dt. The
// field gets Width features and no others. W distinguishes nodes, so a relabelling of the nodes changes the field.
type Rows struct {
	Field        Field
	Nodes, Width int
}

// rowsWeight is the name of W [Width, Nodes].
const rowsWeight = "field.rows.weight"

// Params declares W, named field.rows.weight, and the parameters of the field.
func (r Rows) Params() []nn.Param {
	if r.Nodes < 1 || r.Width < 1 || r.Width > nn.MaxWidth {
		panic(invalid("rows of %d nodes as %d features, want at least 1 node and 1 to %d features", r.Nodes, r.Width,
			nn.MaxWidth))
	}
	weight := nn.Linear{Name: "field.rows", In: r.Nodes, Out: r.Width}.Params()[0]
	return append([]nn.Param{weight}, r.Field.Params()...)
}

// Derivative implements [Field].
func (r Rows) Derivative(v nn.Values, c *Control, t, z *Node) *Node {
	if v.Seeds > 0 {
		panic(invalid("rows with parameters of %d seeds, want the parameters of one seed at a time", v.Seeds))
	}
	seen := *c
	seen.columns = Transpose(v.Get(rowsWeight), 0, 1)
	return r.Field.Derivative(v, &seen, t, z)
}
