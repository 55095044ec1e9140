package forecast

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/internal/tabular"
)

// prepared returns the series as a model sees it. Its time unit is unit, or the median time between snapshots if unit
// is 0.
func prepared(s *dyngraph.Series, unit float64) (*dyngraph.Series, float64, error) {
	if err := s.Validate(); err != nil {
		return nil, 0, err
	}
	if s.Quantities() < 1 || s.Targets == nil {
		return nil, 0, invalid("series %q has %d targets a node, want 1 or more: name a column to forecast", s.Name,
			s.Quantities())
	}
	if unit == 0 {
		if len(s.Times) < 2 {
			return nil, 0, invalid("series %q has %s with all lags, want 2 at least, and far more to train: read longer "+
				"files, or take fewer lags (--lags)", s.Name, plain.Count(len(s.Times), "snapshot"))
		}
		unit = medianGap(s.Times)
	}
	copied := *s
	copied.Times = slices.Clone(s.Times)
	for i := range copied.Times {
		copied.Times[i] /= unit
	}
	return &copied, unit, nil
}

func medianGap(times []float64) float64 {
	all := gaps(times)
	slices.Sort(all)
	return all[len(all)/2]
}

func gaps(times []float64) []float64 {
	all := make([]float64, len(times)-1)
	for i := range all {
		all[i] = times[i+1] - times[i]
	}
	return all
}

// longGaps returns the longest gap between snapshots, and the gap that 95% do not exceed.
func longGaps(s *dyngraph.Series) (longest, most float64) {
	all := gaps(s.Times)
	slices.Sort(all)
	return all[len(all)-1], all[int(0.95*float64(len(all)-1))]
}

// unknown returns a forecast, without values, for each step after the newest one of the series, in order of time: all
// that Series.Latest has, and nearer ones of earlier windows.
func unknown(s *dyngraph.Series, inputs int) ([]Forecast, error) {
	w, err := s.Latest(inputs)
	if err != nil {
		return nil, err
	}
	over := len(s.Times) - 1 + max(0, s.Alignment.Features.Last)
	if targets := len(s.Targets) - 1; targets >= 0 {
		for k := range s.TargetSteps() {
			if slices.ContainsFunc(s.AtStep(s.Targets[targets], k), known) {
				over = max(over, targets+s.Alignment.Targets.First+k)
			}
		}
	}
	var all []Forecast
	for next := math.MaxInt; w.Start >= 0; w.Start-- {
		first := w.Last() + s.Alignment.Targets.First
		for step := min(next, first+s.TargetSteps()) - 1; step >= first && step > over; step-- {
			next = step
			for target := s.Quantities() - 1; target >= 0; target-- {
				all = append(all, Forecast{window: w, step: step, at: output{step - first, target}, Ahead: step - newest(w)})
			}
		}
		if first <= over {
			break
		}
	}
	slices.Reverse(all)
	return all, nil
}

// aheads returns how many snapshots after the newest one that is seen the steps of targets are.
func aheads(s *dyngraph.Series) (first, last int) {
	first = s.Alignment.Targets.First + 1 - max(0, s.Alignment.Features.Last)
	return first, first + s.TargetSteps() - 1
}

// constant reports whether no node's target ever differs from its first one.
func constant(s *dyngraph.Series) bool {
	first := slices.Repeat([]float64{math.NaN()}, s.Nodes()*s.TargetSize)
	for _, targets := range s.Targets {
		for u, y := range targets {
			if math.IsNaN(first[u]) {
				first[u] = y
			}
			if known(y) && y != first[u] {
				return false
			}
		}
	}
	return true
}

func known(y float64) bool { return !math.IsNaN(y) }

// unscaled returns the values of a snapshot, row-major by node, in the data's unit.
func unscaled(s *dyngraph.Series, snapshot int, values []float64) ([]float64, error) {
	if len(s.Scales) == 0 {
		return values, nil
	}
	return s.Scales[min(snapshot, len(s.Scales)-1)].Restore(values)
}

// nodeName returns the data's name of a node, else its number.
func nodeName(s *dyngraph.Series, node int) string {
	if len(s.NodeNames) > 0 {
		return s.NodeNames[node]
	}
	return strconv.Itoa(node)
}

// calendar computes the times of the steps of a series, including steps after its last snapshot.
type calendar struct {
	*dyngraph.Series
	unit float64
}

