package law

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/ridge"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// ErrNotFitted is returned by a forecast before [LeastSquares.Fit].
var ErrNotFitted = errors.New("pengcde/law: not fitted: call Fit first")

// LeastSquares finds the law whose solution from each observation comes closest to the next one, by Gauss-Newton from
// dx = 0. The first iteration is linear regression on differences. L is fitted to the intervals without a change of the
// graph, then L' to the others, given L. Offset is the mean of the targets.
//
// It fits whole series of one feature per node whose targets are this feature. It forecasts a series from its first
// features by the exact solution on each graph. If the data do not distinguish maps, such as A and its transpose on
// undirected graphs, the coefficients have the smallest norm. It is a forecaster like those in package baseline. The
// zero value is ready to fit.
type LeastSquares struct {
	// Maps are the maps of A and of its changes; nil means [equivariant.Published8].
	Maps []equivariant.Map `json:"Maps"`
	// OfA leaves out the maps of changes, so that the state does not change with the graph.
	OfA bool `json:"OfA"`

	fitted *Law
}

// Name returns a name for display.
func (f *LeastSquares) Name() string {
	if f.OfA {
		return "Linear law of A alone"
	}
	return "Linear law"
}

// Law returns the fitted law, without sizes of its terms: see [Law.Measured].
func (f *LeastSquares) Law() (Law, error) {
	if f.fitted == nil {
		return Law{}, ErrNotFitted
	}
	return *f.fitted, nil
}

// Fit fits the law to whole series. NaN marks a target that was not observed. Only snapshots with all targets observed
// are used. Fit ignores the validation windows. An error wraps [ErrInput], or [dyngraph.ErrInvalid] for a window
// outside its series.
func (f *LeastSquares) Fit(training, _ []dyngraph.Window) error {
	sum, count := 0.0, 0
	for _, w := range training {
		if err := check(w); err != nil {
			return err
		}
		for _, targets := range w.Targets() {
			if !floats.HasNaN(targets) {
				sum, count = sum+floats.Sum(targets), count+len(targets)
			}
		}
	}
	return f.fitAround(sum/float64(count), training)
}

// fitAround is Fit with a given offset.
func (f *LeastSquares) fitAround(offset float64, training []dyngraph.Window) error {
	flows, changes := spansOf(training)
	if len(flows)+len(changes) == 0 {
		return invalid("%d series without two snapshots whose targets are all observed, want at least one with them",
			len(training))
	}
	maps := f.Maps
	if maps == nil {
		maps = equivariant.Published8()
	}
	law := Law{Offset: offset}
	for _, m := range maps {
		if one := (Term{Map: m}); !one.multiple() {
			law.Terms = append(law.Terms, one)
		}
	}
	if err := law.fit(flows, false); err != nil {
		return err
	}
	if !f.OfA {
		for _, m := range maps {
			law.Terms = append(law.Terms, Term{Map: m, Change: true})
		}
		if err := law.fit(changes, true); err != nil {
			return err
		}
	}
	f.fitted = &law
	return nil
}

// Forecast returns the states at the forecast times of a window, [times*nodes].
func (f *LeastSquares) Forecast(w dyngraph.Window) ([]float64, error) {
	if f.fitted == nil {
		return nil, ErrNotFitted
	}
	if err := check(w); err != nil {
		return nil, err
	}
	s := w.Series
	if s.FeatureSize != 1 || floats.HasNaN(s.Features[w.Start]) {
		return nil, invalid("series %q has %d features a node at its first snapshot, want one without NaN, the first state",
			s.Name, s.FeatureSize)
	}
	x := f.fitted.centred(s.Features[w.Start])
	all := append([]float64{}, s.Features[w.Start]...)
	for k := w.Start + 1; k <= w.Last(); k++ {
		x, _ = f.fitted.advance(s, k, x, nil, nil)
		if floats.HasNaN(x) || math.IsInf(floats.Norm(x, math.Inf(1)), 0) {
			return nil, invalid("the law's solution of series %q is not finite at time %g: a linear law may not suit the data, "+
				"or has too many maps for them: try fewer Maps", s.Name, s.Times[k])
		}
		for _, v := range x {
			all = append(all, v+f.fitted.Offset)
		}
	}
	return all, nil
}

// span is the interval from one observed snapshot of a series to the next.
type span struct {
	series   *dyngraph.Series
	from, to int
}

// spansOf returns the spans of windows: those without a change of the graph, and those with one.
func spansOf(windows []dyngraph.Window) (flows, changes []span) {
	for _, w := range windows {
		last, changed := -1, false
		for k, targets := range w.Targets() {
			at := w.Start + k
			changed = changed || k > 0 && changeAt(w.Series, at) != nil
			switch {
			case floats.HasNaN(targets):
				continue
			case last < 0:
			case changed:
				changes = append(changes, span{w.Series, last, at})
			default:
				flows = append(flows, span{w.Series, last, at})
			}
			last, changed = at, false
		}
	}
	return flows, changes
}

// learnt is a fitted coefficient: of a map, or of the state if mapped is nil.
type learnt struct {
	mapped *equivariant.Map
	value  *float64
}

// derivative returns the derivative of an operator by the coefficient.
func (l learnt) derivative(o operator) *equivariant.Combination {
	by := o.Zero()
	if l.mapped == nil {
		by.AddUnit(1)
	} else {
		by.Add(1, *l.mapped)
	}
	return by
}

