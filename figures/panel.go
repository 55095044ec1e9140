package figures

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	tickLength  = 3
	thin        = 0.5 // width of grid and axis lines
	panelGap    = 14  // between panels
	quarterTurn = math.Pi / 2
)

func line(width vg.Length, c color.Color) draw.LineStyle {
	return draw.LineStyle{Width: width, Color: c}
}

// newPlot returns a plot in the style of this package, with about the given numbers of ticks on X and Y.
func newPlot(x, y scale, xTicks, yTicks int) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	style := func(a *plot.Axis, s scale, want int) {
		a.Min, a.Max, a.Padding, a.LineStyle = s.min, s.max, 0, line(thin, axisGrey)
		a.Tick.LineStyle, a.Tick.Length, a.Tick.Marker = line(thin, axisGrey), tickLength, ticks{want: want, log: s.log}
		if s.log {
			a.Scale = plot.LogScale{}
		}
		a.Label.Padding = 3
		labelText := unmeasured(labelText)
		for to, from := range map[*text.Style]text.Style{&a.Tick.Label: tickText, &a.Label.TextStyle: labelText} {
			to.Color, to.Font, to.Handler = from.Color, from.Font, from.Handler
		}
	}
	style(&p.X, x, xTicks)
	style(&p.Y, y, yTicks)
	return p
}

// only draws: axes take neither their range nor their margins from it.
type only struct{ plot.Plotter }

// outline draws a thin box.
type outline struct{}

func (outline) Plot(c draw.Canvas, _ *plot.Plot) {
	c.SetLineStyle(line(thin, axisGrey))
	c.Stroke(c.Rectangle.Path())
}

// labels writes texts at points of the data, moved by offset.
func labels(style text.Style, align text.XAlignment, offset vg.Point, at plotter.XYs, texts ...string) *plotter.Labels {
	style.XAlign = align
	offset.Y += style.FontExtents().Descent
	styles := slices.Repeat([]text.Style{style}, len(texts))
	return &plotter.Labels{XYs: at, Labels: texts, TextStyle: styles, Offset: offset}
}

// panel is a plot with spans and a title.
type panel struct {
	*plot.Plot
	spans []Span
	title string
	grid  *plotter.Grid
}

// newPanel returns a panel with spans, a grid and marks, but no data.
func newPanel(axes Axes, x, y scale, xTicks, yTicks int) *panel {
	p := &panel{Plot: newPlot(x, y, xTicks, yTicks), spans: axes.Spans,
		grid: &plotter.Grid{Vertical: line(thin, gridGrey), Horizontal: line(thin, gridGrey)}}
	p.X.Tick.Marker = axes.xTicks(x, xTicks)
	p.X.Label.Text, p.Y.Label.Text = axes.xLabel(x, xTicks), axes.Y
	for i, s := range axes.Spans { // behind the data; neighbours differ
		from, to := max(s.From, x.min), min(s.To, x.max)
		if from < to {
			area := plotter.XYs{{X: from, Y: y.min}, {X: to, Y: y.min}, {X: to, Y: y.max}, {X: from, Y: y.max}}
			p.Add(only{&plotter.Polygon{XYs: []plotter.XYs{area}, Color: spanTint(i)}})
		}
	}
	p.Add(p.grid)
	for _, bold := range []bool{false, true} {
		for _, m := range axes.Marks {
			if m.Bold == bold && x.holds(m.X) {
				ends := plotter.XYs{{X: m.X, Y: y.min}, {X: m.X, Y: y.max}}
				p.Add(only{&plotter.Line{XYs: ends, LineStyle: m.style()}})
			}
		}
	}
	return p
}

func spanTint(i int) color.NRGBA { return []color.NRGBA{rangeGrey, rangeSand, rangeBlue}[i%3] }

func (m Mark) style() draw.LineStyle {
	if m.Bold {
		return line(2, ink)
	}
	return line(0.8, withAlpha(softInk, 0.5))
}

