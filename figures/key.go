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

// drawKey writes the key along the top edge of c from x on, and returns what is left below.
func drawKey(c draw.Canvas, x vg.Length, entries []entry) draw.Canvas {
	if len(entries) == 0 {
		return c
	}
	at := x
	for _, e := range entries {
		name := shorten(labelText, e.name, c.Max.X-x-swatch-5)
		width := swatch + 5 + labelText.Width(name)
		if at > x && at+width > c.Max.X {
			at = x
			c.Max.Y -= keyLine
		}
		sample := c
		sample.Rectangle = box(at, c.Max.Y-keyLine/2-4.5, swatch, 9)
		for _, s := range e.samples {
			s.Thumbnail(&sample)
		}
		write(c, labelText, draw.XLeft, at+swatch+5, c.Max.Y-keyLine/2, name)
		at += width + entryGap
	}
	c.Max.Y -= keyLine + gap
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
