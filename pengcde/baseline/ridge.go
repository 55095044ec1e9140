package baseline

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// defaultPenalty is the penalty of a [Ridge] whose Penalty is 0.
const defaultPenalty = 1e-2

// Ridge is linear regression with a quadratic penalty, shared by all nodes. Its regressors are the visible values of
// the node ([dyngraph.Window.Visible]), their means over all nodes, and a constant 1. With r rows, one for each
// observed target of the training windows, it minimises
//
//	|X b - y|² + Penalty r |b|²
//
// over all coefficients, including the coefficient of the constant. Targets and inputs should be of order 1. A visible
// value that is NaN is replaced by the mean over the nodes where it was observed, or by 0 if there are none. With
// Neighbours it also sees the graph.
//
// A. E. Hoerl, R. W. Kennard, Ridge regression: biased estimation for nonorthogonal problems, Technometrics 12 (1970).
type Ridge struct {
	// Penalty is the penalty for each row; 0 means 0.01.
	Penalty float64 `json:"Penalty"`
	// Choose replaces Penalty by the value among 1e-4, 1e-3, ..., 10 with the smallest mean squared error on the
	// validation windows. Without validation windows, the latest quarter of the training windows serves for validation,
	// and the penalty is chosen by fits to the training windows that share no step with that quarter. The final
	// coefficients are fitted to all training windows.
	Choose bool `json:"Choose"`
	// Neighbours adds regressors: the means of the visible values of the nodes that a node's edges come from, and of
	// the nodes that they lead to, by the weights in the newest visible snapshot. The difference to the same ridge
	// without them is what the graph is worth to a linear model.
	Neighbours bool `json:"Neighbours,omitzero"`

	chosen       float64
	inputs       int
	coefficients *mat.Dense // [regressors, targets]
}

// Resolved returns the unfitted ridge with its default written out.
func (r *Ridge) Resolved() *Ridge {
	return &Ridge{Penalty: cmp.Or(r.Penalty, defaultPenalty), Choose: r.Choose, Neighbours: r.Neighbours}
}

// Name returns "ridge" or "ridge with neighbours", and ", chosen penalty".
func (r *Ridge) Name() string {
	name := "ridge"
	if r.Neighbours {
		name += " with neighbours"
	}
	if r.Choose {
		name += ", chosen penalty"
	}
	return name
}

// Chosen returns the penalty of the fit, 0 before [Ridge.Fit].
func (r *Ridge) Chosen() float64 { return r.chosen }

// Coefficients returns the number of coefficients for each target of a node, 0 before [Ridge.Fit].
func (r *Ridge) Coefficients() int {
	if r.coefficients == nil {
		return 0
	}
	rows, _ := r.coefficients.Dims()
	return rows
}

var penalties = []float64{1e-4, 1e-3, 1e-2, 1e-1, 1, 10}

// Fit solves for the coefficients of the training windows.
func (r *Ridge) Fit(training, validation []dyngraph.Window) error {
	penalty := r.Resolved().Penalty
	if !(penalty > 0) || math.IsInf(penalty, 0) {
		return invalid("ridge with penalty %g, want a positive finite one", r.Penalty)
	}
	if r.Choose {
		var err error
		if penalty, err = r.choosePenalty(training, validation); err != nil {
			return err
		}
	}
	sums, err := newNormalEquations(training, r.Neighbours)
	if err != nil {
		return err
	}
	coefficients, err := sums.solve(penalty)
	if err != nil {
		return err
	}
	r.chosen, r.inputs, r.coefficients = penalty, sums.inputs, coefficients
	return nil
}

// Forecast applies the coefficients to the regressors of the window.
func (r *Ridge) Forecast(w dyngraph.Window) ([]float64, error) {
	if r.coefficients == nil {
		return nil, errs.New(ErrNotFitted, "pengcde/baseline: %s before Fit", r.Name())
	}
	x, err := regressors(w, r.Neighbours)
	if err != nil {
		return nil, err
	}
	width, targets := r.coefficients.Dims()
	if _, got := x.Dims(); got != width || w.Series.TargetSize != targets || w.Inputs() != r.inputs {
		return nil, invalid("ridge of %d regressors and %d targets for a window of series %q with %d and %d, want "+
			"windows as in Fit", width, targets, w.Series.Name, got, w.Series.TargetSize)
	}
	y := mat.NewDense(w.Series.Nodes(), targets, nil)
	y.Mul(x, r.coefficients)
	return y.RawMatrix().Data, nil
}

// choosePenalty returns the penalty with the smallest error on validation windows.
func (r *Ridge) choosePenalty(training, validation []dyngraph.Window) (float64, error) {
	if len(validation) == 0 {
		all := len(training)
		if training, validation = dyngraph.HoldOut(training); len(training) == 0 {
			return 0, invalid("ridge chooses its penalty, but none of %d training windows touches no step of the "+
				"latest %d: give validation windows, or set Penalty in place of Choose", all, len(validation))
		}
	}
	sums, err := newNormalEquations(training, r.Neighbours)
	if err != nil {
		return 0, err
	}
	best, least := 0.0, math.Inf(1)
	for _, penalty := range penalties {
		trial := Ridge{inputs: sums.inputs, Neighbours: r.Neighbours}
		if trial.coefficients, err = sums.solve(penalty); err != nil {
			return 0, err
		}
		loss := 0.0
		for _, w := range validation {
			forecast, err := trial.Forecast(w)
			if err != nil {
				return 0, err
			}
			mse, err := train.MSE(forecast, w.Target())
			if err != nil {
				return 0, errs.New(ErrInput, "pengcde/baseline: ridge chooses its penalty: %w", err)
			}
			loss += mse / float64(len(validation))
		}
		if loss < least {
			best, least = penalty, loss
		}
	}
	if best == 0 {
		return 0, invalid("ridge has no finite error on %d validation windows with any penalty: want values of order 1",
			len(validation))
	}
	return best, nil
}
