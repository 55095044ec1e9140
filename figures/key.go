package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is one item of a key: a name and what is drawn beside it. gonum's Legend lists its entries one below the other
// over the data; a key stands in rows above them.
type entry struct {
	name    string
	samples []plot.Thumbnailer
}

const (
	swatch   = 20 // width of the sample beside a name
	keyLine  = 14 // height of a line of the key
	entryGap = 16 // between entries
)

// keyRows breaks the key into lines that fit into width.
func keyRows(entries []entry, width vg.Length) [][]entry {
	var rows [][]entry
	var used vg.Length
	for _, e := range entries {
		w := e.width()
		if len(rows) == 0 || used+w > width {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += w + entryGap
	}
	return rows
}

func (e entry) width() vg.Length { return swatch + 5 + labelText.Width(e.name) }

// drawKey writes the key along the top edge of c from x on, and returns what is left below.
func drawKey(c draw.Canvas, x vg.Length, entries []entry) draw.Canvas {
	width := c.Max.X - x
	for _, row := range keyRows(entries, width) {
		at := x
		for _, e := range row {
			sample := c
			sample.Rectangle = box(at, c.Max.Y-keyLine/2-4.5, swatch, 9)
			for _, s := range e.samples {
				s.Thumbnail(&sample)
			}
			name := shorten(labelText, e.name, width-swatch-5)
			write(c, labelText, draw.XLeft, at+swatch+5, c.Max.Y-keyLine/2, name)
			at += e.width() + entryGap
		}
		c.Max.Y -= keyLine
	}
	if len(entries) > 0 {
		c.Max.Y -= gap
	}
	return c
}

func box(x, y, width, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}
}

// patch is a sample of an area; a pale one has an edge.
func patch(c color.Color, edge vg.Length) plot.Thumbnailer {
	return &plotter.Polygon{Color: c, LineStyle: line(edge, axisGrey)}
}

// ring is an open circle. Filled with white it stays visible over lines, without a fill it lets show what is under it.
type ring struct{ fill color.Color }

func (r ring) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	p.Move(vg.Point{X: at.X + style.Radius, Y: at.Y})
	p.Arc(at, style.Radius, 0, 2*math.Pi)
	p.Close()
	if r.fill != nil {
		c.SetColor(r.fill)
		c.Fill(p)
	}
	c.SetLineStyle(line(1.2, style.Color))
	c.Stroke(p)
}

// dash is a short line beside a point.
type dash struct {
	from, to vg.Point
	width    vg.Length
}

func (d dash) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.StrokeLines(line(d.width, style.Color), []vg.Point{at.Add(d.from), at.Add(d.to)})
}