func (l *Law) learnt(change bool) (all []learnt) {
	if !change {
		all = append(all, learnt{value: &l.State})
	}
	for i := range l.Terms {
		if t := &l.Terms[i]; t.Change == change {
			all = append(all, learnt{&t.Map, &t.Coefficient})
		}
	}
	return all
}

const (
	maxIterations = 30
	// settled ends the iterations: the largest change of a term relative to the largest term.
	settled = 1e-10
	// penalty keeps normal equations, scaled to a diagonal of 1, from being singular.
	penalty = 1e-9
)

// fit finds the coefficients of A, or of its changes if change is set. They stay 0 if there are no spans. A step that
// makes the residuals larger, or not finite, is halved.
func (l *Law) fit(spans []span, change bool) error {
	if len(spans) == 0 {
		return nil
	}
	all := l.learnt(change)
	best, accepted := math.Inf(1), make([]float64, len(all))
	for range maxIterations {
		sum, xx, xy := l.normal(spans, all, change)
		if !(sum <= best) || math.IsInf(sum, 1) { // NaN too
			for j, one := range all {
				*one.value = (*one.value + accepted[j]) / 2
			}
			continue
		}
		best = sum
		for j, one := range all {
			accepted[j] = *one.value
		}
		step, err := solve(xx, xy)
		if err != nil {
			return err
		}
		var moved, size float64
		for j, one := range all {
			*one.value += step[j]
			scale := math.Sqrt(xx.At(j, j))
			moved, size = max(moved, math.Abs(step[j])*scale), max(size, math.Abs(*one.value)*scale)
		}
		if moved <= settled*size {
			return nil
		}
	}
	if math.IsInf(best, 1) {
		return invalid("the targets of %d intervals have squares that are not finite, want finite targets of order 1",
			len(spans))
	}
	for j, one := range all { // whether the last step is an improvement is not known
		*one.value = accepted[j]
	}
	return nil
}

// normal returns the sum of squared residuals of the spans and the normal equations of a Gauss-Newton step.
func (l *Law) normal(spans []span, all []learnt, change bool) (sum float64, xx *mat.SymDense, xy *mat.VecDense) {
	xx, xy = mat.NewSymDense(len(all), nil), mat.NewVecDense(len(all), nil)
	for _, s := range spans {
		x := l.centred(s.series.Targets[s.from])
		slopes := make([][]float64, len(all))
		for j := range slopes {
			slopes[j] = make([]float64, len(x))
		}
		for k := s.from + 1; k <= s.to; k++ {
			x, slopes = l.advance(s.series, k, x, slopes, func(changes bool) []learnt {
				if changes == change {
					return all
				}
				return nil
			})
		}
		residual := floats.SubTo(make([]float64, len(x)), l.centred(s.series.Targets[s.to]), x)
		sum += floats.Dot(residual, residual)
		for j := range slopes {
			xy.SetVec(j, xy.AtVec(j)+floats.Dot(slopes[j], residual))
			for i := range j + 1 {
				xx.SetSym(i, j, xx.At(i, j)+floats.Dot(slopes[i], slopes[j]))
			}
		}
	}
	return sum, xx, xy
}

// advance follows a state from snapshot k-1 of a series to k: on the graph of k-1, then through its change. slopes are
// the state's derivatives by the coefficients that fitted returns for A and for its changes. The law carries them
// forward, and each segment adds its own contribution by Simpson's rule.
func (l *Law) advance(s *dyngraph.Series, k int, x []float64, slopes [][]float64,
	fitted func(changes bool) []learnt) ([]float64, [][]float64) {
	segment := func(weights []float64, length float64, change bool) {
		o := l.operator(s.Pattern, weights, change)
		var own []learnt
		if fitted != nil {
			own = fitted(change)
		}
		if own == nil {
			x = o.flow(length, x)
			for j := range slopes {
				slopes[j] = o.flow(length, slopes[j])
			}
			return
		}
		middle := o.flow(length/2, x)
		end := o.flow(length/2, middle)
		for j, one := range own {
			by := one.derivative(o)
			add := func(share float64, x []float64) { by.AddTo(slopes[j], share*length, x) }
			add(1./6, x)
			slopes[j] = o.flow(length/2, slopes[j])
			add(4./6, middle)
			slopes[j] = o.flow(length/2, slopes[j])
			add(1./6, end)
		}
		x = end
	}
	segment(s.Weights[k-1], s.Times[k]-s.Times[k-1], false)
	if change := changeAt(s, k); change != nil {
		segment(change, 1, true)
	}
	return x, slopes
}

// solve returns the solution of normal equations, close to the one of smallest norm if there are several.
func solve(xx *mat.SymDense, xy *mat.VecDense) ([]float64, error) {
	n := xy.Len()
	scale, scaled, right := make([]float64, n), mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for j := range n {
		scale[j] = 1
		if d := xx.At(j, j); d > 0 {
			scale[j] = 1 / math.Sqrt(d)
		}
	}
	for j := range n {
		right.SetVec(j, xy.AtVec(j)*scale[j])
		for i := range j + 1 {
			scaled.SetSym(i, j, xx.At(i, j)*scale[i]*scale[j])
		}
	}
	step, ok := ridge.Solve(scaled, right, penalty)
	if !ok {
		return nil, invalid("the least squares of a law have no solution in floats: want finite targets of order 1")
	}
	floats.Mul(step, scale)
	return step, nil
}
