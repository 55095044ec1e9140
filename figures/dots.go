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

	"github.com/peng-cde/pengcde-go/internal/clone"
)

// DotRow is one model of a dot plot.
type DotRow struct {
	Name  string
	Value Cell      // a number or a missing result; its interval and its published result are drawn too
	Seeds []float64 // results of single seeds, drawn faintly; may be nil
	None  string    // text shown if there is no value; "" is "missing"
	Style Style     // the colour of its dots; the zero value is one colour for all rows
}

// DotPanel is a dot plot beside others with the same number of rows, such as the errors of the models on one data set.
type DotPanel struct {
	Title string
	Rows  []DotRow // the first panel's names are shown
}

// Dots draws one row for each model, the first on top: the mean as a dot with its 95% interval as a bar, and the
// numbers at the right. A published result of a Value is an open diamond. Rows without a result say so.
func Dots(axes Axes, rows ...DotRow) (*Figure, error) { return DotPanels(axes, DotPanel{Rows: rows}) }

// DotPanels draws dot plots side by side, with one range of X. All have the same rows, which the first panel names.
// There are no numbers at the right of several panels.
func DotPanels(axes Axes, panels ...DotPanel) (*Figure, error) {
	axes, panels = clone.Of(axes), clone.Of(panels)
	if len(panels) == 0 {
		return nil, invalid("figures: DotPanels got no panels, wanted one or more")
	}
	var values []float64
	missing := true
	for _, p := range panels {
		if len(p.Rows) != len(panels[0].Rows) {
			return nil, invalid("figures: panel %q has %d rows, wanted %d as the first", p.Title, len(p.Rows),
				len(panels[0].Rows))
		}
		some, err := checkDots(axes, p.Rows)
		if err != nil {
			return nil, err
		}
		missing = missing && !some
		for _, r := range p.Rows {
			values = append(values, r.values()...)
			if half := finiteOr0(r.Value.half); r.Value.kind == numberCell { // fit leaves out what has no logarithm
				values = append(values, r.Value.mean-half, r.Value.mean+half)
				if r.Value.ranged() {
					values = append(values, r.Value.low, r.Value.high)
				}
			}
		}
	}
	if missing {
		return nil, invalid("figures: all %d rows are missing, so there is nothing to draw; a Table can say so",
			len(panels[0].Rows))
	}
	x, _ := fit(axes.LogX, 0.06, values)
	const fewest = 2 // rows: texts and key around a single row would take its space
	height := 62 + 24*float64(max(fewest, len(panels[0].Rows)))
	if len(panels) > 1 || panels[0].Title != "" {
		height += 16
	}
	d := newDots(axes, panels, x)
	width := vg.Length(cmp.Or(axes.Width, defaultWidth))
	height += keyHeight(width-2*margin-d.names(panels[0].Rows, width), d.key())
	return axes.figure(height, describeDots(axes, panels), func(c draw.Canvas) { d.draw(c, panels) })
}

// dots draws panels. It says what the key names.
type dots struct {
	axes                       Axes
	x                          scale
	numbers                    bool        // at the right
	colour                     color.NRGBA // of the key's entries, which stand for all rows
	intervals, singles, papers bool        // whether there are any
}

func newDots(axes Axes, panels []DotPanel, x scale) dots {
	d := dots{axes: axes, x: x, numbers: len(panels) == 1, colour: panels[0].Rows[0].rgb()}
	for _, p := range panels {
		for _, r := range p.Rows {
			if r.rgb() != panels[0].Rows[0].rgb() {
				d.colour = colours[Grey]
			}
			d.intervals = d.intervals || r.Value.kind == numberCell && finiteOr0(r.Value.half) > 0
			d.singles = d.singles || slices.ContainsFunc(r.Seeds, func(v float64) bool { return !math.IsNaN(v) })
			d.papers = d.papers || !math.IsNaN(r.published())
		}
	}
	return d
}

func (d dots) draw(c draw.Canvas, panels []DotPanel) {
	drawn := make([]*panel, len(panels))
	for i, p := range panels {
		drawn[i] = d.panel(c, p, i == 0, int(c.Size().X/80)/len(panels))
	}
	drawPanels(c, drawn, len(panels), d.key())
}

// name returns the name of a row as it is drawn in a figure of this width.
func (d dots) name(r DotRow, width vg.Length) string { return shorten(labelText, r.Name, width/3) }

// names returns the width that the names of rows take.
func (d dots) names(rows []DotRow, width vg.Length) (widest vg.Length) {
	for _, r := range rows {
		widest = max(widest, labelText.Width(d.name(r, width)))
	}
	return widest
}

func (d dots) interval(c color.NRGBA) draw.LineStyle { return line(2.2, withAlpha(c, 0.55)) }

func (d dots) mean(c color.NRGBA, at ...plotter.XY) *plotter.Scatter {
	return &plotter.Scatter{XYs: at, GlyphStyle: circle(c, 3.2)}
}

func (d dots) seeds(c color.NRGBA, at ...plotter.XY) *plotter.Scatter {
	return &plotter.Scatter{XYs: at, GlyphStyle: circle(withAlpha(c, 0.45), 1.8)}
}

func (d dots) paper(at ...plotter.XY) *plotter.Scatter {
	return &plotter.Scatter{XYs: at, GlyphStyle: draw.GlyphStyle{Color: ink, Radius: 4, Shape: diamond{}}}
}

