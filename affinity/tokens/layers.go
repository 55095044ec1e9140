package tokens

import (
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// layers are the parts of a network for a task.
type layers struct {
	Config
	task         affinity.Task
	token        nn.Linear // of a mixer: weight and encoded time of an event
	node         nn.Linear // of a transformer: features of a node, weight, encoded time
	weight, time nn.Linear
	clock        nn.Linear // of a transformer: a time before the cosine
	mixers       []mixer
	transformers []transformer
	output       nn.Linear
	head         ranker.Head
}

func newLayers(c Config, task affinity.Task) *layers {
	linear := func(name string, in int) nn.Linear { return nn.Linear{Name: name, In: in, Out: c.Width} }
	l := &layers{Config: c, task: task, token: linear("token", 1+c.TimeWidth), node: linear("node", c.Width),
		weight: linear("weight", 1), time: linear("time", c.TimeWidth), clock: nn.Linear{Name: "clock", In: 1,
			Out: c.TimeWidth}, output: linear("output", c.Width), head: ranker.NewHead(c.Width, task.Classes)}
	if c.Encoder == Mixer && c.Identities {
		l.output.In += c.Width
	}
	for i := range c.Layers {
		if c.Encoder == Mixer {
			l.mixers = append(l.mixers, newMixer(c, i))
		} else {
			l.transformers = append(l.transformers, newTransformer(c, i))
		}
	}
	return l
}

// identities are the features of nodes, depths a vector for each place in the sequence.
const identities, depths = "identities", "depths"

// params declares the parameters of the parts that the settings use.
func (l *layers) params() (params []nn.Param) {
	if l.Identities {
		params = append(params, nn.Param{Name: identities, Dims: []int{l.task.Nodes, l.Width}, Init: nn.Normal(1)})
	}
	if l.Encoder == Mixer {
		params = append(append(params, l.token.Params()...), nn.ParamsOf(l.mixers...)...)
	} else {
		if l.Identities {
			params = append(params, l.node.Params()...)
		}
		clock := l.clock.Params()
		at := 0
		clock[0].Init = func(*rand.Rand) float64 { at++; return l.frequency((at - 1) % l.TimeWidth) }
		clock[1].Init = nn.Fill(0)
		params = append(append(params, clock...), nn.ParamsOf(l.weight, l.time)...)
		params = append(params, nn.Param{Name: depths, Dims: []int{l.Neighbours + 1, l.Width}, Init: nn.Normal(1)})
		params = append(params, nn.ParamsOf(l.transformers...)...)
	}
	return append(append(params, l.output.Params()...), l.head.Params()...)
}

// events are the newest events of Q nodes, as inputs of programs: Neighbours k of each, the newest last.
type events struct {
	node        *Node // [Q]
	peer        *Node // [Q, k]
	age, weight *Node // [Q, k, 1]: from the event to the question; its weight
	there       *Node // [Q, k]: 1 where there is an event, else all entries of it are 0
}

func eventsOf(in []*Node) events { return events{in[0], in[1], in[2], in[3], in[4]} }

// scores returns the scores [Q, Classes] of nodes.
func (l *layers) scores(v nn.Values, in []*Node, dropout ranker.Dropout) *Node {
	drop := func(x *Node) *Node { return dropout(x, l.Dropout) }
	if l.Encoder == Mixer {
		return l.head.Apply(v, l.mixed(v, eventsOf(in), drop))
	}
	return l.head.Apply(v, l.attended(v, eventsOf(in), drop))
}

// mixed returns the embeddings [Q, Width] of a mixer. Its frequencies are not learned.
func (l *layers) mixed(v nn.Values, e events, drop func(*Node) *Node) *Node {
	frequencies := make([]float64, l.TimeWidth)
	for i := range frequencies {
		frequencies[i] = l.frequency(i)
	}
	there := ExpandAxes(e.there, -1)
	clock := ConvertDType(Const(e.age.Graph(), [][][]float64{{frequencies}}), e.age.DType())
	time := Mul(Cos(Mul(e.age, clock)), there)
	x := l.token.Apply(v, Concatenate([]*Node{e.weight, time}, -1))
	for _, m := range l.mixers {
		x = m.apply(v, x, drop)
	}
	x = ReduceMean(x, 1)
	if l.Identities {
		table := v.Get(identities)
		count := MaxScalar(ReduceSum(there, 1), 1)
		mean := Div(ReduceSum(Mul(ranker.Rows(table, e.peer), there), 1), count)
		x = Concatenate([]*Node{x, Add(mean, ranker.Rows(table, e.node))}, -1)
	}
	return l.output.Apply(v, x)
}

// attended returns the embeddings [Q, Width] of a transformer, whose sequence begins with the node itself, as an event
// of weight 0 at the question.
func (l *layers) attended(v nn.Values, e events, drop func(*Node) *Node) *Node {
	first := func(x *Node) *Node { return ZerosLike(Slice(x, AxisRange(), AxisElem(0))) }
	behind := func(first, x *Node) *Node { return Concatenate([]*Node{first, x}, 1) }
	time := Cos(l.clock.Apply(v, behind(first(e.age), e.age)))
	x := Add(l.weight.Apply(v, behind(first(e.weight), e.weight)), l.time.Apply(v, time)) // [Q, k+1, Width]
	if l.Identities {
		own := ExpandAxes(e.node, -1)
		x = Add(x, l.node.Apply(v, ranker.Rows(v.Get(identities), behind(own, e.peer))))
	}
	x = Add(x, v.Spread(v.Get(depths), x))
	there := behind(OnesLike(first(e.there)), e.there)
	for _, t := range l.transformers {
		for range 2 { // to its own tokens, then to the other node's
			x = t.apply(v, x, there, drop)
		}
	}
	return l.output.Apply(v, Squeeze(Slice(x, AxisRange(), AxisElem(0)), 1))
}
