package nn

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// KeepAll drops nothing, as dropout does in forecasts. It panics if the rate is not 0 to below 1.
func KeepAll(x *Node, rate float64) *Node {
	checkRate(rate)
	return x
}

func checkRate(rate float64) {
	if !(rate >= 0 && rate < 1) {
		panic(errs.New(ErrInput, "pengcde/nn: dropout at rate %g, want 0 to below 1", rate))
	}
}

// Dropout returns a function for one training step that zeroes entries of x at a rate and scales the others by
// 1/(1-rate). Its masks are derived from the bits of the parameters, which differ from step to step. There is no random
// state to store, and a resumed training draws the same masks.
func Dropout(params []*Node) func(x *Node, rate float64) *Node {
	var state *Node
	return func(x *Node, rate float64) *Node {
		checkRate(rate)
		if rate == 0 {
			return x
		}
		if state == nil {
			state = randomState(params)
		}
		var uniform *Node
		state, uniform = RandomUniform(state, x.Shape())
		kept := GreaterOrEqual(uniform, Scalar(x.Graph(), x.DType(), rate))
		return Where(kept, MulScalar(x, 1/(1-rate)), ZerosLike(x))
	}
}

// oddMultiplier spreads the bits of small numbers over 64: 2^64 divided by the golden ratio, made odd. See D. E. Knuth,
// The Art of Computer Programming 3, section 6.4.
const oddMultiplier = 0x9e3779b97f4a7c15

// randomState returns a state of GoMLX's generator: the sum over all entries of the entry's bits times an odd number
// that differs for each entry, modulo 2^64. The generator, Philox, turns any two different keys into unrelated streams.
func randomState(params []*Node) *Node {
	g, before := params[0].Graph(), uint64(0)
	var key *Node
	for _, p := range params {
		bits := Reshape(p, -1)
		if p.DType() == dtypes.Float64 {
			bits = Bitcast(bits, dtypes.Uint64)
		} else {
			bits = ConvertDType(Bitcast(bits, dtypes.Uint32), dtypes.Uint64)
		}
		index := Add(Iota(g, bits.Shape(), 0), Const(g, before))
		odd := Add(Mul(index, Const(g, uint64(2))), Const(g, uint64(1)))
		sum := ReduceAllSum(Mul(Mul(bits, odd), Const(g, uint64(oddMultiplier))))
		if key == nil {
			key = sum
		} else {
			key = Add(key, sum)
		}
		before += uint64(p.Shape().Size())
	}
	counter := Zeros(g, RNGStateShape)
	return Concatenate([]*Node{Reshape(key, 1), Slice(counter, AxisRange(1))}, 0)
}
