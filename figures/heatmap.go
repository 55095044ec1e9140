package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Grid holds values of rows over columns, such as regions over days.
type Grid struct {
	Values    [][]float64 // [rows][columns]; NaN is missing and drawn grey
	Rows      []string    // names of rows; nil numbers them from 0
	Columns   []string    // names of columns; nil numbers them from Start
	Start     float64     // X of the first column; columns are one apart
	Diverging bool        // signed values: neutral at 0, with equal ranges on both sides
	Log       bool        // logarithmic colours; needs values of 0 (white) or above
	Limit     float64     // largest magnitude of the colour scale, beyond which colours stay; 0 is the largest value
}

const mostNames = 40 // rows or columns that have room for their names

// HeatMap draws a grid with a colour bar; axes.Colour labels the bar.
func HeatMap(axes Axes, grid Grid) (*Figure, error) {
	colours, err := grid.colouring()
	if err != nil {
		return nil, err
	}
	rows := len(grid.Values)
	height := math.Min(520, math.Max(190, 90+14*float64(rows)))
	if rows > mostNames {
		height = 320
	}
	return axes.figure(height, func(c draw.Canvas) { grid.draw(c, axes, colours) })
}

func (g Grid) draw(c draw.Canvas, axes Axes, colours colouring) {
	rows, columns := len(g.Values), len(g.Values[0])
	missing := anyNaN(g.Values)
	x := scale{min: g.Start - 0.5, max: g.Start + float64(columns) - 0.5}
	y := scale{min: float64(rows) - 0.5, max: -0.5} // the first row is on top
	xTicks := x.wholeTicks(int(c.Size().X / 76))
	yTicks := cells(rows).wholeTicks(int(c.Size().Y / 32))
	if g.Rows != nil && rows <= mostNames {
		yTicks = nil
		for i, name := range g.Rows {
			yTicks = append(yTicks, tick{value: float64(i), label: tickText.shorten(name, 150)})
		}
	}
	bar := colours.barRoom(axes.Colour, missing, c.Size().Y) + panelGap
	r := rimsFor(axes, xTicks, yTicks)
	if g.Columns != nil && columns <= mostNames {
		r = rimsFor(axes, nil, yTicks) // names stay inside their columns
		xTicks = g.columnNames((c.Size().X - bar - r.left - r.right) / vg.Length(columns))
	}
	r.top = 2
	f := newFrame(draw.Crop(c, 0, -bar, 0, 0), r, x, y, xTicks, yTicks)
	f.DrawImage(f.Rectangle, colours.raster(rows, columns, func(r, c int) float64 { return g.Values[r][c] }))
	outline(&f.Canvas, f.Rectangle)
	for _, s := range axes.Spans { // over a heat map a span is a pair of lines
		for _, edge := range []float64{s.From, s.To} {
			if at := x.at(edge); at > 0 && at < 1 {
				f.StrokeLine2(line(1, ink), f.X(at), f.Min.Y, f.X(at), f.Max.Y)
			}
		}
	}
	f.axes(axes.X, axes.Y)
	b := c
	b.Min = vg.Point{X: f.Max.X + panelGap, Y: f.Min.Y}
	b.Max = vg.Point{X: c.Max.X, Y: f.Max.Y}
	colours.drawBar(b, axes.Colour, missing)
}

// columnNames are ticks that keep apart in columns of the given width.
func (g Grid) columnNames(width vg.Length) []tick {
	var ticks []tick
	for j, name := range g.Columns {
		ticks = append(ticks, tick{value: g.Start + float64(j), label: tickText.shorten(name, width-4)})
	}
	return ticks
}

// colouring checks the grid and chooses the colour scale.
func (g Grid) colouring() (colouring, error) {
	fail := func(format string, args ...any) (colouring, error) {
		return colouring{}, fmt.Errorf("figures: HeatMap: %s: %w", fmt.Sprintf(format, args...), ErrInput)
	}
	if len(g.Values) == 0 || len(g.Values[0]) == 0 {
		return fail("Values is empty, wanted [rows][columns] with at least one of each")
	}
	if g.Rows != nil && len(g.Rows) != len(g.Values) {
		return fail("%d names for %d rows, wanted as many, or nil", len(g.Rows), len(g.Values))
	}
	if g.Columns != nil && len(g.Columns) != len(g.Values[0]) {
		return fail("%d names for %d columns, wanted as many, or nil", len(g.Columns), len(g.Values[0]))
	}
	if g.Log && g.Diverging {
		return fail("Log and Diverging exclude each other: signed values have no logarithm")
	}
	if !(g.Limit >= 0) || math.IsInf(g.Limit, 0) {
		return fail("Limit is %g, wanted a positive number, or 0 for the largest value", g.Limit)
	}
	largest := 0.0
	for i, row := range g.Values {
		if len(row) != len(g.Values[0]) {
			return fail("row %d has %d columns, row 0 has %d, wanted as many in each", i, len(row), len(g.Values[0]))
		}
		for j, v := range row {
			if math.Abs(v) > mostFinite || g.Log && v < 0 {
				return fail("value [%d][%d] is %g, wanted finite values%s; NaN marks a missing one", i, j, v, map[bool]string{true: " of 0 or above (Log)"}[g.Log])
			}
			if !math.IsNaN(v) {
				largest = math.Max(largest, math.Abs(v))
			}
		}
	}
	s, ok := fit(g.Log, 0, g.Values...)
	if !ok {
		return fail("no value to draw: all are missing (NaN)%s", map[bool]string{true: " or 0"}[g.Log])
	}
	if g.Diverging {
		if largest == 0 {
			largest = 1
		}
		s = scale{min: -largest, max: largest}
	}
	if g.Limit > 0 {
		s.max = g.Limit
		if g.Diverging {
			s.min = -g.Limit
		}
		if s.min >= s.max {
			return fail("Limit %g is not above the smallest value %g", g.Limit, s.min)
		}
	}
	if g.Diverging {
		return colouring{scale: s, colours: diverging}, nil
	}
	return colouring{scale: s, colours: sequential}, nil
}
