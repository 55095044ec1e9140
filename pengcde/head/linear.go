package head

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/ridge"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Linear is a linear autoregression, the same for all nodes, that the network corrects. The forecast of a node is
//
//	b·(v - mean(v), mean(v), 1) + r - mean(r)
//
// where v are the node's Values visible values ([dyngraph.Window.Visible]), so that b has 2·Values+1 entries for each
// output, r is the node's readout, and means are over nodes. The readout models the differences between nodes, and
// leaves their common part to the linear part. A series has as many examples of the differences as nodes times windows,
// but only one example of the common part for each window, which is too few for a network.
//
// In a new model the readout's last layer is zero. Before every training b starts at the solution of [Linear.Solve] for
// the training windows (minus the recent mean, with Residual); the readout stays as it is, so Reset a model that is to
// learn other windows. Both are then trained together, on the loss plus
//
//	Penalty · |b - Prior|²
//
// averaged over outputs; the losses in reports do not include it. A visible value that is NaN is replaced by the mean
// over nodes, or by 0 if it is NaN at all nodes.
//
// A. E. Hoerl, R. W. Kennard, Ridge regression: biased estimation for nonorthogonal problems, Technometrics 12 (1970).
type Linear struct {
	// Values is the number of visible values of a window, such as 11 for four inputs with lags of eight days.
	Values int `json:"Values"`
	// Penalty is the weight of the penalty for each observed target; 0 means 0.1.
	Penalty float64 `json:"Penalty"`
	// Prior holds the coefficients that the penalty pulls to, [outputs][2·Values+1] row-major, in the order of b above;
	// nil means zero. SetPrior of a model changes it.
	Prior []float64 `json:"Prior,omitempty"`
}

const defaultPenalty = 0.1

// width returns the number of regressors of a node.
func (l Linear) width() int { return 2*l.Values + 1 }

// check returns a copy with defaults filled in, and an error for invalid options.
func (l Linear) check(outputs int) (*Linear, error) {
	if l.Penalty == 0 {
		l.Penalty = defaultPenalty
	}
	l.Prior = slices.Clone(l.Prior)
	switch {
	case l.Values < 1 || l.Values > nn.MaxWidth/2:
		return nil, invalid("Linear.Values is %d, want the number of a window's visible values, 1 to %d: "+
			"len(window.Visible())", l.Values, nn.MaxWidth/2)
	case !(l.Penalty > 0) || math.IsInf(l.Penalty, 1):
		return nil, invalid("Linear.Penalty is %g, want a positive finite number", l.Penalty)
	case l.Prior != nil && len(l.Prior) != outputs*l.width():
		return nil, invalid("Linear.Prior has %d coefficients, want %d (outputs x (2 Values + 1))", len(l.Prior),
			outputs*l.width())
	case slices.ContainsFunc(l.Prior, func(b float64) bool { return math.IsNaN(b) || math.IsInf(b, 0) }):
		return nil, invalid("Linear.Prior is %g, want finite coefficients", l.Prior)
	}
	return &l, nil
}

// regressors returns the regressors of a window's nodes, [nodes*width] row-major.
func (l Linear) regressors(w dyngraph.Window) ([]float64, error) {
	visible := w.Visible()
	if visible == nil || w.Whole {
		return nil, invalid("a linear part for the window at snapshot %d, which has no known values of earlier "+
			"targets: take windows of a series with LastObserved, [snapshots][nodes x targets]", w.Start)
	}
	nodes, q := w.Series.Nodes(), w.Series.Quantities()
	if len(visible)*q != l.Values {
		return nil, invalid("window at snapshot %d of series %q shows %d values of a node, the model was made for %d "+
			"(Linear.Values)", w.Start, w.Series.Name, len(visible)*q, l.Values)
	}
	x := make([]float64, nodes*l.width())
	values, means := ridge.Fill(visible, q)
	for column, mean := range means {
		for u, v := range values[column] {
			at := u * l.width()
			x[at+column], x[at+l.Values+column], x[at+2*l.Values] = v-mean, mean, 1
		}
	}
	return x, nil
}

// Forecast returns the forecast of coefficients b, such as Solve returns, for a window: [nodes*outputs] row-major.
func (l Linear) Forecast(b []float64, w dyngraph.Window) ([]float64, error) {
	x, err := l.regressors(w)
	if err != nil {
		return nil, err
	}
	outputs := w.Series.TargetSize
	if len(b) != outputs*l.width() {
		return nil, invalid("%d coefficients of a linear part, want %d (outputs x (2 Values + 1))", len(b),
			outputs*l.width())
	}
	y := make([]float64, w.Series.Nodes()*outputs)
	for i := range y {
		u, k := i/outputs, i%outputs
		y[i] = floats.Dot(x[u*l.width():(u+1)*l.width()], b[k*l.width():(k+1)*l.width()])
	}
	return y, nil
}

// Solve returns the coefficients [outputs][2·Values+1], row-major, that minimise for each output
//
//	mean (b·x - y)² + Penalty · |b - Prior|²
//
// over all observed targets of the windows, which may belong to several series.
func (l Linear) Solve(windows []dyngraph.Window) ([]float64, error) {
	if len(windows) == 0 || windows[0].Validate() != nil {
		return nil, invalid("a linear part of %d windows, want at least one, of a series", len(windows))
	}
	outputs := windows[0].Series.TargetSize
	checked, err := l.check(outputs)
	if err != nil {
		return nil, err
	}
	return checked.solve(windows, outputs, func(w dyngraph.Window) []float64 { return w.Target() })
}

// solve is Solve with the given targets.
func (l Linear) solve(windows []dyngraph.Window, outputs int, targets func(dyngraph.Window) []float64) ([]float64,
	error) {
	width := l.width()
	b := make([]float64, outputs*width)
	copy(b, l.Prior)
	xx, xy, rows := make([]*mat.SymDense, outputs), make([]*mat.VecDense, outputs), make([]float64, outputs)
	for k := range outputs {
		xx[k], xy[k] = mat.NewSymDense(width, nil), mat.NewVecDense(width, nil)
	}
	for _, w := range windows {
		x, err := l.regressors(w)
		if err != nil {
			return nil, err
		}
		y := targets(w)
		if len(y) != w.Series.Nodes()*outputs {
			return nil, invalid("window at snapshot %d of series %q has %d targets, want %d (nodes x outputs)", w.Start,
				w.Series.Name, len(y), w.Series.Nodes()*outputs)
		}
		for i, target := range y {
			if !known(target) {
				continue
			}
			u, k := i/outputs, i%outputs
			row := mat.NewVecDense(width, x[u*width:(u+1)*width])
			left := target - mat.Dot(row, mat.NewVecDense(width, b[k*width:(k+1)*width]))
			xx[k].SymRankOne(xx[k], 1, row)
			xy[k].AddScaledVec(xy[k], left, row)
			rows[k]++
		}
	}
	for k := range outputs {
		d, ok := ridge.Solve(xx[k], xy[k], l.Penalty*rows[k])
		if !ok {
			return nil, invalid("the linear part of output %d with %g observed targets and penalty %g has no solution in "+
				"floats: want observed targets, a larger penalty, and values of order 1", k, rows[k], l.Penalty)
		}
		floats.Add(b[k*width:(k+1)*width], d)
	}
	return b, nil
}
