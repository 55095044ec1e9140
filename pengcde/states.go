package pengcde

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// states is the number of states side by side that a field has, see [field.Traits].
func states(f field.Field) int { return max(1, traits(f).States) }

// beside encodes each of several states side by side from the same features.
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

// ofLast reads the last of several states side by side, of the given width.
type ofLast struct {
	layer
	width int
}

func (l ofLast) Apply(v nn.Values, z *Node) *Node {
	ranges := make([]SliceAxisSpec, z.Rank())
	for i := range ranges {
		ranges[i] = AxisRange()
	}
	ranges[len(ranges)-1] = AxisRange(z.Shape().Dim(-1) - l.width)
	return l.layer.Apply(v, Slice(z, ranges...))
}

// coders are encoder and readout of the configuration.
func (c Config) coders() (encoder, readout layer) {
	features, count := c.Mask.Width(c.Features), states(c.Field)
	make := func(name string, in, out int) layer {
		if c.LinearCoders {
			return nn.Linear{Name: name, In: in, Out: out}
		}
		return nn.MLP{Name: name, In: in, Out: out, Width: coderWidth, Depth: coderDepth}
	}
	encoder, readout = make("encoder", features, c.Hidden), make("readout", c.Hidden, c.Outputs)
	if count == 1 {
		return encoder, readout
	}
	var each beside
	for i := range count {
		each = append(each, make(fmt.Sprintf("encoder.%d", i), features, c.Hidden))
	}
	return each, ofLast{readout, c.Hidden}
}
