package pengcde

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// states returns the number of states of a field that are stored side by side, see [field.Traits].
func states(f field.Field) int { return max(1, traits(f).States) }

// beside encodes each of several states from the same features and concatenates them.
type beside []layer

func (b beside) Params() []nn.Param {
	var params []nn.Param
	for _, one := range b {
		params = append(params, one.Params()...)
	}
	return params
}

func (b beside) Apply(v nn.Values, x *Node) *Node {
	each := make([]*Node, len(b))
	for i, one := range b {
		each[i] = one.Apply(v, x)
	}
	return Concatenate(each, -1)
}

// encoder returns the encoder of features.
func (c Config) encoder() layer {
	features, count := c.Mask.Width(c.Features), states(c.Field)
	named := func(name string) layer {
		if c.LinearCoders {
			return nn.Linear{Name: name, In: features, Out: c.Hidden}
		}
		return nn.MLP{Name: name, In: features, Out: c.Hidden, Width: head.CoderWidth, Depth: head.CoderDepth}
	}
	if count == 1 {
		return named("encoder")
	}
	var each beside
	for i := range count {
		each = append(each, named(fmt.Sprintf("encoder.%d", i)))
	}
	return each
}
