package figures

import (
	"image/color"
	"math"
	"strings"
	"unicode"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var fonts = font.NewCache(liberation.Collection())

// lettering is a size in points (4/3 of a CSS pixel, so ticks are 12 pixels high on a screen), weight and colour.
type lettering struct {
	size   vg.Length
	bold   bool
	colour color.NRGBA
}

var (
	titleText = lettering{size: 11.5, bold: true, colour: ink}
	panelText = lettering{size: 10, bold: true, colour: ink}
	labelText = lettering{size: 10, colour: ink}
	tickText  = lettering{size: 9, colour: softInk}
	noteText  = lettering{size: 8.5, colour: softInk}
)

// Where a text lies: the share of its width that is left of the given x.
const (
	left   = 0
	centre = 0.5
	right  = 1
)

const capHeight = 0.72 // of the size, in Liberation Sans: centres capitals and digits on a line

func (l lettering) face() font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if l.bold {
		f.Weight = xfont.WeightBold
	}
	return fonts.Lookup(f, l.size)
}

func (l lettering) width(s string) vg.Length {
	face := l.face()
	return face.Width(s)
}

// write puts s on the given baseline.
func (l lettering) write(c *draw.Canvas, x, baseline vg.Length, align float64, s string) {
	if s == "" {
		return
	}
	s = clean(s)
	face := l.face()
	c.SetColor(l.colour)
	c.FillString(face, vg.Point{X: x - vg.Length(align)*face.Width(s), Y: baseline}, s)
}

// clean replaces what XML cannot hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return ' '
		}
		if unicode.IsControl(r) || r == '\uFFFE' || r == '\uFFFF' {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

// writeMiddle centres the height of s on y.
func (l lettering) writeMiddle(c *draw.Canvas, x, y vg.Length, align float64, s string) {
	l.write(c, x, y-capHeight/2*l.size, align, s)
}

// writeUp centres s on (x, y), turned to read upwards.
func (l lettering) writeUp(c *draw.Canvas, x, y vg.Length, s string) {
	if s == "" {
		return
	}
	c.Push()
	c.Translate(vg.Point{X: x, Y: y})
	c.Rotate(math.Pi / 2)
	l.write(c, 0, -capHeight/2*l.size, centre, s)
	c.Pop()
}

// shorten cuts s with an ellipsis to at most width.
func (l lettering) shorten(s string, width vg.Length) string {
	if l.width(s) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 1 && l.width(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// powerScale is the size of an exponent beside its base.
const powerScale = 0.72

// labelWidth is the width of a tick's label with its exponent.
func (l lettering) labelWidth(t tick) vg.Length {
	small := l
	small.size *= powerScale
	return l.width(t.label) + small.width(t.power)
}

// writeTick writes a tick's label; an exponent is raised and small (few fonts hold all superscript digits).
func (l lettering) writeTick(c *draw.Canvas, x, y vg.Length, align float64, t tick) {
	x -= vg.Length(align) * l.labelWidth(t)
	l.writeMiddle(c, x, y, left, t.label)
	small := l
	small.size *= powerScale
	small.writeMiddle(c, x+l.width(t.label), y+0.38*l.size, left, t.power)
}
