package affinity

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/internal/ridge"
)

// Ridge is a linear regression of the logarithm of a class's weight, the same for all nodes and classes, on its newest
// weight, the weight before it, and the moving average. Weights a enter as l(a) = log(1 + a/0.0001), and the fitted
// quantity is the change
//
//	l(a) - l(newest) = b·(l(before) - l(newest), l(mean) - l(newest), l(newest), 1)
//
// by least squares, each entry weighted by the square root of its newest weight, plus Penalty times the mean square of
// the regressors times |b|². Classes without any earlier weight at a node have the score 0.
type Ridge struct {
	history
	// Penalty is the strength of the ridge penalty; 0 means 0.001.
	Penalty float64 `json:"Penalty"`

	coefficients []float64
}

const logScale, ridgeSize = 1e-4, 4

// regressors returns the regressors of an entry, and the logarithm of its newest weight.
func regressors(newest, before, mean float64) (x [ridgeSize]float64, log float64) {
	log = math.Log1p(newest / logScale)
	return [ridgeSize]float64{math.Log1p(before/logScale) - log, math.Log1p(mean/logScale) - log, log, 1}, log
}

// Forecast writes the logarithms of forecast weights, or of the newest weights before training.
func (m *Ridge) Forecast(_ context.Context, _ float64, nodes []int32, scores []float64) error {
	for k, u := range nodes {
		m.each(u, func(class int32, newest, before, mean float64) {
			x, log := regressors(newest, before, mean)
			for i, b := range m.coefficients {
				log += b * x[i]
			}
			scores[k*m.classes+int(class)] = math.Max(log, 0)
		})
	}
	return nil
}

// Train fits the coefficients to the training questions.
func (m *Ridge) Train(ctx context.Context, past *Plan) error {
	m.coefficients = nil
	sums := &ridgeSums{Ridge: m, xx: mat.NewSymDense(ridgeSize, nil), xy: mat.NewVecDense(ridgeSize, nil)}
	if err := past.Walk(ctx, sums); err != nil {
		return err
	}
	penalty := cmp.Or(m.Penalty, 1e-3) * mat.Trace(sums.xx) / ridgeSize
	if !(penalty > 0) || math.IsInf(penalty, 1) {
		return invalid("ridge regression with the penalty %g on the known labels of training, want a positive number, and "+
			"a node that has labels twice", m.Penalty)
	}
	b, ok := ridge.Solve(sums.xx, sums.xy, penalty)
	if !ok {
		return invalid("ridge regression with the penalty %g has no solution in floats, want a larger one", m.Penalty)
	}
	m.coefficients = b
	return nil
}

// ridgeSums accumulates the normal equations.
type ridgeSums struct {
	*Ridge
	xx *mat.SymDense
	xy *mat.VecDense
}

func (s *ridgeSums) Ask(q Question, answer Labels) error {
	if q.Part != Train {
		return nil
	}
	for u, row := range answer.rows() {
		s.each(u, func(class int32, newest, before, mean float64) {
			x, log := regressors(newest, before, mean)
			v, weight := mat.NewVecDense(ridgeSize, x[:]), math.Sqrt(newest)
			s.xx.SymRankOne(s.xx, weight, v)
			s.xy.AddScaledVec(s.xy, weight*(math.Log1p(row.at(class)/logScale)-log), v)
		})
	}
	return nil
}
