package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peng-cde/pengcde-go/internal/clone"
)

// Grid is a matrix of values with named rows and columns, such as regions by days.
type Grid struct {
	Values    [][]float64 // [rows][columns]; NaN is missing and drawn grey
	Rows      []string    // names of rows; nil numbers them from 0
	Columns   []string    // names of columns; nil numbers them from Start
	Start     float64     // X of the first column; columns are one apart
	Diverging bool        // signed values: neutral at 0, with equal ranges on both sides
	Limit     float64     // end of the colour scale, whose colour larger values have; 0 is the largest value
	Undecided [][]bool    // cells with a dot, such as means whose interval includes 0; nil is none
}

const mostNames = 40 // rows or columns that all get a name

// HeatMap draws a grid with a colour bar; axes.Colour labels the bar.
func HeatMap(axes Axes, grid Grid) (*Figure, error) {
	axes, grid = clone.Of(axes), clone.Of(grid)
	colours, err := grid.colouring()
	if err != nil {
		return nil, fmt.Errorf("figures: HeatMap: %w", err)
	}
	rows, columns := len(grid.Values), len(grid.Values[0])
	height := math.Min(520, math.Max(190, 90+14*float64(rows)))
	if rows > mostNames {
		height = 320
	}
	bar := colourBar{colours, axes.Colour, anyNaN(grid.Values), cmp.Or(axes.Height, height) - 70}
	f := field{colours, grid.Values, grid.Start}
	return axes.figure(height, describeGrid(axes, grid), func(c draw.Canvas) {
		xTicks := int(c.Size().X / 76)
		p := f.plot("", 0, xTicks, int(c.Size().Y/32))
		x := scale{min: p.X.Min, max: p.X.Max, whole: true}
		p.X.Tick.Marker = axes.xTicks(x, xTicks)
		p.Add(bar)
		if dots := grid.undecided(); dots != nil {
			p.Add(only{&plotter.Scatter{XYs: dots, GlyphStyle: circle(ink, 2)}})
		}
		for _, s := range axes.Spans { // over a heat map a span is a pair of lines
			for _, x := range []float64{s.From, s.To} {
				if x > p.X.Min && x < p.X.Max {
					edge := plotter.XYs{{X: x, Y: p.Y.Min}, {X: x, Y: p.Y.Max}}
					p.Add(only{&plotter.Line{XYs: edge, LineStyle: line(1, ink)}})
				}
			}
		}
		p.X.Label.Text, p.Y.Label.Text = axes.xLabel(x, xTicks), axes.Y
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

// names returns ticks with texts of at most the given width.
func names(texts []string, first, step float64, width vg.Length) (found plot.ConstantTicks) {
	for i, s := range texts {
		found = append(found, plot.Tick{Value: first + step*float64(i), Label: shorten(tickText, s, width)})
	}
	return found
}

// undecided returns the middles of the cells with a dot.
func (g Grid) undecided() (at plotter.XYs) {
	for i, row := range g.Undecided {
		for j, dot := range row {
			if dot {
				at = append(at, plotter.XY{X: g.Start + float64(j), Y: float64(len(g.Values) - 1 - i)})
			}
		}
	}
	return at
}

// colouring checks the grid and chooses the colour scale.
func (g Grid) colouring() (colouring, error) {
	panel := ImagePanel{Values: g.Values, Diverging: g.Diverging}
	if err := panel.check(panel); err != nil {
		return colouring{}, err
	}
	rows, columns := len(g.Values), len(g.Values[0])
	switch {
	case g.Rows != nil && len(g.Rows) != rows:
		return colouring{}, invalid("%d names for %d rows, wanted as many, or nil", len(g.Rows), rows)
	case g.Columns != nil && len(g.Columns) != columns:
		return colouring{}, invalid("%d names for %d columns, wanted as many, or nil", len(g.Columns), columns)
	case g.Undecided != nil && (len(g.Undecided) != rows ||
		slices.ContainsFunc(g.Undecided, func(row []bool) bool { return len(row) != columns })):
		return colouring{}, invalid("Undecided has another shape than the %d rows and %d columns of Values, wanted the "+
			"same, or nil", rows, columns)
	case !(g.Limit >= 0) || math.IsInf(g.Limit, 0):
		return colouring{}, invalid("Limit is %g, wanted a positive number, or 0 for the largest value", g.Limit)
	}
	limits := LimitsOf([]ImagePanel{panel})
	if g.Limit > 0 && limits != (Limits{}) { // else all are missing
		limits.High, limits.Swing = g.Limit, g.Limit
	}
	return limits.colouring([]ImagePanel{panel}, g.Diverging)
}

// checkCells returns an error for values that cannot be drawn.
func checkCells(values [][]float64, columns int, log bool) error {
	for i, row := range values {
		if len(row) != columns {
			return invalid("row %d has %d columns, wanted %d in each row (adjacencies are square)", i, len(row), columns)
		}
		for j, v := range row {
			if math.Abs(v) > mostFinite || log && v < 0 {
				return invalid("value [%d][%d] is %g, wanted finite values%s; NaN marks a missing one",
					i, j, v, notNegative[log])
			}
		}
	}
	return nil
}

// notNegative returns an error for values that a logarithmic colour scale cannot show.
var notNegative = map[bool]string{true: " of 0 or above (the colour scale is logarithmic; HeatMap draws signed values)"}

// magnitude returns the largest magnitude, 1 if all values are 0, and 0 if all are missing.
func magnitude(rows [][]float64) (largest float64) {
	zero := false
	for _, v := range slices.Concat(rows...) {
		if zero = zero || v == 0; finite(v) {
			largest = math.Max(largest, math.Abs(v))
		}
	}
	if largest == 0 && zero {
		return 1
	}
	return largest
}

func anyNaN(rows [][]float64) bool {
	return slices.ContainsFunc(rows, func(row []float64) bool { return slices.ContainsFunc(row, math.IsNaN) })
}
