package forecast

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/stats"
)

// levels are the shares of values that prediction intervals are to hold.
var levels = []float64{0.8, 0.95}

const (
	// An interval needs leastWindows earlier windows, and uses the newest mostWindows: the fewest that give a single node
	// an interval of 95%, since older errors say less where the data drift.
	leastWindows, mostWindows = 5, 20
	// pooledWindows is the weight, in windows, of the mean over all nodes in the typical error of a node.
	pooledWindows = 5
)

// Interval holds the ends of the prediction intervals of all nodes, in the data's unit.
type Interval struct {
	// Level is the share of values that the intervals are to hold, such as 0.8.
	Level        float64
	Lower, Upper []float64
}

// Coverage tells how often prediction intervals held on the tested windows. Each interval came from earlier windows
// whose targets were known when its forecast was made.
type Coverage struct {
	// Ahead is how many snapshots after the newest one that is seen the values of Target are. Level is the share that was
	// wanted. Held is the share of values that were inside, and Margin the half-width of its 95% interval over windows.
	// Width is the mean width of the intervals, in the data's unit.
	Ahead                      int
	Target                     string
	Level, Held, Margin, Width float64
	// Windows is the number of windows with intervals.
	Windows int
	// Intervals are the intervals of the tested windows; nil for windows with too few before them.
	Intervals []*Interval

	of output
}

// halfWidths are half-widths of prediction intervals of an output at a level, by node, in the unit of the series.
type halfWidths struct {
	Step   int       `json:"Step,omitzero"`
	Target int       `json:"Target,omitzero"`
	Level  float64   `json:"Level"`
	Half   []float64 `json:"Half"`
}

// calibrateParts calibrates each output by itself, since a nearer step is known sooner. Outputs with too few windows
// have no results.
func calibrateParts(s baseline.Score, tested int, outputs []part) (coverage []Coverage, later []halfWidths, err error) {
	scores, err := split(s, outputs)
	if err != nil {
		return nil, nil, err
	}
	for k, score := range scores {
		held, half, err := calibrate(score, tested)
		if err != nil {
			return nil, nil, err
		}
		for i := range held {
			held[i].Ahead, _ = aheads(outputs[k].series)
			held[i].of = outputs[k].output
			half[i].Step, half[i].Target = outputs[k].step, outputs[k].target
		}
		coverage, later = append(coverage, held...), append(later, half...)
	}
	return coverage, later, nil
}

// calibrate measures the coverage of intervals on the windows of a score from index tested on, and returns the
// half-widths for later forecasts. Both are nil with too few windows. The score is of targets of one step.
//
// The error of a forecast is divided by the typical error of its node: the mean absolute error over earlier windows, in
// which the mean over all nodes counts as [pooledWindows] windows. A [stats.Conformal] of these ratios, of all nodes
// together, gives the half-width as a multiple of the node's typical error.
func calibrate(s baseline.Score, tested int) (coverage []Coverage, later []halfWidths, err error) {
	series, rows := s.Windows[0].Series, errorRows(s)
	least, err := leastValue(series, s.Windows[0].Last())
	if err != nil {
		return nil, nil, err
	}
	for _, level := range levels {
		c := Coverage{Level: level, Intervals: make([]*Interval, len(s.Windows))}
		quantile := stats.Conformal{Level: level}
		shares, widths := make([]float64, len(s.Windows)), make([]float64, len(s.Windows))
		observed := 0 // windows whose targets are known when window k is forecast
		learn := func(isKnown func(w dyngraph.Window) bool) {
			for ; observed < len(s.Windows) && isKnown(s.Windows[observed]); observed++ {
				if share := shares[observed]; c.Intervals[observed] != nil && known(share) {
					quantile.Observe(share)
				}
			}
		}
		for k, w := range s.Windows {
			learn(func(earlier dyngraph.Window) bool {
				return earlier.Start < w.Start && len(dyngraph.Known([]dyngraph.Window{earlier}, w)) == 1
			})
			half := rows[:observed].halfWidths(&quantile)
			if half == nil {
				continue
			}
			if c.Intervals[k], err = around(series, w.Last(), least, level, s.Forecasts[k], half); err != nil {
				return nil, nil, err
			}
			truth, err := unscaled(series, w.Last(), w.Target())
			if err != nil {
				return nil, nil, err
			}
			shares[k], widths[k] = c.Intervals[k].holds(truth)
			y, err := unscaled(series, w.Last(), s.Forecasts[k])
			if err != nil {
				return nil, nil, err
			}
			c.Intervals[k].contain(y)
		}
		var held, wide []float64
		for k := tested; k < len(s.Windows); k++ {
			if c.Intervals[k] != nil && known(shares[k]) {
				held, wide = append(held, shares[k]), append(wide, widths[k])
			}
		}
		learn(func(dyngraph.Window) bool { return true })
		half := rows.halfWidths(&quantile)
		if half == nil || len(held) == 0 {
			return nil, nil, nil
		}
		c.Windows, c.Width = len(held), stat.Mean(wide, nil)
		c.Held, c.Margin = stats.SerialCI(held, baseline.Lag(s.Windows))
		c.Intervals = c.Intervals[tested:]
		coverage, later = append(coverage, c), append(later, halfWidths{Level: level, Half: half})
	}
	return coverage, later, nil
}

