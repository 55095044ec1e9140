package pengcde

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// ofRows encodes the rows of the first snapshot's matrix, each state with its own network. It multiplies the matrix by
// the network's first linear map and never forms the rows.
type ofRows []nn.MLP

// rowEncoder returns the encoder of matrix rows; nil if features are encoded.
func (c Config) rowEncoder() ofRows {
	if c.RowFeatures == 0 {
		return nil
	}
	var each ofRows
	for i := range states(c.Field) {
		m := nn.MLP{Name: "encoder", In: c.Nodes, Out: c.Hidden, Width: head.CoderWidth, Depth: head.CoderDepth}
		if c.LinearCoders {
			m.Depth = 0
		}
		if states(c.Field) > 1 {
			m.Name = fmt.Sprintf("encoder.%d", i)
		}
		each = append(each, m)
	}
	return each
}

// Params declares the parameters of all networks.
func (r ofRows) Params() (params []nn.Param) {
	for _, m := range r {
		params = append(params, m.Params()...)
	}
	return params
}

// encode returns z0 [B, n, hidden] for the matrices of a batch.
func (r ofRows) encode(v nn.Values, a *equivariant.Matrix) *Node {
	each := make([]*Node, len(r))
	for i, m := range r {
		first := m.Params()[:2] // weight and bias of the first map
		x := a.Times(Transpose(v.Get(first[0].Name), 0, 1))
		each[i] = m.Continue(v, Add(x, v.Spread(v.Get(first[1].Name), x)))
	}
	return Concatenate(each, -1)
}
