package figures

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peng-cde/pengcde-go/internal/clone"
)

// Series is one line, with a band if Lower and Upper are given. NaN in Y, Lower or Upper is missing: the line has a gap
// there.
type Series struct {
	Name         string
	Key          string    // name in the key, if it differs from Name; NoKey leaves the line out
	X            []float64 // increasing; nil is 0, 1, 2, ...
	Y            []float64
	Lower, Upper []float64 // both or neither, as long as Y
	Band         string    // description of the band for the key, such as "min–max of 5 seeds"
	Style        Style
	Points       bool // a dot at each value, for lines through few measurements
}

// Lines draws series over X with a key above the data. More than four bands would cover each other: only the first four
// series with a band show it.
func Lines(axes Axes, series ...Series) (*Figure, error) {
	axes, series = clone.Of(axes), clone.Of(series)
	if len(series) == 0 {
		return nil, invalid("figures: Lines got no series, wanted one or more")
	}
	for i := range series {
		if err := series[i].check(axes); err != nil {
			return nil, fmt.Errorf("figures: %w", err)
		}
	}
	series = styled(series)
	x, y := ranges(axes, 0.05, series)
	entries := seriesKey(series)
	if len(series) == 1 && series[0].Name == "" {
		entries = nil
	}
	alt := describeLines(axes, series)
	height := 260 + axes.keyHeight(append(entries, markEntries(axes.Marks, x)...))
	return axes.figure(height, alt, func(c draw.Canvas) { drawPanel(c, axes, x, y, entries, seriesPlotters(series, y)) })
}

// drawPanel draws data on one pair of axes under a key.
func drawPanel(c draw.Canvas, axes Axes, x, y scale, entries []entry, data []plot.Plotter) {
	size := c.Size()
	p := newPanel(axes, x, y, int(size.X/76), int(size.Y/38))
	p.Add(data...)
	drawPanels(c, []*panel{p}, 1, append(entries, markEntries(axes.Marks, x)...))
}

// ranges returns the ranges of all series, with a fraction pad of free space above and below.
func ranges(axes Axes, pad float64, series []Series) (x, y scale) {
	var xs, ys [][]float64
	for _, s := range series {
		xs, ys = append(xs, s.X), append(ys, s.Y, s.Lower, s.Upper)
	}
	x, _ = fit(axes.LogX, 0, xs...)
	y, _ = fit(axes.LogY, pad, append(ys, axes.Room)...)
	return x, y
}

// seriesPlotters are bands first and lines over them.
func seriesPlotters(series []Series, y scale) (data []plot.Plotter) {
	for _, s := range series {
		if s.Lower == nil {
			continue
		}
		lower := split(s.X, s.Lower, s.Upper, y.min) // which may not be positive on a logarithmic Y
		for k, ring := range split(s.X, s.Upper, s.Lower, y.min) {
			slices.Reverse(lower[k])
			data = append(data, only{&plotter.Polygon{XYs: []plotter.XYs{append(ring, lower[k]...)}, Color: s.band()}})
		}
	}
	for _, s := range series {
		data = append(data, stroke(s.Style.line(lineWidth), s.X, s.Y)...)
		if s.Points {
			data = append(data, &plotter.Scatter{XYs: known(s.X, s.Y), GlyphStyle: circle(s.Style.rgb(), pointRadius)})
		}
	}
	return data
}

// stroke draws lines with gaps where y is missing; a single point between gaps becomes a dot. gonum's Line has no gaps.
func stroke(style draw.LineStyle, x, y []float64) (data []plot.Plotter) {
	for _, points := range split(x, y, y, math.Inf(-1)) {
		if len(points) == 1 {
			data = append(data, &plotter.Scatter{XYs: points, GlyphStyle: circle(style.Color, 1.2*style.Width)})
		} else {
			data = append(data, only{&plotter.Line{XYs: points, LineStyle: style}})
		}
	}
	return data
}

// split returns the stretches of points where neither x nor y nor with is NaN; y is raised to least.
func split(x, y, with []float64, least float64) (found []plotter.XYs) {
	open := true
	for i := range x {
		if math.IsNaN(x[i] + y[i] + with[i]) {
			open = true
			continue
		}
		if open {
			found = append(found, nil)
		}
		last := &found[len(found)-1]
		*last, open = append(*last, plotter.XY{X: x[i], Y: max(y[i], least)}), false
	}
	return found
}

// known returns the points with a value.
func known(x, y []float64) plotter.XYs { return slices.Concat(split(x, y, y, math.Inf(-1))...) }

const pointRadius = 2.4

func circle(c color.Color, radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}
}

