package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is one item of a key: any of a patch, a line and a glyph, with its name.
type entry struct {
	name   string
	patch  color.Color
	line   draw.LineStyle
	glyph  draw.GlyphDrawer
	radius vg.Length
	colour color.Color
}

const (
	swatch    = 20 // width of the sample beside a name
	keyLine   = 14 // height of a line of the key
	entryRoom = 16 // between entries
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
		used += w + entryRoom
	}
	return rows
}

func (e entry) width() vg.Length { return swatch + 5 + labelText.width(e.name) }

// keyHeight is the room that drawKey takes at the top.
func keyHeight(entries []entry, width vg.Length) vg.Length {
	if len(entries) == 0 {
		return 0
	}
	return keyLine*vg.Length(len(keyRows(entries, width))) + gap
}

// drawKey writes the key along the top edge of c from x on, outside the data, and returns what is left below.
func drawKey(c draw.Canvas, x vg.Length, entries []entry) draw.Canvas {
	width := c.Max.X - x
	y := c.Max.Y - keyLine/2
	for _, row := range keyRows(entries, width) {
		at := x
		for _, e := range row {
			e.draw(&c, at, y)
			labelText.writeMiddle(&c, at+swatch+5, y, left, labelText.shorten(e.name, width-swatch-5))
			at += e.width() + entryRoom
		}
		y -= keyLine
	}
	c.Max.Y -= keyHeight(entries, width)
	return c
}

func (e entry) draw(c *draw.Canvas, x, y vg.Length) {
	if e.patch != nil {
		c.FillPolygon(e.patch, []vg.Point{{X: x, Y: y - 4.5}, {X: x + swatch, Y: y - 4.5}, {X: x + swatch, Y: y + 4.5}, {X: x, Y: y + 4.5}})
		if e.line.Width == 0 { // tints of spans are too pale to end by themselves
			outline(c, vg.Rectangle{Min: vg.Point{X: x, Y: y - 4.5}, Max: vg.Point{X: x + swatch, Y: y + 4.5}})
		}
	}
	if e.line.Width > 0 {
		c.StrokeLine2(e.line, x, y, x+swatch, y)
	}
	if e.glyph != nil {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: e.colour, Radius: e.radius, Shape: e.glyph}, vg.Point{X: x + swatch/2, Y: y})
	}
}

// ring is an open circle that lets what is under it show.
type ring struct{}

// DrawGlyph draws the circle's line.
func (ring) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(line(1.2, style.Color))
	c.Stroke(circle(at, style.Radius))
}

// hollow is a ring filled with white, which stays visible over lines.
type hollow struct{}

// DrawGlyph draws the circle and its line.
func (hollow) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetColor(white)
	c.Fill(circle(at, style.Radius))
	ring{}.DrawGlyph(c, style, at)
}

func circle(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
	return p
}

// spanEntries is the key of spans whose names do not fit above the data.
func spanEntries(spans []Span) []entry {
	entries := make([]entry, len(spans))
	for i, s := range spans {
		entries[i] = entry{name: s.Name, patch: spanTint(i)}
	}
	return entries
}
