package tokens

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// dygFormer is a transformer over patches of the node and its events, and takes their mean. A patch has channels: of
// nodes if there are identities, of weights, of times, and of how often a node occurs in the sequence. With a second
// node that is the same, as here, both counts are equal, and attention to both sequences is attention to one.
type dygFormer struct {
	Config
	clock    clock
	count    [2]nn.Linear
	channels []nn.Linear // of a patch; of nodes last
	layers   []transformer
	output   nn.Linear
}

func newDyGFormer(c Config) *dygFormer {
	linear := func(name string, in int) nn.Linear { return nn.Linear{Name: name, In: in, Out: c.Channel} }
	d := &dygFormer{Config: c, clock: clock{c}, count: [2]nn.Linear{linear("count.in", 1),
		linear("count.out", c.Channel)}}
	if c.Identities {
		d.channels = append(d.channels, linear("node", c.Patch*c.Width))
	}
	d.channels = append(d.channels, linear("weight", c.Patch), linear("time", c.Patch*c.TimeWidth),
		linear("count", c.Patch*c.Channel))
	width := len(d.channels) * c.Channel
	d.output = outputOf(c, width)
	for i := range c.Layers {
		d.layers = append(d.layers, newTransformer(c, i, width, gelu))
	}
	return d
}

func (d *dygFormer) Params() []nn.Param {
	params := append(d.clock.Params(), nn.ParamsOf(d.count[:]...)...)
	params = append(append(params, nn.ParamsOf(d.channels...)...), nn.ParamsOf(d.layers...)...)
	return append(params, d.output.Params()...)
}

// apply implements [encoder].
func (d *dygFormer) apply(v nn.Values, e events, drop func(*Node) *Node) *Node {
	e = e.withNode()
	there := ExpandAxes(e.there, -1)
	same := ConvertDType(Equal(ExpandAxes(e.peer, 2), ExpandAxes(e.peer, 1)), there.DType())
	count := Mul(ReduceAndKeep(Mul(same, ExpandAxes(e.there, 1)), ReduceSum, -1), there) // [Q, k+1, 1]
	count = MulScalar(d.count[1].Apply(v, nn.ReLU(d.count[0].Apply(v, count))), 2)       // in both sequences
	var parts []*Node
	if d.Identities {
		parts = append(parts, Mul(ranker.Rows(v.Get(identities), e.peer), there))
	}
	parts = append(parts, e.weight, Mul(d.clock.Apply(v, e.age), there), count)
	for i, part := range parts {
		q, width := part.Shape().Dim(0), part.Shape().Dim(2)
		parts[i] = d.channels[i].Apply(v, Reshape(part, q, -1, d.Patch*width))
	}
	x := Concatenate(parts, -1)
	for _, layer := range d.layers {
		x = layer.before(v, x, drop)
	}
	return d.output.Apply(v, ReduceMean(x, 1))
}
