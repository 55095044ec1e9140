package pengcde

import (
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// ranking reads logits [B, R, C] of R nodes for C classes out of the states, for Output Affinity.
type ranking struct {
	width int // of the state that is read, the last
	// readout gives all logits of a node from its state alone; or, with pairs, where classes are the first nodes, the
	// logit of node u for class v is readout(z_u)·z_v / sqrt(width).
	readout  layer
	pairs    bool
	outputs  int
	residual bool
}

// knownName is the parameter p [KnownTerms] of a residual readout, which adds x_0 + p·(x_1, ...) for known values x.
const knownName = "known"

// ranking is nil unless Output is Affinity.
func (c Config) ranking() *ranking {
	if c.Output != Affinity {
		return nil
	}
	out := c.Outputs
	if c.Pairs {
		out = c.Hidden
	}
	r := &ranking{width: c.Hidden, outputs: c.Outputs, residual: c.Residual, pairs: c.Pairs}
	if c.LinearCoders {
		r.readout = nn.Linear{Name: "readout", In: c.Hidden, Out: out}
	} else {
		r.readout = nn.MLP{Name: "readout", In: c.Hidden, Out: out, Width: coderWidth, Depth: coderDepth}
	}
	return r
}

// Params declares the parameters of the readouts. A residual readout begins with nothing but the known values.
func (r *ranking) Params() []nn.Param {
	params := r.readout.Params()
	if r.residual {
		for i := len(params) - 2; i < len(params); i++ { // weight and bias of the last map
			params[i].Init = nn.Fill(0)
		}
		params = append(params, nn.Param{Name: knownName, Dims: []int{dyngraph.KnownTerms}, Init: nn.Fill(0)})
	}
	return params
}

// seen is the number of tensors of [ranked.seen].
func (r *ranking) seen() int {
	if r.residual {
		return 3
	}
	return 1
}

// logits returns the logits of the asked nodes [B, R], from states z [B, S, n, width of all states] at the last save
// time; known are the other nodes of [ranked.seen].
func (r *ranking) logits(v nn.Values, z, asked *Node, known []*Node) *Node {
	z = Squeeze(SliceAxis(z, 1, AxisElem(-1)), 1) // [B, n, width of all states]
	z = SliceAxis(z, -1, AxisRange(z.Shape().Dim(-1)-r.width))
	batch, rows := asked.Shape().Dim(0), asked.Shape().Dim(1)
	states := Gather(Reshape(z, -1, r.width), ExpandAxes(asked, -1)) // [B, R, width]
	y := r.readout.Apply(v, states)
	if r.pairs {
		of := SliceAxis(z, 1, AxisRange(0, r.outputs)) // [B, C, width]
		y = DivScalar(DotGeneral(y, []int{2}, []int{0}, of, []int{2}, []int{0}), math.Sqrt(float64(r.width)))
	}
	if !r.residual {
		return y
	}
	places, values := known[0], known[1]
	begin, terms := Squeeze(SliceAxis(values, 2, AxisElem(0)), 2), SliceAxis(values, 2, AxisRange(1))
	added := Add(begin, DotGeneral(terms, []int{2}, nil, v.Get(knownName), []int{0}, nil)) // [B, H]
	flat := Scatter(Reshape(places, -1, 1), Reshape(added, -1, 1), shapes.Make(y.DType(), batch*rows*r.outputs, 1), false,
		false)
	return Add(y, Reshape(flat, batch, rows, r.outputs))
}

// loss compares logits y [B, R, C] with rows, [ranked.met], and is the mean by weight [B, S], of which the last counts,
// over samples of each one's mean over rows of -Σ_v a_v log softmax(y)_v.
func (r *ranking) loss(y, weight *Node, met []*Node) *Node {
	places, values, totals := met[0], met[1], met[2]
	flat := Reshape(y, -1, 1)
	hit := Reshape(Gather(flat, Reshape(places, -1, 1)), places.Shape().Dimensions...)
	largest := StopGradient(ReduceAndKeep(y, ReduceMax, 2))
	normal := Add(Log(ReduceSum(Exp(Sub(y, largest)), 2)), Squeeze(largest, 2)) // [B, R]
	each := Sub(ReduceSum(Mul(totals, normal), 1), ReduceSum(Mul(values, hit), 1))
	last := Squeeze(SliceAxis(weight, 1, AxisElem(-1)), 1)
	return Div(ReduceAllSum(Mul(each, last)), ReduceAllSum(last))
}