// NoKey as the Key of a series leaves it out of the key, for lines whose dash or colour others explain.
const NoKey = "-"

// mostBands is the largest number of overlapping bands that are still distinguishable.
const mostBands = 4

// styled gives each series its style, and keeps only the first four bands.
func styled(series []Series) []Series {
	series, bands := slices.Clone(series), 0
	for i := range series {
		series[i].Style = series[i].Style.resolved(i)
		if series[i].Lower != nil {
			if bands++; bands > mostBands {
				series[i].Lower, series[i].Upper = nil, nil
			}
		}
	}
	return series
}

func (s Series) band() color.NRGBA { return withAlpha(s.Style.rgb(), 0.17) }

// lineWidth is the width of a series' line, in points.
const lineWidth = 1.5

// seriesKey has an entry for each series, and one for each thing that bands are.
func seriesKey(series []Series) (entries []entry) {
	var bands []string
	for _, s := range series {
		e := entry{name: cmp.Or(s.Key, s.Name)}
		if e.name == NoKey {
			continue
		}
		if s.Lower != nil {
			e.samples = append(e.samples, patch(s.band(), 0))
			if s.Band != "" && !slices.Contains(bands, s.Band) {
				bands = append(bands, s.Band)
			}
		}
		e.samples = append(e.samples, &plotter.Line{LineStyle: s.Style.line(lineWidth)})
		if s.Points {
			e.samples = append(e.samples, &plotter.Scatter{GlyphStyle: circle(s.Style.rgb(), pointRadius)})
		}
		entries = append(entries, e)
	}
	for _, band := range bands {
		entries = append(entries, entry{"band: " + band, []plot.Thumbnailer{patch(withAlpha(colours[Grey], 0.3), 0)}})
	}
	return entries
}

// check fills in X and returns an error for a series that cannot be drawn.
func (s *Series) check(axes Axes) error {
	fail := func(format string, args ...any) error {
		return invalid("series %q: %s", s.Name, fmt.Sprintf(format, args...))
	}
	if len(s.Y) == 0 {
		return fail("Y is empty, wanted at least one value")
	}
	if s.X == nil {
		s.X = count(len(s.Y), 0)
	}
	switch n := len(s.Y); {
	case len(s.X) != n:
		return fail("%d values of X and %d of Y, wanted as many; leave X nil for 0, 1, 2, ...", len(s.X), n)
	case (s.Lower == nil) != (s.Upper == nil) || s.Lower != nil && (len(s.Lower) != n || len(s.Upper) != n):
		return fail("band with %d lower and %d upper values for %d of Y, wanted both as long as Y, or neither",
			len(s.Lower), len(s.Upper), n)
	}
	if err := s.Style.check(); err != nil {
		return fmt.Errorf("series %q: %w", s.Name, err)
	}
	for i, x := range s.X {
		if !finite(x) || axes.LogX && x <= 0 {
			return fail("X[%d] is %g, wanted finite values%s", i, x, positive[axes.LogX])
		}
		if i > 0 && x <= s.X[i-1] {
			return fail("X[%d]=%g does not exceed X[%d]=%g: sort the points by X", i, x, i-1, s.X[i-1])
		}
	}
	missing := true
	for k, values := range [][]float64{s.Y, s.Lower, s.Upper} {
		for i, v := range values {
			if math.Abs(v) > mostFinite || axes.LogY && v <= 0 && k == 0 {
				return fail("%s[%d] is %g, wanted finite values%s; NaN leaves a gap",
					[]string{"Y", "Lower", "Upper"}[k], i, v, positive[axes.LogY])
			}
			missing = missing && math.IsNaN(v)
		}
	}
	if missing {
		return fail("all %d values are missing (NaN): leave the series out, or look at the run that made it", len(s.Y))
	}
	for i := range s.Lower {
		if s.Lower[i] > s.Upper[i] {
			return fail("band at %d is upside down: Lower %g, Upper %g", i, s.Lower[i], s.Upper[i])
		}
	}
	return nil
}

// Positive returns the values with NaN, a gap, in place of those that a logarithmic axis does not have: 0, negative and
// infinite ones.
func Positive(values []float64) []float64 {
	shown := slices.Clone(values)
	for i, v := range values {
		if v <= 0 || v > mostFinite {
			shown[i] = math.NaN()
		}
	}
	return shown
}

// positive returns an error for values that a logarithmic axis cannot show.
var positive = map[bool]string{true: " above 0 (the axis is logarithmic)"}

// count returns first, first+1, ... (n values).
func count(n int, first float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = first + float64(i)
	}
	return x
}
