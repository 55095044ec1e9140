package figures

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series is one line, with a band if Lower and Upper are given. NaN in Y, Lower or Upper is missing: the line is open
// there.
type Series struct {
	Name         string
	X            []float64 // increasing; nil is 0, 1, 2, ...
	Y            []float64
	Lower, Upper []float64 // both or neither, as long as Y
	Band         string    // what the band is, for the key, such as "min–max of 5 seeds"
	Dashed       bool
	Dotted       bool
	Points       bool // a dot at each value, for lines through few measurements
	Colour       int  // place in the palette, from 1, for lines that belong together; 0 is the place among the series
}

// Lines draws series over X with a key above the data.
func Lines(axes Axes, series ...Series) (*Figure, error) {
	if len(series) == 0 {
		return nil, fmt.Errorf("figures: Lines got no series, wanted one or more: %w", ErrInput)
	}
	series = append([]Series(nil), series...)
	for i := range series {
		if err := series[i].check(axes); err != nil {
			return nil, err
		}
	}
	return axes.figure(260, func(c draw.Canvas) {
		var xs, ys [][]float64
		room := 0.0
		for _, s := range series {
			xs, ys = append(xs, s.X), append(ys, s.Y, s.Lower, s.Upper)
			if s.Points { // whole also at the ends
				room = 0.02
			}
		}
		x, _ := fit(axes.LogX, room, xs...)
		y, _ := fit(axes.LogY, 0.05, ys...)
		entries := seriesKey(series, 0)
		if len(series) == 1 && series[0].Name == "" {
			entries = nil
		}
		drawPanel(c, axes, entries, x, y, func(f *frame) { drawSeries(f, series, 0) })
	})
}

// drawPanel lays out one pair of axes with a key, spans and marks, and calls data between these and the axes.
func drawPanel(c draw.Canvas, axes Axes, entries []entry, x, y scale, data func(f *frame)) {
	entries = append(entries, markEntries(axes.Marks, x)...)
	named := drawPanelOnce(c, axes, entries, x, y, data, true)
	if !named {
		drawPanelOnce(c, axes, append(entries, spanEntries(axes.Spans)...), x, y, data, false)
	}
}

// drawPanelOnce draws nothing and returns false if the spans were to be named above the data and do not fit.
func drawPanelOnce(c draw.Canvas, axes Axes, entries []entry, x, y scale, data func(f *frame), nameSpans bool) bool {
	xTicks, yTicks := tickCounts(c, x, y)
	r := rimsFor(axes, xTicks, yTicks)
	if nameSpans && len(axes.Spans) > 0 {
		r.top = noteText.size + 4
	}
	below := c
	below.Max.Y -= keyHeight(entries, c.Max.X-c.Min.X-r.left)
	f := newFrame(below, r, x, y, xTicks, yTicks)
	if nameSpans && !f.spansFit(axes.Spans) {
		return false
	}
	drawKey(c, f.Min.X, entries)
	f.shade(axes.Spans)
	f.grid()
	f.mark(axes.Marks)
	data(&f)
	f.axes(axes.X, axes.Y)
	if nameSpans {
		f.nameSpans(axes.Spans)
	}
	return true
}

// tickCounts gives ticks about every 76 points across and every 38 points up.
func tickCounts(c draw.Canvas, x, y scale) (xTicks, yTicks []tick) {
	size := c.Size()
	return x.ticks(int(size.X / 76)), y.ticks(int(size.Y / 38))
}

// drawSeries draws bands first and lines over them; colours start at the given place of the palette.
func drawSeries(f *frame, series []Series, first int) {
	for i, s := range series {
		if s.Lower != nil {
			f.band(withAlpha(s.colour(first+i), bandAlpha), s.X, s.Lower, s.Upper)
		}
	}
	for i, s := range series {
		f.stroke(s.style(first+i), s.X, s.Y)
		for k := range s.X {
			if s.Points && !math.IsNaN(s.Y[k]) {
				f.dot(f.point(s.X[k], s.Y[k]), pointRadius, s.colour(first+i))
			}
		}
	}
}

