package paper

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/stats"
)

// cell is one way to fit a linear part.
type cell struct {
	// prior is what the coefficients are drawn to: "several" (a ridge of this country and the others), "own" (the forecast
	// is the ridge of this country alone) or "recent mean".
	prior string
	// growing penalties are those of a target at 30 windows; others are divided by the number of windows, so that they
	// fade as windows come in.
	growing bool
	// of is the penalty of the ridge, pull that to the prior, in windows.
	of, pull float64
}

// cells are the grid, written down before any of its errors was known.
func cells() (all []cell) {
	pulls := []float64{3, 10, 30, 100, 300, math.Inf(1)}
	for _, growing := range []bool{false, true} {
		for _, of := range []float64{1, 3, 10, 30} {
			for _, pull := range pulls {
				all = append(all, cell{"several", growing, of, pull})
			}
			all = append(all, cell{"own", growing, of, math.Inf(1)})
		}
		for _, pull := range pulls[:5] {
			all = append(all, cell{"recent mean", growing, 0, pull})
		}
	}
	return all
}

// reference is the number of windows at which penalties of both forms are alike.
const reference = 30

// sums are X'X, X'y and the number of windows and targets of a ridge.
type sums struct {
	xx            *mat.SymDense
	xy            *mat.VecDense
	windows, rows float64
}

const lags, columns = 11, 2*11 + 1

func (s *sums) add(o *sums) {
	if s.xx == nil {
		s.xx, s.xy = mat.NewSymDense(columns, nil), mat.NewVecDense(columns, nil)
	}
	s.xx.AddSym(s.xx, o.xx)
	s.xy.AddVec(s.xy, o.xy)
	s.windows, s.rows = s.windows+o.windows, s.rows+o.rows
}

// solve minimises |X b - y|² + penalty rows |b - prior|², with the penalty of a cell's form.
func (s *sums) solve(prior *mat.VecDense, growing bool, penalty float64) *mat.VecDense {
	b := mat.NewVecDense(columns, nil)
	b.CopyVec(prior)
	if math.IsInf(penalty, 1) {
		return b
	}
	if penalty /= s.windows; growing {
		penalty *= s.windows / reference
	}
	var a mat.SymDense
	a.CopySym(s.xx)
	var left, d mat.VecDense
	left.MulVec(s.xx, b)
	left.SubVec(s.xy, &left)
	for i := range columns {
		a.SetSym(i, i, a.At(i, i)+penalty*s.rows)
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(&a) || cholesky.SolveVecTo(&d, &left) != nil {
		panic("no solution")
	}
	b.AddVec(b, &d)
	return b
}

// rowsOf are the regressors [nodes, columns] of a window without missing values: visible values less their means, means, 1.
func rowsOf(w dyngraph.Window) *mat.Dense {
	visible, nodes := w.Visible(), w.Series.Nodes()
	x := mat.NewDense(nodes, columns, nil)
	for k := range lags {
		mean := 0.
		for u := range nodes {
			mean += visible[k][u] / float64(nodes)
		}
		for u := range nodes {
			x.Set(u, k, visible[k][u]-mean)
			x.Set(u, lags+k, mean)
			x.Set(u, 2*lags, 1)
		}
	}
	return x
}

func sumsOf(w dyngraph.Window) *sums {
	x, y := rowsOf(w), mat.NewVecDense(w.Series.Nodes(), w.Target())
	s := &sums{mat.NewSymDense(columns, nil), mat.NewVecDense(columns, nil), 1, float64(y.Len())}
	s.xx.SymOuterK(1, x.T())
	s.xy.MulVec(x.T(), y)
	return s
}

// What is chosen for a country on the others.
func TestLinearChoice(t *testing.T) {
	series, err := otherCountries()
	if err != nil {
		t.Fatal(err)
	}
	recent := mat.NewVecDense(columns, nil)
	for k := range lags {
		if k < 8 {
			recent.SetVec(k, 1./8)
			recent.SetVec(lags+k, 1./8)
		}
	}
	windows, sumsAll := make([][]dyngraph.Window, 3), make([]map[int]*sums, 3)
	for i, s := range series {
		windows[i], _ = s.Windows(epidemicWindow, 1).List()
		sumsAll[i] = make(map[int]*sums)
		for _, w := range windows[i] {
			sumsAll[i][w.Start] = sumsOf(w)
		}
	}
	grid := cells()
	t.Logf("%d cells", len(grid))
	simple, best := make([]float64, 3), make([][]float64, 3)
	errors := make([][][]float64, 3) // country, cell, tested window
	lag := make([]int, 3)
	for i, s := range series {
		splits, err := s.Windows(epidemicWindow, 1).RollingOrigin(trainFraction, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		simple[i] = math.Inf(1)
		for _, f := range baseline.Heuristics() {
			var all []float64
			for _, split := range splits {
				if err := f.Fit(split.Train, nil); err != nil {
					t.Fatal(err)
				}
				y, _ := f.Forecast(split.Test[0])
				mse, _ := train.MSE(y, split.Test[0].Target())
				all = append(all, mse)
			}
			mean, _ := stats.MeanCI(all)
			t.Logf("%s %s %.4f", s.Name, f.Name(), mean)
			if mean < simple[i] {
				simple[i], best[i] = mean, all
			}
		}
		var tested []dyngraph.Window
		errors[i] = make([][]float64, len(grid))
		for _, split := range splits {
			tested = append(tested, split.Test...)
			var own, several sums
			for _, w := range split.Train {
				own.add(sumsAll[i][w.Start])
			}
			several.add(&own)
			for j := range series {
				if j != i {
					for _, w := range known(split.Train, windows[j]) {
						several.add(sumsAll[j][w.Start])
					}
				}
			}
			x, y := rowsOf(split.Test[0]), split.Test[0].Target()
			for c, g := range grid {
				zero := mat.NewVecDense(columns, nil)
				var b *mat.VecDense
				switch g.prior {
				case "own":
					b = own.solve(zero, g.growing, g.of)
				case "several":
					b = own.solve(several.solve(zero, g.growing, g.of), g.growing, g.pull)
				default:
					b = own.solve(recent, g.growing, g.pull)
				}
				var forecast mat.VecDense
				forecast.MulVec(x, b)
				mse, err := train.MSE(forecast.RawVector().Data, y)
				if err != nil {
					t.Fatal(err)
				}
				errors[i][c] = append(errors[i][c], mse)
			}
		}
		lag[i] = baseline.Lag(tested)
	}
	ratio := func(i, c int) float64 {
		mean, _ := stats.MeanCI(errors[i][c])
		return mean / simple[i]
	}
	for c, g := range grid {
		t.Logf("%+v  %.4f %.4f %.4f", g, ratio(0, c), ratio(1, c), ratio(2, c))
	}
	for i := range 4 {
		chosen, least := 0, math.Inf(1)
		for c := range grid {
			sum := 0.
			for j := range series {
				if j != i {
					sum += ratio(j, c)
				}
			}
			if sum < least {
				chosen, least = c, sum
			}
		}
		if i == 3 {
			t.Logf("a fourth country: %+v", grid[chosen])
			break
		}
		var d []float64
		for k, e := range errors[i][chosen] {
			d = append(d, e-best[i][k])
		}
		mean, _ := stats.MeanCI(errors[i][chosen])
		diff, half := stats.SerialCI(d, lag[i])
		t.Logf("%s: %+v: %.4f, %+.4f ± %.4f, p %.3f, k %d lag %d", series[i].Name, grid[chosen], mean, diff, half,
			stats.SerialP(d, lag[i]), len(d), lag[i])
	}
}
