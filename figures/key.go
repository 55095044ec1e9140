package figures

import (
	"cmp"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is one item of a key: a name and the sample drawn next to it. gonum's Legend lists its entries in one column
// over the data; a key has rows above the data.
type entry struct {
	name    string
	samples []plot.Thumbnailer
}

const (
	keyLine   = 14 // height of a line of the key
	usualRows = 2  // that the usual height of a figure has space for
	mostRows  = 6
	entryGap  = 16 // between entries
	swatch    = 24 // width of the sample beside a name, enough for every dash
)

// key is the layout of a key's entries.
type key struct {
	names []string
	rows  [][]int // entries by row
}

// newKey puts entries into rows of at most the given width. If that takes more than six rows, the longest names are
// shortened; a figure's description has the full names.
func newKey(width vg.Length, entries []entry) (k key) {
	for _, e := range entries {
		k.names = append(k.names, e.name)
	}
	k.arrange(width)
	for most := width / 2; len(k.rows) > mostRows && most > 2*swatch; most *= 0.95 {
		for i, e := range entries {
			k.names[i] = shorten(labelText, e.name, most-swatch-5)
		}
		k.arrange(width)
	}
	return k
}

// keyHeight is about the extra height of a figure for its key.
func (a Axes) keyHeight(entries []entry) float64 {
	const beside = 50 // what stands at the left of the data
	return keyHeight(vg.Length(cmp.Or(a.Width, defaultWidth)-2*margin-beside), entries)
}

// keyHeight is the extra height for a key in this width.
func keyHeight(width vg.Length, entries []entry) float64 {
	return keyLine * float64(max(0, len(newKey(width, entries).rows)-usualRows))
}

func (k key) width(entry int) vg.Length { return swatch + 5 + labelText.Width(k.names[entry]) }

func (k *key) arrange(width vg.Length) {
	k.rows = nil
	used := vg.Length(0)
	for i, name := range k.names {
		k.names[i] = shorten(labelText, name, width-swatch-5)
		if used += k.width(i); i == 0 || used > width {
			k.rows, used = append(k.rows, nil), k.width(i)
		}
		k.rows[len(k.rows)-1] = append(k.rows[len(k.rows)-1], i)
		used += entryGap
	}
}

// drawKey writes the key along the top edge of c from x on, and returns the canvas left below it.
func drawKey(c draw.Canvas, x vg.Length, entries []entry) draw.Canvas {
	if len(entries) == 0 {
		return c
	}
	k := newKey(c.Max.X-x, entries)
	for _, row := range k.rows {
		at := x
		for _, i := range row {
			sample := c
			sample.Rectangle = box(at, c.Max.Y-keyLine/2-4.5, swatch, 9)
			for _, s := range entries[i].samples {
				s.Thumbnail(&sample)
			}
			write(c, labelText, draw.XLeft, at+swatch+5, c.Max.Y-keyLine/2, k.names[i])
			at += k.width(i) + entryGap
		}
		c.Max.Y -= keyLine
	}
	c.Max.Y -= gap
	return c
}

func box(x, y, width, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}
}

// patch is a sample of an area; a pale one has an edge.
func patch(c color.Color, edge vg.Length) plot.Thumbnailer {
	return &plotter.Polygon{Color: c, LineStyle: line(edge, axisGrey)}
}

// ring is an open circle. Filled with white it stays visible over lines; without a fill it lets lines under it show.
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
