package figures

import (
	"math"
	"time"

	"gonum.org/v1/plot"
)

const day = 24 * time.Hour

// mostDays is about the largest time.Duration in days.
const mostDays = 100_000

// date returns the date at a position on X.
func (a Axes) date(x float64) time.Time {
	return a.Start.Add(time.Duration(math.Round(x * float64(day))))
}

// dated reports whether X is shown as dates.
func (a Axes) dated(x ...float64) bool {
	if a.Start.IsZero() || a.LogX {
		return false
	}
	for _, v := range x {
		if math.Abs(v) > mostDays {
			return false
		}
	}
	return true
}

// xTicks returns about want ticks between the ends of X.
func (a Axes) xTicks(x scale, want int) plot.Ticker {
	if a.dated(x.min, x.max) {
		return dateTicks{a, want}
	}
	return ticks{want: want, log: x.log, whole: x.whole}
}

// xLabel returns the label of X, with the year if ticks do not show it.
func (a Axes) xLabel(x scale, want int) string {
	if !a.dated(x.min, x.max) {
		return a.X
	}
	first, last := a.date(x.min).Format("2006"), a.date(x.max).Format("2006")
	switch {
	case dateTicks{a, want}.step(x.min, x.max).withYear:
		return a.X
	case first != last:
		first += " to " + last
	}
	if a.X == "" {
		return first
	}
	return a.X + ", " + first
}

// span describes the range of values on X in words.
func (a Axes) span(values ...float64) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if low > high || !a.dated(low, high) {
		return spanOf(values...)
	}
	form := "2 Jan 2006"
	if high > low && high-low < 2 {
		form = "2 Jan 2006 15:04"
	}
	if low == high {
		return a.date(low).Format(form)
	}
	return a.date(low).Format(form) + " to " + a.date(high).Format(form)
}

// dateTicks places about want ticks at hours, days, months or years.
type dateTicks struct {
	axes Axes
	want int
}

// dateStep is the distance of ticks: one of its numbers is above 0.
type dateStep struct {
	hours, days, months int
	form                string
	withYear            bool
}

// length returns the step's approximate length in days.
func (s dateStep) length() float64 {
	return float64(s.hours)/24 + float64(s.days) + 30.44*float64(s.months)
}

func dateSteps() (steps []dateStep) {
	for _, hours := range []int{1, 3, 6, 12} {
		steps = append(steps, dateStep{hours: hours, form: "2 Jan 15:04"})
	}
	for _, days := range []int{1, 2, 7, 14} {
		steps = append(steps, dateStep{days: days, form: "2 Jan"})
	}
	for _, months := range []int{1, 3, 6} {
		steps = append(steps, dateStep{months: months, form: "Jan 2006", withYear: true})
	}
	for _, years := range []int{1, 2, 5, 10, 20, 50, 100} {
		steps = append(steps, dateStep{months: 12 * years, form: "2006", withYear: true})
	}
	return steps
}

// step returns the shortest step with no more ticks than wanted; labels with hours are the longest.
func (t dateTicks) step(low, high float64) dateStep {
	steps := dateSteps()
	for _, s := range steps {
		want := t.want
		if s.hours > 0 {
			want /= 2
		}
		if (high-low)/s.length() <= float64(max(want, 2)) {
			return s
		}
	}
	return steps[len(steps)-1]
}

// Ticks returns labelled ticks inside the range: weeks begin on Mondays, other steps with the day, month or year.
func (t dateTicks) Ticks(low, high float64) (found []plot.Tick) {
	step, from := t.step(low, high), t.axes.date(low)
	year, month, date := from.Date()
	at := time.Date(year, month, date, 0, 0, 0, 0, from.Location())
	switch {
	case step.months > 0:
		months := (12*year + int(month) - 1) / step.months * step.months
		at = time.Date(0, time.January+time.Month(months), 1, 0, 0, 0, 0, from.Location())
	case step.days > 1:
		monday := time.Date(1970, time.January, 5, 0, 0, 0, 0, time.UTC)
		past := int(time.Date(year, month, date, 0, 0, 0, 0, time.UTC).Sub(monday) / day)
		at = at.AddDate(0, 0, -((past%step.days)+step.days)%step.days)
	}
	for {
		x := float64(at.Sub(t.axes.Start)) / float64(day)
		if x > high+1e-9 {
			return found
		}
		if x >= low-1e-9 {
			found = append(found, plot.Tick{Value: x, Label: at.Format(step.form)})
		}
		at = at.AddDate(0, step.months, step.days).Add(time.Duration(step.hours) * time.Hour)
	}
}
