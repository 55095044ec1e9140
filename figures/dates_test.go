package figures

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDateTicks(t *testing.T) {
	for _, c := range []struct {
		start     string
		low, high float64
		want      int
		text      string
		label     string
	}{
		{"2020-02-24", 0, 5, 6, "24 Feb|25 Feb|26 Feb|27 Feb|28 Feb|29 Feb", "day, 2020"},
		{"2020-02-24", 0, 7, 4, "24 Feb|26 Feb|28 Feb|1 Mar", "day, 2020"},
		{"2020-02-24", 0, 78, 12, "24 Feb|2 Mar|9 Mar|16 Mar|23 Mar|30 Mar|6 Apr|13 Apr|20 Apr|27 Apr|4 May|11 May",
			"day, 2020"},
		{"2020-03-13", 8, 60, 4, "23 Mar|6 Apr|20 Apr|4 May", "day, 2020"}, // every other Monday within the range
		{"2020-12-30", 0, 4, 6, "30 Dec|31 Dec|1 Jan|2 Jan|3 Jan", "day, 2020 to 2021"},
		{"2020-02-24", 0, 120, 5, "Mar 2020|Apr 2020|May 2020|Jun 2020", "day"},
		{"1986-07-01", 0, 7300, 6, "1990|1995|2000|2005", "day"},
		{"2020-02-24", 0, 1, 8, "24 Feb 00:00|24 Feb 06:00|24 Feb 12:00|24 Feb 18:00|25 Feb 00:00", "day, 2020"},
		{"2020-02-24", -3, -1, 4, "21 Feb|22 Feb|23 Feb", "day, 2020"},
	} {
		start, err := time.Parse(time.DateOnly, c.start)
		if err != nil {
			t.Fatal(err)
		}
		axes, x := Axes{X: "day", Start: start}, scale{min: c.low, max: c.high}
		var labels []string
		for _, tick := range axes.xTicks(x, c.want).Ticks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, "|"); got != c.text {
			t.Errorf("%s, days %g to %g: %q, want %q", c.start, c.low, c.high, got, c.text)
		}
		if got := axes.xLabel(x, c.want); got != c.label {
			t.Errorf("%s, days %g to %g: label %q, want %q", c.start, c.low, c.high, got, c.label)
		}
	}
}

// Date ticks lie inside the range, in order, where their label says, and are not many more than asked.
func TestDateTicksProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Unix(rapid.Int64Range(-5e9, 5e9).Draw(t, "start"), 0).UTC()
		low := rapid.Float64Range(-1000, 1000).Draw(t, "low")
		high := low + rapid.Float64Range(0.5, 20_000).Draw(t, "range")
		d := dateTicks{Axes{Start: start}, rapid.IntRange(1, 12).Draw(t, "want")}
		step, last := d.step(low, high), low-1
		found := d.Ticks(low, high)
		if len(found) > max(d.want, 2)+2 {
			t.Fatalf("%d ticks, about %d asked", len(found), d.want)
		}
		for _, tick := range found {
			if tick.Value < low-1e-6 || tick.Value > high+1e-6 || tick.Value <= last {
				t.Fatalf("tick at %g after %g, want it in order within %g to %g", tick.Value, last, low, high)
			}
			if at := d.axes.date(tick.Value).Round(time.Minute); at.Format(step.form) != tick.Label || at.Minute() != 0 {
				t.Fatalf("tick at %v says %q", at, tick.Label)
			}
			last = tick.Value
		}
	})
}

// Without a start, on a logarithmic axis and beyond what dates reach, X stays in numbers.
func TestXWithoutDates(t *testing.T) {
	start := time.Date(2020, 2, 24, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		axes Axes
		high float64
	}{"no start": {Axes{X: "day"}, 50}, "logarithmic": {Axes{X: "day", Start: start, LogX: true}, 50},
		"too far": {Axes{X: "day", Start: start}, 1e6}} {
		x := scale{min: 1, max: c.high, log: c.axes.LogX}
		if _, dates := c.axes.xTicks(x, 4).(dateTicks); dates || c.axes.xLabel(x, 4) != "day" {
			t.Errorf("%s: dates %v, label %q, want numbers and day", name, dates, c.axes.xLabel(x, 4))
		}
	}
}

// Lines, forecasts and heat maps say dates in their descriptions too.
func TestDatesInFigures(t *testing.T) {
	axes := Axes{X: "day", Start: time.Date(2020, 2, 24, 0, 0, 0, 0, time.UTC), Marks: []Mark{{Name: "lockdown", X: 14}}}
	days, values := []float64{0, 14, 78}, []float64{1, 2, 3}
	lines, err1 := Lines(axes, Series{Name: "cases", X: days, Y: values})
	forecasts, err2 := Forecasts(axes, []ForecastPanel{{Title: "lodi", Days: days, Truth: values}})
	heat, err3 := HeatMap(axes, Grid{Values: [][]float64{{1, 5, 2}}})
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		figure    *Figure
		alt, tick string
	}{{lines, "24 Feb 2020 to 12 May 2020", "6 Apr"}, {lines, "lockdown at 9 Mar 2020", "day, 2020"},
		{forecasts, "24 Feb 2020 to 12 May 2020", "6 Apr"}, {heat, "column 25 Feb 2020", "25 Feb"}} {
		svg, err := c.figure.SVG()
		if err != nil || !strings.Contains(string(svg), c.tick) || !strings.Contains(c.figure.Alt(), c.alt) {
			t.Errorf("%s (%v): no tick %q or description %q", c.figure.Alt(), err, c.tick, c.alt)
		}
	}
}
