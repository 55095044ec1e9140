package series

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/stats"
)

// Each country uses the fit of the linear part that does best on the tested windows of the other countries, relative
// to the error of their best simple forecast. A user's series uses the fit that does best on all three. The errors
// concern only the linear part.
func TestStrengthsComeFromOtherCountries(t *testing.T) {
	series, err := otherCountries()
	if err != nil {
		t.Fatal(err)
	}
	windows, ofWindow := make([][]dyngraph.Window, len(series)), make([]map[int]*sums, len(series))
	for i, s := range series {
		if windows[i], err = s.Windows(epidemicWindow, 1).List(); err != nil {
			t.Fatal(err)
		}
		ofWindow[i] = sumsOf(windows[i])
	}
	fits := linearFits()
	errors, simple := make([][][]float64, len(series)), make([][]float64, len(series)) // [country][fit][tested window]
	mse := func(forecast []float64, w dyngraph.Window) float64 {
		t.Helper()
		mse, err := train.MSE(forecast, w.Target())
		if err != nil {
			t.Fatal(err)
		}
		return mse
	}
	for i, s := range series {
		splits, err := s.Windows(epidemicWindow, 1).RollingOrigin(trainFraction, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		heuristics := baseline.Heuristics()
		of := make([][]float64, len(heuristics))
		errors[i] = make([][]float64, len(fits))
		for _, split := range splits {
			w := split.Test[0]
			for k, f := range heuristics {
				if err := f.Fit(split.Train, nil); err != nil {
					t.Fatal(err)
				}
				y, err := f.Forecast(w)
				if err != nil {
					t.Fatal(err)
				}
				of[k] = append(of[k], mse(y, w))
			}
			var own, several sums
			for _, w := range split.Train {
				own.add(ofWindow[i][w.Start])
			}
			several.add(&own)
			together := slices.Clone(split.Train)
			for j := range series {
				if j != i {
					for _, w := range known(split.Train, windows[j]) {
						several.add(ofWindow[j][w.Start])
						together = append(together, w)
					}
				}
			}
			for c, fit := range fits {
				var y mat.VecDense
				y.MulVec(linearRows(w), fit.coefficients(t, &own, &several))
				errors[i][c] = append(errors[i][c], mse(y.RawVector().Data, w))
			}
			if len(errors[i][0]) == 1 { // the same fit as the row starts from
				fit := linearFit{"several", false, 1, 100}
				l := head.Linear{Values: lags, Penalty: 1 / float64(len(together))}
				if l.Prior, err = l.Solve(together); err != nil {
					t.Fatal(err)
				}
				l.Penalty = 100 / float64(len(split.Train))
				b, err := l.Solve(split.Train)
				if err != nil {
					t.Fatal(err)
				}
				want := mat.NewVecDense(columns, b)
				if !mat.EqualApprox(fit.coefficients(t, &own, &several), want, 1e-9) {
					t.Errorf("%s: coefficients differ from those of Linear.Solve", s.Name)
				}
			}
		}
		simple[i] = slices.MinFunc(of, byMean)
	}
	share := func(country, fit int) float64 {
		return stat.Mean(errors[country][fit], nil) / stat.Mean(simple[country], nil)
	}
	want := []float64{.4664, .3692, .4117}
	for i := range len(series) + 1 {
		best, least := 0, math.Inf(1)
		for c := range fits {
			sum := 0.
			for j := range series {
				if j != i {
					sum += share(j, c)
				}
			}
			if sum < least {
				best, least = c, sum
			}
		}
		name := ""
		if i < len(series) {
			name = series[i].Name
		}
		if got := (linearFit{"several", false, priorStrength, ownStrengths[name]}); got != fits[best] {
			t.Errorf("%q has %+v, but %+v is best on the others", name, got, fits[best])
		}
		if i == len(series) {
			break
		}
		apart := slices.Clone(errors[i][best])
		for k := range apart {
			apart[k] -= simple[i][k]
		}
		mean, lag := stat.Mean(errors[i][best], nil), baseline.Lag(windows[i])
		apartMean, half := stats.SerialCI(apart, lag)
		t.Logf("%s: %+v has %.4f, %+.4f ± %.4f from the best simple forecast, p %.3f", name, fits[best], mean,
			apartMean, half, stats.SerialP(apart, lag))
		if !(math.Abs(mean-want[i]) <= 6e-5) {
			t.Errorf("%s: %.5f, want %.4f", name, mean, want[i])
		}
	}
}

func byMean(a, b []float64) int { return cmp.Compare(stat.Mean(a, nil), stat.Mean(b, nil)) }