func (d dots) key() []entry {
	mean := cmp.Or(d.axes.Large, "mean")
	entries := []entry{{mean, []plot.Thumbnailer{d.mean(d.colour)}}}
	if d.intervals {
		entries[0] = entry{mean + " with 95% interval",
			[]plot.Thumbnailer{&plotter.Line{LineStyle: d.interval(d.colour)}, d.mean(d.colour)}}
	}
	if d.singles {
		entries = append(entries, entry{cmp.Or(d.axes.Dot, "one seed"), []plot.Thumbnailer{d.seeds(d.colour)}})
	}
	if d.papers {
		entries = append(entries, entry{cmp.Or(d.axes.Published, "published"), []plot.Thumbnailer{d.paper()}})
	}
	return append(entries, markEntries(d.axes.Marks, d.x)...)
}

// panel draws rows, with their names if it is the first.
func (d dots) panel(c draw.Canvas, of DotPanel, first bool, xTicks int) *panel {
	rows, x := of.Rows, d.x
	var cells []Cell
	for _, r := range rows {
		cells = append(cells, r.Value)
	}
	places := decimals(cells, 0)
	y := scale{min: 0.5 - float64(len(rows)), max: 0.5} // the first row, at 0, is on top
	p := newPanel(d.axes, x, y, max(xTicks, 2), 0)
	p.grid.Horizontal.Color, p.title = nil, of.Title
	var names plot.ConstantTicks
	var right plotter.XYs // where numbers are
	var numbers []string
	widest := vg.Length(0)
	for i, r := range rows {
		at, name := -float64(i), " "
		if first {
			name = cmp.Or(d.name(r, c.Size().X), name)
		}
		names = append(names, plot.Tick{Value: at, Label: name})
		right, numbers = append(right, plotter.XY{X: x.max, Y: at}), append(numbers, r.Value.value(places))
		widest = max(widest, tickText.Width(numbers[i]))
		if half := finiteOr0(r.Value.half); r.Value.kind != numberCell {
			p.Add(without{r, x, at})
		} else {
			if half > 0 {
				ends := plotter.XYs{{X: max(r.Value.mean-half, x.min), Y: at}, {X: min(r.Value.mean+half, x.max), Y: at}}
				p.Add(only{&plotter.Line{XYs: ends, LineStyle: d.interval(r.rgb())}})
			}
			p.Add(d.mean(r.rgb(), plotter.XY{X: r.Value.mean, Y: at}))
		}
		if single := known(r.Seeds, slices.Repeat([]float64{at - 0.25}, len(r.Seeds))); len(single) > 0 {
			p.Add(d.seeds(r.rgb(), single...))
		}
		if paper := r.published(); !math.IsNaN(paper) {
			p.Add(d.paper(plotter.XY{X: paper, Y: at}))
		}
	}
	if d.numbers {
		p.Add(labels(tickText, text.XRight, vg.Point{X: gap + widest}, right, numbers...))
	}
	p.Y.Label.Text, p.Y.Width, p.Y.Tick.Length, p.Y.Tick.Marker = "", 0, 0, names
	p.Y.Tick.Label.Font, p.Y.Tick.Label.Color = labelText.Font, labelText.Color
	return p
}

// without says why a row has no value, above its single results, on the side of the panel that is free of the published
// one.
type without struct {
	DotRow
	x  scale
	at float64
}

func (w without) Plot(c draw.Canvas, p *plot.Plot) {
	share := float64((noteText.Width(w.missing()) + 2*gap) / c.Size().X) // of the panel's width
	start, align, offset := plotter.XY{X: w.x.min, Y: w.at + 0.1}, text.XLeft, vg.Point{X: gap}
	if paper := w.x.part(w.published()); paper < share {
		start.X, align, offset.X = w.x.max, text.XRight, 0
	}
	labels(noteText, align, offset, plotter.XYs{start}, w.missing()).Plot(c, p)
}

// diamond is an open diamond.
type diamond struct{}

func (diamond) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(line(1, style.Color))
	var p vg.Path
	p.Move(vg.Point{X: at.X, Y: at.Y + style.Radius})
	for _, corner := range []vg.Point{{X: style.Radius}, {Y: -style.Radius}, {X: -style.Radius}} {
		p.Line(at.Add(corner))
	}
	p.Close()
	c.Stroke(p)
}

func (r DotRow) missing() string { return cmp.Or(r.None, "missing") }

// rgb is the colour of the row.
func (r DotRow) rgb() color.NRGBA { return r.Style.resolved(0).rgb() }

// checkDots reports whether there is any value to draw.
func checkDots(axes Axes, rows []DotRow) (some bool, err error) {
	if len(rows) == 0 {
		return false, invalid("figures: Dots got no rows, wanted one for each model")
	}
	for _, r := range rows {
		if err := r.Style.check(); err != nil {
			return false, fmt.Errorf("figures: row %q: %w", r.Name, err)
		}
		if r.Value.kind == textCell {
			return false, invalid("figures: row %q holds the text %q, wanted a number or Missing()", r.Name, r.Value.text)
		}
		for _, v := range r.values() {
			if math.Abs(v) > mostFinite || axes.LogX && v <= 0 {
				return false, invalid("figures: row %q holds %g, wanted finite values%s", r.Name, v, positive[axes.LogX])
			}
			some = some || !math.IsNaN(v)
		}
	}
	return some, nil
}

// values returns the mean, single results and the published one.
func (r DotRow) values() []float64 {
	values := append(slices.Clone(r.Seeds), r.published())
	if r.Value.kind == numberCell {
		values = append(values, r.Value.mean)
	}
	return values
}

// published is the mean of the published result, NaN if there is none.
func (r DotRow) published() float64 {
	if p := r.Value.published; p != nil && p.kind == numberCell {
		return p.mean
	}
	return math.NaN()
}
