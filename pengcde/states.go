package pengcde

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// states returns the number of states of a field that are stored side by side, see [field.Traits].
func states(f field.Field) int { return max(1, traits(f).States) }

// encoders encode each of the states from the same features or matrix, and concatenate them.
type encoders []nn.Layer

func (e encoders) Params() []nn.Param { return nn.ParamsOf(e...) }

func (e encoders) Apply(v nn.Values, x *Node) *Node {
	each := make([]*Node, len(e))
	for i, one := range e {
		each[i] = one.Apply(v, x)
	}
	return Concatenate(each, -1)
}

// ofRows returns z0 [B, n, hidden] for the rows of the first snapshots' matrices. It multiplies a matrix by the first
// linear map of each network and never forms the rows.
func (e encoders) ofRows(v nn.Values, a *equivariant.Matrix) *Node {
	each := make([]*Node, len(e))
	for i, one := range e {
		first := one.Params()[:2] // weight and bias of the first map
		x := a.Times(Transpose(v.Get(first[0].Name), 0, 1))
		each[i] = one.(nn.MLP).Continue(v, Add(x, v.Spread(v.Get(first[1].Name), x)))
	}
	return Concatenate(each, -1)
}

// encoder returns the encoders of features, or with Config.RowFeatures of matrix rows.
func (c Config) encoder() (each encoders) {
	m := nn.MLP{In: c.Mask.Width(c.Features), Out: c.Hidden, Width: head.CoderWidth, Depth: head.CoderDepth}
	if c.RowFeatures > 0 {
		if m.In = c.Nodes; c.LinearCoders {
			m.Depth = 0
		}
	}
	for i := range states(c.Field) {
		if m.Name = "encoder"; states(c.Field) > 1 {
			m.Name = fmt.Sprintf("encoder.%d", i)
		}
		if c.LinearCoders && c.RowFeatures == 0 {
			each = append(each, nn.Linear{Name: m.Name, In: m.In, Out: m.Out})
		} else {
			each = append(each, m)
		}
	}
	return each
}
