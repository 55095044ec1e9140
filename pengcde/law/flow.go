package law

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// operator is L(A) or L'(ΔA) of a law on one graph.
type operator struct {
	pattern *dyngraph.Pattern
	weights []float64
	state   float64
	terms   []Term
	// norm bounds the maximum norm of the operator.
	norm float64
}

func (l Law) operator(p *dyngraph.Pattern, weights []float64, change bool) operator {
	o := operator{pattern: p, weights: weights}
	if !change {
		o.state = l.State
	}
	absolute, ones := make([]float64, len(weights)), make([]float64, p.Nodes)
	for e, w := range weights {
		absolute[e] = math.Abs(w)
	}
	floats.AddConst(1, ones)
	o.norm = math.Abs(o.state)
	for _, t := range l.Terms {
		if t.Change == change && t.Coefficient != 0 {
			o.terms = append(o.terms, t)
			o.norm += math.Abs(t.Coefficient) * floats.Max(t.Map.Act(p, absolute, ones))
		}
	}
	return o
}

// apply adds scale times the operator's product with x to y.
func (o operator) apply(y []float64, scale float64, x []float64) {
	floats.AddScaled(y, scale*o.state, x)
	for _, t := range o.terms {
		floats.AddScaled(y, scale*t.Coefficient, t.Map.Act(o.pattern, o.weights, x))
	}
}

const (
	// seriesReach bounds the argument of the Taylor series of exp(h L). Up to it, 30 terms give full accuracy; longer
	// flows are split.
	seriesReach = 4
	seriesTerms = 30
	// maxReach is the largest h |L| supported: a state may grow by at most exp(maxReach).
	maxReach = 1e3
)

// flow returns exp(h L) x, all NaN if h L is too large.
func (o operator) flow(h float64, x []float64) []float64 {
	reach := math.Abs(h) * o.norm
	if !(reach <= maxReach) {
		y := make([]float64, len(x))
		floats.AddConst(math.NaN(), y)
		return y
	}
	steps := max(1, int(math.Ceil(reach/seriesReach)))
	y, term := append([]float64{}, x...), make([]float64, len(x))
	for range steps {
		last := append([]float64{}, y...)
		for k := 1; k <= seriesTerms; k++ {
			clear(term)
			o.apply(term, h/float64(steps*k), last)
			floats.Add(y, term)
			if floats.Norm(term, math.Inf(1)) <= 1e-16*floats.Norm(y, math.Inf(1)) {
				break
			}
			last, term = term, last
		}
	}
	return y
}

// act returns the product of a map of A with x, or x itself if the map is nil.
func act(m *equivariant.Map, p *dyngraph.Pattern, weights, x []float64) []float64 {
	if m == nil {
		return append([]float64{}, x...)
	}
	return m.Act(p, weights, x)
}