const (
	bandAlpha   = 0.22
	pointRadius = 2.4
)

func seriesColour(i int) color.NRGBA { return seriesColours[i%len(seriesColours)] }

// colour is that of a series at place i.
func (s Series) colour(i int) color.NRGBA {
	if s.Colour > 0 {
		i = s.Colour - 1
	}
	return seriesColour(i)
}

// style gives each series a colour; from the seventh on, colours come again with dashes.
func (s Series) style(i int) draw.LineStyle {
	style := line(1.5, s.colour(i))
	switch {
	case s.Dotted:
		style.Dashes = []vg.Length{1.5, 2.5}
	case s.Dashed || s.Colour == 0 && i >= len(seriesColours):
		style.Dashes = []vg.Length{4, 2.5}
	}
	return style
}

func seriesKey(series []Series, first int) []entry {
	var entries []entry
	for i, s := range series {
		e := entry{name: s.Name, line: s.style(first + i)}
		if s.Points {
			e.glyph, e.radius, e.colour = draw.CircleGlyph{}, pointRadius, s.colour(first+i)
		}
		if s.Lower != nil {
			e.patch = withAlpha(s.colour(first+i), bandAlpha)
			if s.Band != "" {
				e.name += " (band: " + s.Band + ")"
			}
		}
		entries = append(entries, e)
	}
	return entries
}

// check fills in X and says what cannot be drawn.
func (s *Series) check(axes Axes) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("figures: series %q: %s: %w", s.Name, fmt.Sprintf(format, args...), ErrInput)
	}
	if len(s.Y) == 0 {
		return fail("Y is empty, wanted at least one value")
	}
	if s.X == nil {
		s.X = count(len(s.Y), 0)
	}
	if len(s.X) != len(s.Y) {
		return fail("%d values of X and %d of Y, wanted as many; leave X nil for 0, 1, 2, ...", len(s.X), len(s.Y))
	}
	if (s.Lower == nil) != (s.Upper == nil) || s.Lower != nil && (len(s.Lower) != len(s.Y) || len(s.Upper) != len(s.Y)) {
		return fail("band with %d lower and %d upper values for %d of Y, wanted both as long as Y, or neither", len(s.Lower), len(s.Upper), len(s.Y))
	}
	if s.Dashed && s.Dotted || s.Colour < 0 {
		return fail("Dashed is %t, Dotted %t, Colour %d, wanted at most one of the first two and a place from 1 on", s.Dashed, s.Dotted, s.Colour)
	}
	for i, x := range s.X {
		if !finite(x) || axes.LogX && x <= 0 {
			return fail("X[%d] is %g, wanted finite values%s", i, x, positiveIf(axes.LogX))
		}
		if i > 0 && x <= s.X[i-1] {
			return fail("X[%d]=%g does not exceed X[%d]=%g: sort the points by X", i, x, i-1, s.X[i-1])
		}
	}
	known := 0
	for _, group := range []struct {
		name   string
		values []float64
	}{{"Y", s.Y}, {"Lower", s.Lower}, {"Upper", s.Upper}} {
		for i, v := range group.values {
			if math.Abs(v) > mostFinite || axes.LogY && v <= 0 && group.name == "Y" {
				return fail("%s[%d] is %g, wanted finite values%s; NaN leaves a gap", group.name, i, v, positiveIf(axes.LogY))
			}
			if !math.IsNaN(v) {
				known++
			}
		}
	}
	if known == 0 {
		return fail("all %d values are missing (NaN): leave the series out, or look at the run that made it", len(s.Y))
	}
	for i := range s.Lower {
		if s.Lower[i] > s.Upper[i] {
			return fail("band at %d is upside down: Lower %g, Upper %g", i, s.Lower[i], s.Upper[i])
		}
	}
	return nil
}

func positiveIf(log bool) string {
	if log {
		return " above 0 (the axis is logarithmic)"
	}
	return ""
}

// count returns first, first+1, ... (n values).
func count(n int, first float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = first + float64(i)
	}
	return x
}
