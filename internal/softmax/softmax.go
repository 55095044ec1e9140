// Package softmax fits the coefficients of a softmax over classes whose logits are linear in a few terms, where nearly
// all classes have the logit 0.
package softmax

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/internal/ridge"
)

// Row is one distribution over classes. Each listed class has a logit without terms, the terms, and the target share.
// The other classes, given by their number, have the logit 0, no terms, and the remaining shares.
type Row struct {
	Logits, Shares []float64
	Terms          [][]float64
	Others         int
}

// Sums are sums over rows at given coefficients: the cross-entropy, its gradient and its Hessian.
type Sums struct {
	at    []float64
	loss  float64
	slope *mat.VecDense
	curve *mat.SymDense
	rows  float64
}

func newSums(b []float64) *Sums {
	return &Sums{at: b, slope: mat.NewVecDense(len(b), nil), curve: mat.NewSymDense(len(b), nil)}
}

// Add adds a row.
func (s *Sums) Add(r Row) {
	if len(r.Logits) == 0 {
		return
	}
	s.rows++
	logits := make([]float64, len(r.Logits))
	largest := 0.0
	for i, y := range r.Logits {
		logits[i] = y + floats.Dot(s.at, r.Terms[i])
		largest = math.Max(largest, logits[i])
	}
	normal := float64(r.Others) * math.Exp(-largest)
	for _, y := range logits {
		normal += math.Exp(y - largest)
	}
	s.loss += math.Log(normal) + largest
	mean := mat.NewVecDense(len(s.at), nil)
	for i, y := range logits {
		s.loss -= r.Shares[i] * y
		p, t := math.Exp(y-largest)/normal, mat.NewVecDense(len(s.at), r.Terms[i])
		mean.AddScaledVec(mean, p, t)
		s.curve.SymRankOne(s.curve, p, t)
		s.slope.AddScaledVec(s.slope, -r.Shares[i], t)
	}
	s.slope.AddVec(s.slope, mean)
	s.curve.SymRankOne(s.curve, -1, mean)
}

// ErrNoRows is returned if there are no rows.
var ErrNoRows = errors.New("no rows to fit")

// ErrNotFinite is returned if logits, terms or shares are not finite.
var ErrNotFinite = errors.New("the cross-entropy is not finite")

var errSingular = errors.New("the cross-entropy has no minimum in floats: want a larger penalty")

const (
	enough     = 1e-8 // length of the last step
	mostPasses = 200
	// longest bounds a step, for where all rows are nearly certain the curvature says nothing.
	longest = 1
)

// Fit returns the n coefficients b that minimise the mean cross-entropy plus penalty/2 |b|², by Newton's method,
// halving steps until the loss falls. Pass must add all rows, the same in each of a few dozen calls.
func Fit(n int, penalty float64, pass func(*Sums) error) ([]float64, error) {
	best, least := make([]float64, n), math.Inf(1)
	next, move := best, []float64(nil)
	for range mostPasses {
		sums := newSums(next)
		if err := pass(sums); err != nil {
			return nil, err
		}
		if sums.rows == 0 {
			return nil, ErrNoRows
		}
		loss := sums.loss/sums.rows + penalty/2*floats.Dot(next, next)
		if move == nil && (math.IsNaN(loss) || math.IsInf(loss, 0)) {
			return nil, ErrNotFinite
		}
		if loss <= least {
			best, least = next, loss
			var err error
			if move, err = sums.step(penalty); err != nil {
				return nil, err
			}
		} else {
			floats.Scale(0.5, move)
		}
		if floats.Norm(move, math.Inf(1)) < enough {
			return best, nil
		}
		next = make([]float64, n)
		floats.SubTo(next, best, move)
	}
	return best, nil
}

// step is what Newton's method takes from the coefficients.
func (s *Sums) step(penalty float64) ([]float64, error) {
	n := len(s.at)
	for i := range n {
		s.slope.SetVec(i, s.slope.AtVec(i)/s.rows+penalty*s.at[i])
		for k := i; k < n; k++ {
			s.curve.SetSym(i, k, s.curve.At(i, k)/s.rows)
		}
	}
	move, ok := ridge.Solve(s.curve, s.slope, penalty)
	if !ok {
		return nil, errSingular
	}
	if length := floats.Norm(move, 2); length > longest {
		floats.Scale(longest/length, move)
	}
	return move, nil
}
