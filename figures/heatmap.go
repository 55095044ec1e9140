package figures

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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

const mostNames = 40 // rows or columns, of which all can be named

// HeatMap draws a grid with a colour bar; axes.Colour labels the bar.
func HeatMap(axes Axes, grid Grid) (*Figure, error) {
	colours, err := grid.colouring()
	if err != nil {
		return nil, err
	}
	rows, columns := len(grid.Values), len(grid.Values[0])
	height := math.Min(520, math.Max(190, 90+14*float64(rows)))
	if rows > mostNames {
		height = 320
	}
	bar := colourBar{colours, axes.Colour, anyNaN(grid.Values), cmp.Or(axes.Height, height) - 70}
	f := field{colours, grid.Values, grid.Start}
	return axes.figure(height, func(c draw.Canvas) {
		p := f.plot("", int(c.Size().X/76), int(c.Size().Y/32))
		p.Add(bar)
		for _, s := range axes.Spans { // over a heat map a span is a pair of lines
			for _, x := range []float64{s.From, s.To} {
				if x > p.X.Min && x < p.X.Max {
					edge := plotter.XYs{{X: x, Y: p.Y.Min}, {X: x, Y: p.Y.Max}}
					p.Add(only{&plotter.Line{XYs: edge, LineStyle: line(1, ink)}})
				}
			}
		}
		p.X.Label.Text, p.Y.Label.Text = axes.X, axes.Y
		if grid.Rows != nil && rows <= mostNames {
			p.Y.Tick.Marker = names(grid.Rows, float64(rows-1), -1, 150)
		}
		if grid.Columns != nil && columns <= mostNames {
			width := p.DataCanvas(c).Size().X/vg.Length(columns) - 8
			p.X.Tick.Marker = names(grid.Columns, grid.Start, 1, width)
		}
		newTiles([]*plot.Plot{p}, 1).draw(c)
	})
}

// names are ticks with texts of at most the given width.
func names(texts []string, first, step float64, width vg.Length) (found plot.ConstantTicks) {
	for i, s := range texts {
		found = append(found, plot.Tick{Value: first + step*float64(i), Label: shorten(tickText, s, width)})
	}
	return found
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
	return colouring{s, g.Diverging}, nil
}
