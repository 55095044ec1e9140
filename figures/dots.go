package figures

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// DotRow is one model of a dot plot.
type DotRow struct {
	Name  string
	Value Cell      // a number or a missing result; its interval is drawn too
	Seeds []float64 // results of single seeds, drawn faintly; may be nil
	None  string    // text shown if there is no value; "" is "missing"
	Style Style     // the colour of its dots; the zero value is one colour for all rows
}

// Dots draws one row for each model, the first on top: the mean as a dot with its 95% interval as a bar, and the
// numbers at the right. Rows without a result say so.
func Dots(axes Axes, rows ...DotRow) (*Figure, error) {
	if err := checkDots(axes, rows); err != nil {
		return nil, err
	}
	var values []float64
	for _, r := range rows {
		values = append(values, r.values()...)
		if half := finiteOr0(r.Value.half); r.Value.kind == numberCell { // fit leaves out what has no logarithm
			values = append(values, r.Value.mean-half, r.Value.mean+half)
		}
	}
	x, _ := fit(axes.LogX, 0.06, values)
	height := 62 + 24*float64(len(rows))
	return axes.figure(height, describeDots(axes, rows), func(c draw.Canvas) { drawDots(c, axes, rows, x) })
}

func drawDots(c draw.Canvas, axes Axes, rows []DotRow, x scale) {
	var cells []Cell
	for _, r := range rows {
		cells = append(cells, r.Value)
	}
	places := decimals(cells, 0)
	y := scale{min: 0.5 - float64(len(rows)), max: 0.5} // the first row, at 0, is on top
	p := newPanel(axes, x, y, int(c.Size().X/80), 0)
	p.grid.Horizontal.Color = nil
	var names plot.ConstantTicks
	var right plotter.XYs // where numbers are
	var numbers []string
	widest := vg.Length(0)
	interval := func(c color.NRGBA) draw.LineStyle { return line(2.2, withAlpha(c, 0.55)) }
	mean := func(c color.NRGBA, at ...plotter.XY) *plotter.Scatter {
		return &plotter.Scatter{XYs: at, GlyphStyle: circle(c, 3.2)}
	}
	seeds := func(c color.NRGBA, at ...plotter.XY) *plotter.Scatter {
		return &plotter.Scatter{XYs: at, GlyphStyle: circle(withAlpha(c, 0.45), 1.8)}
	}
	key := rows[0].rgb() // of entries that stand for all rows
	if slices.ContainsFunc(rows, func(r DotRow) bool { return r.rgb() != key }) {
		key = colours[Grey]
	}
	entries := []entry{{"mean", []plot.Thumbnailer{mean(key)}}}
	singles := 0
	for i, r := range rows {
		at := -float64(i)
		names = append(names, plot.Tick{Value: at, Label: cmp.Or(shorten(labelText, r.Name, c.Size().X/3), " ")})
		right, numbers = append(right, plotter.XY{X: x.max, Y: at}), append(numbers, r.Value.value(places))
		widest = max(widest, tickText.Width(numbers[i]))
		if half := finiteOr0(r.Value.half); r.Value.kind != numberCell {
			p.Add(only{labels(noteText, text.XLeft, vg.Point{X: gap}, plotter.XYs{{X: x.min, Y: at}}, r.missing())})
		} else {
			if half > 0 {
				ends := plotter.XYs{{X: max(r.Value.mean-half, x.min), Y: at}, {X: min(r.Value.mean+half, x.max), Y: at}}
				p.Add(only{&plotter.Line{XYs: ends, LineStyle: interval(r.rgb())}})
				entries[0] = entry{"mean with 95% interval", []plot.Thumbnailer{&plotter.Line{LineStyle: interval(key)}, mean(key)}}
			}
			p.Add(mean(r.rgb(), plotter.XY{X: r.Value.mean, Y: at}))
		}
		if single := known(r.Seeds, slices.Repeat([]float64{at - 0.25}, len(r.Seeds))); len(single) > 0 {
			p.Add(seeds(r.rgb(), single...))
			singles++
		}
	}
	p.Add(labels(tickText, text.XRight, vg.Point{X: gap + widest}, right, numbers...))
	if singles > 0 {
		entries = append(entries, entry{cmp.Or(axes.Dot, "one seed"), []plot.Thumbnailer{seeds(key)}})
	}
	p.Y.Label.Text, p.Y.Width, p.Y.Tick.Length, p.Y.Tick.Marker = "", 0, 0, names
	p.Y.Tick.Label.Font, p.Y.Tick.Label.Color = labelText.Font, labelText.Color
	drawPanels(c, []*panel{p}, 1, append(entries, markEntries(axes.Marks, x)...))
}

func (r DotRow) missing() string { return cmp.Or(r.None, "missing") }

// rgb is the colour of the row.
func (r DotRow) rgb() color.NRGBA { return r.Style.resolved(0).rgb() }

func checkDots(axes Axes, rows []DotRow) error {
	if len(rows) == 0 {
		return invalid("figures: Dots got no rows, wanted one for each model")
	}
	missing := true
	for _, r := range rows {
		if err := r.Style.check(); err != nil {
			return fmt.Errorf("figures: row %q: %w", r.Name, err)
		}
		if r.Value.kind == textCell {
			return invalid("figures: row %q holds the text %q, wanted a number or Missing()", r.Name, r.Value.text)
		}
		for _, v := range r.values() {
			if math.Abs(v) > mostFinite || axes.LogX && v <= 0 {
				return invalid("figures: row %q holds %g, wanted finite values%s", r.Name, v, positive[axes.LogX])
			}
			missing = missing && math.IsNaN(v)
		}
	}
	if missing {
		return invalid("figures: all %d rows are missing, so there is nothing to draw; a Table can say so", len(rows))
	}
	return nil
}

// values returns the mean and single results.
func (r DotRow) values() []float64 {
	values := slices.Clone(r.Seeds)
	if r.Value.kind == numberCell {
		values = append(values, r.Value.mean)
	}
	return values
}
