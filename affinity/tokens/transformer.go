package tokens

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// transformer is a layer of a transformer on x [Q, k, width]. A. Vaswani et al., Attention Is All You Need, NeurIPS
// 2017.
type transformer struct {
	heads                  int
	query, key, value, mix nn.Linear
	in, out                nn.Linear
	norms                  [2]nn.LayerNorm
	activation             func(*Node) *Node
}

func newTransformer(c Config, layer, w int, activation func(*Node) *Node) transformer {
	linear := func(name string, in, out int) nn.Linear {
		return nn.Linear{Name: fmt.Sprintf("transformer.%d.%s", layer, name), In: in, Out: out}
	}
	norm := func(k int) nn.LayerNorm {
		return nn.LayerNorm{Name: fmt.Sprintf("transformer.%d.norm.%d", layer, k), Size: w}
	}
	return transformer{c.Heads, linear("query", w, w), linear("key", w, w), linear("value", w, w), linear("mix", w, w),
		linear("in", w, 4*w), linear("out", 4*w, w), [2]nn.LayerNorm{norm(0), norm(1)}, activation}
}

func (t transformer) Params() []nn.Param {
	return nn.ParamsOf[nn.Layer](t.query, t.key, t.value, t.mix, t.norms[0], t.in, t.out, t.norms[1])
}

// after normalises sums: y = norm(x + attention(x)), then norm(y + f(y)). Only tokens that are there [Q, k] are
// attended to.
func (t transformer) after(v nn.Values, x, there *Node, drop func(*Node) *Node) *Node {
	y := t.norms[0].Apply(v, Add(x, t.attention(v, x, there, drop)))
	return t.norms[1].Apply(v, Add(y, t.feedforward(v, y, drop)))
}

// before normalises terms: y = x + attention(norm(x)), then y + f(norm(y)). All tokens are attended to.
func (t transformer) before(v nn.Values, x *Node, drop func(*Node) *Node) *Node {
	y := Add(x, t.attention(v, t.norms[0].Apply(v, x), nil, drop))
	return Add(y, t.feedforward(v, t.norms[1].Apply(v, y), drop))
}

func (t transformer) feedforward(v nn.Values, x *Node, drop func(*Node) *Node) *Node {
	return drop(t.out.Apply(v, drop(t.activation(t.in.Apply(v, x)))))
}

func (t transformer) attention(v nn.Values, x, there *Node, drop func(*Node) *Node) *Node {
	q, k, width := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	heads := func(l nn.Linear) *Node { // [Q, heads, k, width of a head]
		return Transpose(Reshape(l.Apply(v, x), q, k, t.heads, width/t.heads), 1, 2)
	}
	score := Einsum("qhiw,qhjw->qhij", heads(t.query), heads(t.key))
	score = DivScalar(score, math.Sqrt(float64(width/t.heads)))
	if there != nil {
		score = Add(score, MulScalar(OneMinus(ExpandAxes(there, 1, 2)), -1e9))
	}
	mixed := Einsum("qhij,qhjw->qhiw", drop(Softmax(score, -1)), heads(t.value))
	return drop(t.mix.Apply(v, Reshape(Transpose(mixed, 1, 2), q, k, width)))
}
