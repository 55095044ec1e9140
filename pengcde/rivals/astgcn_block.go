package rivals

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// attentionBlock is one block of [ASTGCN], from x [batch, T, n, In] to [batch, T, n, Out], or with Published to [batch,
// 1, n, Out].
type attentionBlock struct {
	Name                               string
	Nodes, Times, In, Out, Polynomials int
	Published                          bool
}

func (b attentionBlock) temporal() nn.Attention {
	return nn.Attention{Name: b.Name + ".temporal", Items: b.Times, Positions: b.Nodes, Features: b.In,
		Normal: b.Published}
}

func (b attentionBlock) spatial() nn.Attention {
	return nn.Attention{Name: b.Name + ".spatial", Items: b.Nodes, Positions: b.Times, Features: b.In, Normal: b.Published}
}

// filters returns the parameter with the matrices Θ [In, Out] of all polynomials.
func (b attentionBlock) filters() nn.Param {
	filters := nn.Param{Name: b.Name + ".theta", Dims: []int{b.Polynomials, b.In, b.Out}, Init: nn.Normal(1)}
	if !b.Published {
		filters.Init = nn.Uniform(1 / math.Sqrt(float64(b.Polynomials*b.In)))
	}
	return filters
}

func (b attentionBlock) along() nn.TimeConv {
	return nn.TimeConv{Name: b.Name + ".time", In: b.Out, Out: b.Out, Kernel: timeKernel}
}

func (b attentionBlock) residual() nn.Linear {
	return nn.Linear{Name: b.Name + ".residual", In: b.In, Out: b.Out}
}

func (b attentionBlock) norm() nn.LayerNorm { return nn.LayerNorm{Name: b.Name + ".norm", Size: b.Out} }

// Params declares Name.temporal (unless there is only one observation, which has no other to attend to), Name.spatial,
// Name.theta [K, In, Out], Name.time, Name.residual and Name.norm.
func (b attentionBlock) Params() []nn.Param {
	var params []nn.Param
	if b.Times > 1 {
		params = b.temporal().Params()
	}
	params = append(append(params, b.spatial().Params()...), b.filters())
	params = append(append(params, b.along().Params()...), b.residual().Params()...)
	return append(params, b.norm().Params()...)
}

// Apply builds the block.
func (b attentionBlock) Apply(v nn.Values, graphs polynomials, x *Node) *Node {
	attended := x
	if b.Times > 1 {
		attention := b.temporal().Apply(v, x) // [batch, T, T]
		attended = DotGeneral(attention, []int{2}, []int{0}, x, []int{1}, []int{0})
	}
	attention := b.spatial().Apply(v, TransposeAllDims(attended, 0, 2, 1, 3)) // [batch, n, n]

	residual := x
	if b.Published { // with stride T, the only output covers the padding zero and the first two observations
		x, residual = SliceAxis(x, 1, AxisRange(0, min(2, b.Times))), SliceAxis(x, 1, AxisElem(0))
	}
	terms := Concatenate(graphs.attended(attention, x), -1) // [batch, T, n, K·In]
	theta := Reshape(v.Get(b.filters().Name), v.Dims(b.Polynomials*b.In, b.Out)...)
	y := nn.ReLU(v.Product(terms, theta, 0))

	y = b.along().Apply(v, nn.PadZeros(y, 1, 1, 1))
	if b.Published {
		y = SliceAxis(y, 1, AxisElem(0))
	}
	return b.norm().Apply(v, nn.ReLU(Add(y, b.residual().Apply(v, residual))))
}
