package figures

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func (m Mark) style() draw.LineStyle {
	if m.Bold {
		return line(2, ink)
	}
	return line(0.8, withAlpha(softInk, 0.5))
}

// inside reports whether the mark lies in the range of the data.
func (m Mark) inside(x scale) bool {
	at := x.at(m.X)
	return at >= 0 && at <= 1
}

// mark draws the lines, the bold ones over the faint ones; the data come after them.
func (f *frame) mark(marks []Mark) {
	for _, bold := range []bool{false, true} {
		for _, m := range marks {
			if m.Bold == bold && m.inside(f.x) {
				x := f.X(f.x.at(m.X))
				f.StrokeLine2(m.style(), x, f.Min.Y, x, f.Max.Y)
			}
		}
	}
}

// markEntries is the key of the marks that are drawn: one entry for each name.
func markEntries(marks []Mark, x scale) []entry {
	var entries []entry
	for i, m := range marks {
		earlier := func(o Mark) bool { return o.Name == m.Name && o.Bold == m.Bold && o.inside(x) }
		if m.Name != "" && m.inside(x) && !slices.ContainsFunc(marks[:i], earlier) {
			style := m.style()
			entries = append(entries, entry{name: m.Name, glyph: upright{width: style.Width}, radius: 5, colour: style.Color})
		}
	}
	return entries
}

// upright is a vertical line, as a mark is.
type upright struct{ width vg.Length }

// DrawGlyph draws the line.
func (u upright) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.StrokeLine2(line(u.width, style.Color), at.X, at.Y-style.Radius, at.X, at.Y+style.Radius)
}
