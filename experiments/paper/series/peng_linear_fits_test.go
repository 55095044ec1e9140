package series

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// linearFit is one way to fit a linear part.
type linearFit struct {
	// prior names the target of the penalty on the coefficients: a ridge of this country and the others ("several"),
	// none ("own": the ridge of this country only), or the recent mean.
	prior string
	// growing penalties apply per target, whatever the number of windows, and equal the others at 30 windows; the
	// others fade as windows are added.
	growing bool
	// ridge is the penalty of the ridge, pull the penalty towards the prior, in windows.
	ridge, pull float64
}

// linearFits lists the candidate fits, written down before all but a few of their errors were known.
func linearFits() (all []linearFit) {
	pulls := []float64{3, 10, 30, 100, 300, math.Inf(1)}
	for _, growing := range []bool{false, true} {
		for _, ridge := range []float64{1, 3, 10, 30} {
			for _, pull := range pulls {
				all = append(all, linearFit{"several", growing, ridge, pull})
			}
			all = append(all, linearFit{"own", growing, ridge, math.Inf(1)})
		}
		for _, pull := range pulls[:5] {
			all = append(all, linearFit{"recent mean", growing, 0, pull})
		}
	}
	return all
}

const lags, columns = 11, 2*11 + 1

// sums holds X'X, X'y, and the numbers of windows and of targets.
type sums struct {
	xx            *mat.SymDense
	xy            *mat.VecDense
	windows, rows float64
}

func (s *sums) add(o *sums) {
	if s.xx == nil {
		s.xx, s.xy = mat.NewSymDense(columns, nil), mat.NewVecDense(columns, nil)
	}
	s.xx.AddSym(s.xx, o.xx)
	s.xy.AddVec(s.xy, o.xy)
	s.windows, s.rows = s.windows+o.windows, s.rows+o.rows
}

// solve minimises |X b - y|² + penalty rows |b - prior|².
func (s *sums) solve(t *testing.T, prior *mat.VecDense, growing bool, penalty float64) *mat.VecDense {
	b := mat.VecDenseCopyOf(prior)
	if math.IsInf(penalty, 1) {
		return b
	}
	if penalty /= s.windows; growing {
		penalty *= s.windows / 30
	}
	a, left, d := mat.NewSymDense(columns, nil), mat.NewVecDense(columns, nil), mat.NewVecDense(columns, nil)
	a.CopySym(s.xx)
	for i := range columns {
		a.SetSym(i, i, a.At(i, i)+penalty*s.rows)
	}
	left.MulVec(s.xx, b)
	left.SubVec(s.xy, left)
	var cholesky mat.Cholesky
	if !cholesky.Factorize(a) || cholesky.SolveVecTo(d, left) != nil {
		t.Fatal("no solution")
	}
	b.AddVec(b, d)
	return b
}

func (f linearFit) coefficients(t *testing.T, own, several *sums) *mat.VecDense {
	start := mat.NewVecDense(columns, nil)
	switch f.prior {
	case "own":
		return own.solve(t, start, f.growing, f.ridge)
	case "several":
		start = several.solve(t, start, f.growing, f.ridge)
	default:
		for k := lags - 8; k < lags; k++ { // days of the recent mean
			start.SetVec(k, 1./8)
			start.SetVec(lags+k, 1./8)
		}
	}
	return own.solve(t, start, f.growing, f.pull)
}

// linearRows returns the regressors of a window's nodes: visible values minus their means over nodes, the means,
// and 1.
func linearRows(w dyngraph.Window) *mat.Dense {
	visible, nodes := w.Visible(), w.Series.Nodes()
	x := mat.NewDense(nodes, columns, nil)
	for u := range nodes {
		x.Set(u, 2*lags, 1)
		for k, values := range visible {
			mean := stat.Mean(values, nil)
			x.Set(u, k, values[u]-mean)
			x.Set(u, lags+k, mean)
		}
	}
	return x
}

func sumsOf(windows []dyngraph.Window) map[int]*sums {
	all := make(map[int]*sums)
	for _, w := range windows {
		x, y := linearRows(w), mat.NewVecDense(w.Series.Nodes(), w.Target())
		s := &sums{mat.NewSymDense(columns, nil), mat.NewVecDense(columns, nil), 1, float64(y.Len())}
		s.xx.SymOuterK(1, x.T())
		s.xy.MulVec(x.T(), y)
		all[w.Start] = s
	}
	return all
}