// markEntries returns the key entries of the drawn marks, one for each name.
func markEntries(marks []Mark, x scale) []entry {
	var entries []entry
	for i, m := range marks {
		earlier := func(o Mark) bool { return o.Name == m.Name && o.Bold == m.Bold && x.holds(o.X) }
		if m.Name != "" && x.holds(m.X) && !slices.ContainsFunc(marks[:i], earlier) {
			up := dash{vg.Point{Y: -4.5}, vg.Point{Y: 4.5}, m.style().Width}
			style := draw.GlyphStyle{Color: m.style().Color, Shape: up}
			entries = append(entries, entry{m.Name, []plot.Thumbnailer{&plotter.Scatter{GlyphStyle: style}}})
		}
	}
	return entries
}

// drawPanels draws panels in rows with aligned data, under a key, and returns the canvas without the key. Spans are
// named above the data, or in the key if a name does not fit.
func drawPanels(c draw.Canvas, panels []*panel, columns int, entries []entry) draw.Canvas {
	var plots []*plot.Plot
	for _, p := range panels {
		plots = append(plots, p.Plot)
	}
	t := newTiles(plots, columns)
	data := t.data(c)
	named, names := true, make([][]plot.Plotter, len(panels))
	for i, p := range panels {
		for _, s := range p.spans {
			from, to := max(s.From, p.X.Min), min(s.To, p.X.Max)
			if from >= to {
				continue
			}
			width := data[i].X(p.X.Norm(to)) - data[i].X(p.X.Norm(from))
			named = named && noteText.Width(s.Name)+4 <= width
			middle := plotter.XY{X: (from + to) / 2, Y: p.Y.Max}
			if _, log := p.X.Scale.(plot.LogScale); log {
				middle.X = math.Sqrt(from) * math.Sqrt(to)
			}
			names[i] = append(names[i], labels(noteText, text.XCenter, vg.Point{Y: 6}, plotter.XYs{middle}, s.Name))
		}
	}
	above := vg.Length(0)
	for i, s := range panels[0].spans {
		if above = noteText.Font.Size + 4; !named {
			above, entries = 0, append(entries, entry{s.Name, []plot.Thumbnailer{patch(spanTint(i), thin)}})
		}
	}
	for i, p := range panels {
		if named {
			p.Add(names[i]...)
		}
		title(p.Plot, p.title, data[i].Size().X, above)
	}
	c = drawKey(c, data[0].Min.X, entries)
	t.draw(c)
	return c
}

// title writes a panel's title on the left, above the data and the names there; gonum centres it over axes and data.
func title(p *plot.Plot, s string, width, above vg.Length) {
	if s == "" {
		return
	}
	at := plotter.XYs{{X: p.X.Min, Y: p.Y.Max}}
	p.Add(labels(unmeasured(panelText), text.XLeft, vg.Point{Y: above + gap + 3}, at, shorten(panelText, s, width)))
}

// tiles are plots in rows.
type tiles struct {
	plots [][]*plot.Plot // [row][column]; nil at the end of the last row
	draw.Tiles
}

func newTiles(plots []*plot.Plot, columns int) tiles {
	var t tiles
	for row := range slices.Chunk(plots, columns) {
		t.plots = append(t.plots, append(slices.Clone(row), make([]*plot.Plot, columns-len(row))...))
	}
	t.Tiles = draw.Tiles{Rows: len(t.plots), Cols: columns, PadX: panelGap, PadY: gap, PadTop: 4}
	return t
}

// each calls do with each plot and its part of c.
func (t tiles) each(c draw.Canvas, do func(p *plot.Plot, c draw.Canvas)) {
	for i, row := range plot.Align(t.plots, t.Tiles, c) {
		for j, tile := range row {
			if p := t.plots[i][j]; p != nil {
				do(p, tile)
			}
		}
	}
}

// data returns the rectangle of each plot's data in c.
func (t tiles) data(c draw.Canvas) (data []draw.Canvas) {
	t.each(c, func(p *plot.Plot, c draw.Canvas) { data = append(data, p.DataCanvas(c)) })
	return data
}

func (t tiles) draw(c draw.Canvas) {
	if size := t.data(c)[0].Size(); size.X < 10 || size.Y < 10 {
		panic("the axes take all the space")
	}
	t.each(c, (*plot.Plot).Draw)
}