// number returns the time of a step in the data's unit, with dates in days since the first. ok is false for a step
// after the last snapshot if snapshots are not evenly spaced.
func (c calendar) number(step int) (at float64, ok bool) {
	if c.Dates != nil {
		date, ok := c.date(step)
		if !ok {
			return math.NaN(), false
		}
		return float64(date.UnixMicro()-c.Dates[0].UnixMicro()) / 86400e6, true
	}
	last := len(c.Times) - 1
	if step <= last {
		return c.original(step), true
	}
	if last == 0 {
		return math.NaN(), false
	}
	gaps := gaps(c.Times)
	gap := gaps[len(gaps)-1]
	for _, g := range gaps {
		if math.Abs(g-gap) > 1e-6*gap {
			return math.NaN(), false
		}
	}
	newest := c.original(last)
	return withoutRounding(newest + float64(step-last)*(newest-c.original(last-1))), true
}

// original returns the number that the data have for the time of a snapshot: the one with the fewest digits that the
// unit divides into it.
func (c calendar) original(snapshot int) float64 {
	const fewest, most = 13, 17 // most tells all floats apart
	at := c.Times[snapshot] * c.unit
	if plain := withoutRounding(at); plain != at {
		return plain
	}
	for digits := fewest; digits <= most; digits++ {
		for _, near := range []float64{at, math.Nextafter(at, math.Inf(1)), math.Nextafter(at, math.Inf(-1))} {
			if number := tabular.Rounded(near, digits); number/c.unit == c.Times[snapshot] {
				return number
			}
		}
	}
	return at
}

// withoutRounding returns the number of at most twelve digits from which another differs by rounding alone, else that
// other.
func withoutRounding(number float64) float64 {
	const digits, rounding = 12, 0x1p-50
	if short := tabular.Rounded(number, digits); math.Abs(short-number) <= rounding*math.Abs(number) {
		return short
	}
	return number
}

// date returns the date of a step; ok is false as in number. Months count as evenly spaced.
func (c calendar) date(step int) (time.Time, bool) {
	last := len(c.Dates) - 1
	if step <= last {
		return c.Dates[step], true
	}
	if last == 0 {
		return time.Time{}, false
	}
	gap, even := c.Dates[1].Sub(c.Dates[0]), true
	for i, date := range c.Dates[1:] {
		even = even && date.Sub(c.Dates[i]) == gap
	}
	date, monthly := c.month(step, 1) // by ends of months
	if !monthly {
		date, monthly = c.month(step, 0)
	}
	switch {
	case even && !(monthly && last > 1):
		return c.Dates[last].Add(time.Duration(step-last) * gap), true
	case monthly:
		return date, true
	}
	return time.Time{}, false
}

// month returns the date of a step if all dates, shifted by later days, fall on the same day of the month and are
// equally many months apart. If later is not 0, the shifted dates must be the first of a month: the dates are then
// ends of months.
func (c calendar) month(step, later int) (time.Time, bool) {
	first, second := c.Dates[0].AddDate(0, 0, later), c.Dates[1].AddDate(0, 0, later)
	months := 12*(second.Year()-first.Year()) + int(second.Month()) - int(first.Month())
	if months < 1 || later > 0 && first.Day() != 1 {
		return time.Time{}, false
	}
	for i, date := range c.Dates {
		if !date.AddDate(0, 0, later).Equal(first.AddDate(0, months*i, 0)) {
			return time.Time{}, false
		}
	}
	return first.AddDate(0, months*step, -later), true
}

// at returns the time of a step: a date, or a number of the data; nil if unknown.
func (c calendar) at(step int) any {
	if c.Dates == nil {
		if at, ok := c.number(step); ok {
			return at
		}
		return nil
	}
	if date, ok := c.date(step); ok {
		return date
	}
	return nil
}

// text returns the time of a step for people and for files, "" if unknown.
func (c calendar) text(step int) string {
	switch at := c.at(step).(type) {
	case float64:
		return tabular.FormatNumber(at)
	case time.Time: // one form for all
		inTheDay := func(date time.Time) bool { return !tabular.WholeDay(date) }
		return tabular.FormatTime(at, !inTheDay(at) && !slices.ContainsFunc(c.Dates, inTheDay))
	}
	return ""
}

// axes returns axes that label the numbers of the calendar.
func (c calendar) axes() figures.Axes {
	if c.Dates == nil {
		return figures.Axes{X: "time"}
	}
	return figures.Axes{Start: c.Dates[0]}
}
