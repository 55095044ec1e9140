package tokens

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// tcl is a transformer over the node itself, as an event of weight 0 at the question, and its events. It takes the
// node's token.
type tcl struct {
	Config
	clock              clock
	node, weight, time nn.Linear
	layers             []transformer
	output             nn.Linear
}

func newTCL(c Config) *tcl {
	linear := func(name string, in int) nn.Linear { return nn.Linear{Name: name, In: in, Out: c.Width} }
	t := &tcl{Config: c, clock: clock{c}, node: linear("node", c.Width), weight: linear("weight", 1),
		time: linear("time", c.TimeWidth), output: outputOf(c, c.Width)}
	for i := range c.Layers {
		t.layers = append(t.layers, newTransformer(c, i, c.Width, nn.ReLU))
	}
	return t
}

// depths is a vector for each slot in the sequence.
const depths = "depths"

func (t *tcl) Params() []nn.Param {
	var params []nn.Param
	if t.Identities {
		params = t.node.Params()
	}
	params = append(params, nn.ParamsOf[nn.Layer](t.clock, t.weight, t.time)...)
	params = append(params, nn.Param{Name: depths, Dims: []int{t.Neighbours + 1, t.Width}, Init: nn.Normal(1)})
	return append(append(params, nn.ParamsOf(t.layers...)...), t.output.Params()...)
}

// apply implements [encoder].
func (t *tcl) apply(v nn.Values, e events, drop func(*Node) *Node) *Node {
	e = e.withNode()
	x := Add(t.weight.Apply(v, e.weight), t.time.Apply(v, t.clock.Apply(v, e.age))) // [Q, k+1, Width]
	if t.Identities {
		x = Add(x, t.node.Apply(v, ranker.Rows(v.Get(identities), e.peer)))
	}
	x = Add(x, v.Spread(v.Get(depths), x))
	for _, layer := range t.layers {
		for range 2 { // to its own tokens, then to the other node's, which are the same
			x = layer.after(v, x, e.there, drop)
		}
	}
	return t.output.Apply(v, Squeeze(Slice(x, AxisRange(), AxisElem(0)), 1))
}
