package field

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Products multiplies node states x [batch, n, d] by the graph at times t [batch]: A(t) x and A'(t) x, as a field of
// one's own needs them. Steps should end where the graph changes, see [Sample.Changes].
func (c *Control) Products(t, x *Node) (ax, dax *Node) {
	s := c.at(t, x.Shape().Dim(1), 0)
	return s.a.Apply(x), s.da.Apply(x)
}
