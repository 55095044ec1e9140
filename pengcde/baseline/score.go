package baseline

import (
	"cmp"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/stats"
)

// Score holds the errors of forecasts of windows.
type Score struct {
	Name string
	// Err tells why there are no forecasts, for example because the series has no last values; the other fields are
	// then empty.
	Err error
	// Windows are the forecast windows in order of time; Forecasts [windows][nodes*TargetSize] are row-major by node, NaN
	// for nodes that are absent at a window's last input.
	Windows   []dyngraph.Window
	Forecasts [][]float64
	// Errors [windows] are mean squared errors by node, NaN for a window without an observed target.
	Errors []float64
	// NodeErrors [nodes] are mean squared errors over windows, NaN for a node whose target was never observed.
	NodeErrors []float64
}

// NewScore returns the score of forecasts [windows][nodes*TargetSize] for windows of one series, such as the forecasts
// of a pengcde.Model.
func NewScore(name string, windows []dyngraph.Window, forecasts [][]float64) (Score, error) {
	if len(windows) == 0 || len(forecasts) != len(windows) {
		return Score{}, invalid("%d forecasts of %q for %d windows, want one for each, and one window at least",
			len(forecasts), name, len(windows))
	}
	s := Score{Name: name}
	order := make([]int, len(windows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(windows[a].Last(), windows[b].Last()) })
	for _, i := range order {
		w, forecast := windows[i], forecasts[i]
		if err := checkTested(name, w, windows[0]); err != nil {
			return Score{}, err
		}
		if len(forecast) != len(w.Target()) {
			return Score{}, invalid("forecast of %q for the window at snapshot %d has %d values, want %d (nodes x targets)",
				name, w.Start, len(forecast), len(w.Target()))
		}
		present, size := w.Present(math.Inf(1)), w.Series.TargetSize
		for k, v := range forecast {
			if (math.IsNaN(v) || math.IsInf(v, 0)) && (present == nil || present[k/size]) {
				return Score{}, invalid("forecast of %q for the window at snapshot %d, node %d is %g, want a finite number", name,
					w.Start, k/size, v)
			}
		}
		forecast = w.WithoutAbsent(math.Inf(1), forecast)
		s.Windows, s.Forecasts = append(s.Windows, w), append(s.Forecasts, forecast)
	}
	return s, s.measure()
}

// checkTested returns an error if a window has no targets, or is of another series than first.
func checkTested(name string, w, first dyngraph.Window) error {
	if err := cmp.Or(check(name, w), check(name, first)); err != nil {
		return err
	}
	switch {
	case w.Series != first.Series:
		return invalid("windows of the series %q and %q, want windows of one series", first.Series.Name, w.Series.Name)
	case len(w.Target()) != w.Series.Nodes()*w.Series.TargetSize || len(w.Target()) == 0:
		return invalid("the window at snapshot %d of series %q has %d targets to compare with, want %d nodes x %d: take "+
			"windows from Series.Windows, of a series with targets", w.Start, w.Series.Name, len(w.Target()),
			w.Series.Nodes(), w.Series.TargetSize)
	}
	return nil
}

// measure sets the errors of a score.
func (s *Score) measure() error {
	size := s.Windows[0].Series.TargetSize
	sums, counts := make([]float64, s.Windows[0].Series.Nodes()), make([]float64, s.Windows[0].Series.Nodes())
	for i, w := range s.Windows {
		target := w.Target()
		mse := math.NaN()
		if slices.ContainsFunc(target, func(y float64) bool { return !math.IsNaN(y) }) {
			var err error
			if mse, err = train.MSE(s.Forecasts[i], target); err != nil {
				return err
			}
		}
		s.Errors = append(s.Errors, mse)
		for k, y := range target {
			if !math.IsNaN(y) {
				sums[k/size] += (s.Forecasts[i][k] - y) * (s.Forecasts[i][k] - y)
				counts[k/size]++
			}
		}
	}
	for u := range sums {
		s.NodeErrors = append(s.NodeErrors, sums[u]/counts[u]) // 0/0 is NaN
	}
	return nil
}

// Mean returns the mean of Errors and the half-width of its 95% interval by [stats.SerialCI], which accounts for
// windows that share steps. The half-width is +Inf if there are too few windows. Without forecasts, or without an
// observed target, both are NaN.
func (s Score) Mean() (mean, halfWidth float64) { return s.interval(s.Errors) }

// Minus returns the mean difference to the errors of another score, window by window, with its interval as in Mean. It
// is negative if s is better. It is NaN if either score has no forecasts, or if their windows differ.
func (s Score) Minus(other Score) (mean, halfWidth float64) {
	if !slices.Equal(s.Windows, other.Windows) {
		return math.NaN(), math.NaN()
	}
	differences := make([]float64, len(s.Errors))
	for i := range differences {
		differences[i] = s.Errors[i] - other.Errors[i]
	}
	return s.interval(differences)
}

func (s Score) interval(values []float64) (mean, halfWidth float64) {
	observed := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	return stats.SerialCI(observed, Lag(s.Windows))
}

// Lag returns the number of later windows, in order of time, that may share a step with a window: the lag of
// [stats.SerialCI] for errors of these windows.
func Lag(windows []dyngraph.Window) int {
	gap, width := math.MaxInt, 0
	for i, w := range windows {
		touched := w.StepsUsed()
		width = max(width, touched.Last-touched.First)
		if i > 0 {
			gap = min(gap, max(1, w.Start-windows[i-1].Start))
		}
	}
	return width / gap
}

// Best returns the score with the smallest mean error among scores with forecasts; ok is false if there is none.
func Best(scores []Score) (best Score, ok bool) {
	least := math.Inf(1)
	for _, s := range scores {
		if mean, _ := s.Mean(); mean < least {
			best, least, ok = s, mean, true
		}
	}
	return best, ok
}
