package law

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// operator is L(A) or L'(ΔA) of a law on one graph.
type operator struct {
	*equivariant.Combination
	norm float64 // its MaxNorm
}

func (l Law) operator(p *dyngraph.Pattern, weights []float64, change bool) operator {
	o := operator{Combination: equivariant.NewCombination(p, weights)}
	if !change {
		o.AddUnit(l.State)
	}
	for _, t := range l.Terms {
		if t.Change == change && t.Coefficient != 0 {
			o.Add(t.Coefficient, t.Map)
		}
	}
	o.norm = o.MaxNorm()
	return o
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
			o.AddTo(term, h/float64(steps*k), last)
			floats.Add(y, term)
			if floats.Norm(term, math.Inf(1)) <= 1e-16*floats.Norm(y, math.Inf(1)) {
				break
			}
			last, term = term, last
		}
	}
	return y
}