// absoluteErrors are absolute errors [windows][nodes] in the unit of the series, NaN without an observed target.
type absoluteErrors [][]float64

// errorRows returns the errors of a score.
func errorRows(s baseline.Score) (all absoluteErrors) {
	for k, w := range s.Windows {
		row := slices.Clone(s.Forecasts[k])
		for u, y := range w.Target() {
			row[u] = math.Abs(row[u] - y)
		}
		all = append(all, row)
	}
	return all
}

// halfWidths returns the half-widths of a next forecast, by node, from the newest windows; nil if they are too few.
func (e absoluteErrors) halfWidths(quantile *stats.Conformal) []float64 {
	if len(e) < leastWindows {
		return nil
	}
	e = e[max(0, len(e)-mostWindows):]
	observed := slices.DeleteFunc(slices.Concat(e...), math.IsNaN)
	pooled := stat.Mean(observed, nil)
	if !(pooled > 0) { // nothing observed, or forecasts without any error
		return nil
	}
	half, ratios := make([]float64, len(e[0])), []float64(nil)
	for u := range half {
		sum, count := pooledWindows*pooled, float64(pooledWindows)
		for _, row := range e {
			if known(row[u]) {
				sum, count = sum+row[u], count+1
			}
		}
		half[u] = sum / count
		for _, row := range e {
			if known(row[u]) {
				ratios = append(ratios, row[u]/half[u])
			}
		}
	}
	multiple := quantile.HalfWidth(ratios)
	for u := range half {
		half[u] *= multiple
	}
	return half
}

// around returns the interval around forecasts in the unit of the series, cut off below a least value in the data's
// unit.
func around(s *dyngraph.Series, snapshot int, least, level float64, forecast, half []float64) (*Interval, error) {
	lower, upper := slices.Clone(forecast), slices.Clone(forecast)
	for u, h := range half {
		lower[u] -= h
		upper[u] += h
	}
	lower, err := unscaled(s, snapshot, lower)
	if err != nil {
		return nil, err
	}
	if upper, err = unscaled(s, snapshot, upper); err != nil {
		return nil, err
	}
	for u := range lower {
		lower[u], upper[u] = max(lower[u], least), max(upper[u], least)
	}
	return &Interval{level, lower, upper}, nil
}

// contain widens the interval to forecasts in the data's unit that are below the least value. No value is there, so it
// holds no more of them.
func (i *Interval) contain(forecast []float64) {
	for u, y := range forecast {
		i.Lower[u] = min(i.Lower[u], y)
	}
}

// leastValue returns 0 if no target up to a snapshot is negative, in the data's unit, as of counts; else -Inf.
func leastValue(s *dyngraph.Series, last int) (float64, error) {
	const rounding = -1e-9
	for i := range s.Targets[:last+1] {
		values, err := unscaled(s, i, s.Targets[i])
		if err != nil {
			return 0, err
		}
		if slices.ContainsFunc(values, func(y float64) bool { return y < rounding }) {
			return math.Inf(-1), nil
		}
	}
	return 0, nil
}

// holds returns the share of observed values that are inside, and the mean width; NaN if none is observed.
func (i *Interval) holds(truth []float64) (share, width float64) {
	var inside, widths []float64
	for u, y := range truth {
		if !known(y) {
			continue
		}
		in := 0.0
		if y >= i.Lower[u] && y <= i.Upper[u] {
			in = 1
		}
		inside, widths = append(inside, in), append(widths, i.Upper[u]-i.Lower[u])
	}
	return stat.Mean(inside, nil), stat.Mean(widths, nil)
}

// coverageTable shows the coverage of intervals.
func (r *Result) coverageTable() *figures.Table {
	coverage, unit := r.Coverage, r.Target()
	if len(r.Recipe.Config.Nodes.Targets) > 1 {
		unit = "in its unit"
	}
	t := &figures.Table{Title: "Prediction intervals on " + plain.Count(coverage[0].Windows, "tested window"),
		Columns: []figures.Column{{Title: "target"}, {Title: "ahead"}, {Title: "level, %"},
			{Title: "coverage, %", Decimals: 1}, {Title: "mean width, " + unit}},
		Notes: []string{"Coverage: the share of values inside intervals made only from earlier forecasts, with its " +
			"95% interval over windows. The half-width is a multiple of a node's typical error on the newest 20 windows before, " +
			"averaged with the mean of all nodes, which counts as five; the multiple follows how often earlier intervals held " +
			"(adaptive conformal inference)."}}
	for _, c := range coverage {
		t.Rows = append(t.Rows, []figures.Cell{figures.Text(c.Target), figures.Text(strconv.Itoa(c.Ahead)),
			figures.Text(fmt.Sprintf("%g", 100*c.Level)), estimate(100*c.Held, 100*c.Margin), figures.Number(c.Width)})
	}
	return t
}
