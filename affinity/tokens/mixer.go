package tokens

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// graphMixer mixes the tokens of events, and takes their mean.
type graphMixer struct {
	Config
	token  nn.Linear // of weight and encoded time
	layers []mixer
	output nn.Linear
}

func newGraphMixer(c Config) *graphMixer {
	width := c.Width
	if c.Identities {
		width *= 2
	}
	g := &graphMixer{Config: c, token: nn.Linear{Name: "token", In: 1 + c.TimeWidth, Out: c.Width},
		output: outputOf(c, width)}
	for i := range c.Layers {
		g.layers = append(g.layers, newMixer(c, i))
	}
	return g
}

func (g *graphMixer) Params() []nn.Param {
	return append(append(g.token.Params(), nn.ParamsOf(g.layers...)...), g.output.Params()...)
}

// apply implements [encoder]. The frequencies of times are not learned.
func (g *graphMixer) apply(v nn.Values, e events, drop func(*Node) *Node) *Node {
	there := ExpandAxes(e.there, -1)
	clock := ConvertDType(Const(e.age.Graph(), [][][]float64{{g.frequencies()}}), e.age.DType())
	x := g.token.Apply(v, Concatenate([]*Node{e.weight, Mul(Cos(Mul(e.age, clock)), there)}, -1))
	for _, m := range g.layers {
		x = m.apply(v, x, drop)
	}
	x = ReduceMean(x, 1)
	if !g.Identities {
		return g.output.Apply(v, x)
	}
	table := v.Get(identities)
	count := MaxScalar(ReduceSum(there, 1), 1)
	mean := Div(ReduceSum(Mul(ranker.Rows(table, e.peer), there), 1), count)
	return g.output.Apply(v, Concatenate([]*Node{x, Add(mean, ranker.Rows(table, e.node))}, -1))
}

// mixer is a layer of MLP-Mixer on x [Q, k, Width]: x + f(norm(x)) over tokens, then the same over channels, with
// f(x) = W2 gelu(W1 x + b1) + b2.
type mixer struct{ tokens, channels perceptron }

func newMixer(c Config, layer int) mixer {
	name := fmt.Sprintf("mixer.%d.", layer)
	return mixer{newPerceptron(name+"tokens", c.Neighbours, c.Neighbours/2), newPerceptron(name+"channels", c.Width,
		4*c.Width)}
}

func (m mixer) Params() []nn.Param { return append(m.tokens.Params(), m.channels.Params()...) }

func (m mixer) apply(v nn.Values, x *Node, drop func(*Node) *Node) *Node {
	x = Add(x, Transpose(m.tokens.apply(v, Transpose(x, 1, 2), drop), 1, 2))
	return Add(x, m.channels.apply(v, x, drop))
}

// perceptron has a hidden layer, behind a norm.
type perceptron struct {
	norm    nn.LayerNorm
	in, out nn.Linear
}

func newPerceptron(name string, width, hidden int) perceptron {
	return perceptron{nn.LayerNorm{Name: name + ".norm", Size: width}, nn.Linear{Name: name + ".in", In: width,
		Out: hidden}, nn.Linear{Name: name + ".out", In: hidden, Out: width}}
}

func (p perceptron) Params() []nn.Param { return nn.ParamsOf[nn.Layer](p.norm, p.in, p.out) }

func (p perceptron) apply(v nn.Values, x *Node, drop func(*Node) *Node) *Node {
	return drop(p.out.Apply(v, drop(gelu(p.in.Apply(v, p.norm.Apply(v, x))))))
}

// gelu is x Φ(x). D. Hendrycks, K. Gimpel, Gaussian Error Linear Units, arXiv:1606.08415, 2016.
func gelu(x *Node) *Node { return Mul(MulScalar(x, 0.5), OnePlus(Erf(MulScalar(x, math.Sqrt2/2)))) }
