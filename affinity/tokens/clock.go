package tokens

import (
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// frequencies returns the published frequencies of encoded times: of component i it is 10^(-9 i / (TimeWidth-1)).
func (c Config) frequencies() []float64 {
	all := make([]float64, c.TimeWidth)
	for i := range all {
		all[i] = math.Pow(10, -9*float64(i)/float64(max(c.TimeWidth-1, 1)))
	}
	return all
}

// clock encodes times with learned frequencies w, cos(w t + b).
type clock struct{ Config }

func (c clock) linear() nn.Linear { return nn.Linear{Name: "clock", In: 1, Out: c.TimeWidth} }

// Params declares the frequencies, which start as published, and the phases, which start at 0.
func (c clock) Params() []nn.Param {
	params, start, at := c.linear().Params(), c.frequencies(), -1
	params[0].Init = func(*rand.Rand) float64 { // of one entry after the other
		at = (at + 1) % len(start)
		return start[at]
	}
	params[1].Init = nn.Fill(0)
	return params
}

// Apply encodes times [..., 1] as [..., TimeWidth].
func (c clock) Apply(v nn.Values, t *Node) *Node { return Cos(c.linear().Apply(v, t)) }
