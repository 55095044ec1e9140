package figures

import (
	"image/color"
	"strings"
	"unicode"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var fonts = text.Plain{Fonts: font.NewCache(liberation.Collection())}

// Sizes are in points (4/3 of a CSS pixel), so ticks are 13 pixels high on a screen, and 10 if a page gives a figure no
// more than [leastWidth].
var (
	titleText = lettering(12.5, xfont.WeightBold, ink)
	panelText = lettering(11, xfont.WeightBold, ink)
	labelText = lettering(11, xfont.WeightNormal, ink)
	tickText  = lettering(10, xfont.WeightNormal, softInk)
	noteText  = lettering(9.5, xfont.WeightNormal, softInk)
)

func lettering(size vg.Length, weight xfont.Weight, colour color.Color) text.Style {
	return text.Style{
		Color:   colour,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
		YAlign:  text.YCenter,
		Handler: handler{Plain: fonts},
	}
}

// handler is gonum's handler of plain text for texts of one line. It replaces what XML cannot hold, centres capitals
// and digits, not whole lines, and raises what follows the mark power: few fonts hold all superscript digits.
type handler struct {
	text.Plain
	free bool // gonum keeps no width free, as it would at the wrong end of a logarithmic axis
}

const (
	power      = "\v"
	powerScale = 0.88 // size of an exponent beside its base, legible in a wide figure on a narrow page
	capHeight  = 0.72 // of the size, in Liberation Sans
)

func (handler) Lines(s string) []string { return []string{s} }

// Box measures the text.
func (h handler) Box(s string, f font.Font) (width, height, depth vg.Length) {
	base, exponent, _ := strings.Cut(s, power)
	width, height, depth = h.Plain.Box(clean(base), f)
	f.Size *= powerScale
	raised, _, _ := h.Plain.Box(clean(exponent), f)
	if h.free && s != " " { // gonum puts the width of a space beside ticks
		return 0, height, depth
	}
	return width + raised, height, depth
}

// Draw writes the text. As gonum's axes expect, centred text lies the font's descent below at.
func (h handler) Draw(c vg.Canvas, s string, style text.Style, at vg.Point) {
	base, exponent, raised := strings.Cut(s, power)
	if style.YAlign == text.YCenter && style.Rotation == 0 {
		e := style.FontExtents()
		at.Y += (e.Ascent-e.Descent)/2 - (style.Font.Size - e.Ascent) - capHeight/2*style.Font.Size
	}
	if raised { // ticks, which are not turned
		at.X += vg.Length(style.XAlign) * style.Width(s)
		style.XAlign = text.XLeft
	}
	h.Plain.Draw(c, clean(base), style, at)
	if raised {
		at = at.Add(vg.Point{X: style.Width(base), Y: baseline(style) + 0.35*style.Font.Size})
		style.Font.Size *= powerScale
		at.Y -= baseline(style)
		h.Plain.Draw(c, clean(exponent), style, at)
	}
}

// baseline returns the position of the baseline of a text that gonum draws at 0.
func baseline(style text.Style) vg.Length {
	return vg.Length(style.YAlign)*style.Height("0") - style.FontExtents().Ascent + style.Font.Size
}

// clean replaces characters that XML does not allow.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\uFFFE' || r == '\uFFFF' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

// unmeasured is the style without a width.
func unmeasured(style text.Style) text.Style {
	style.Handler = handler{fonts, true}
	return style
}

// write draws s next to x, with the middle of its capitals at y.
func write(c draw.Canvas, style text.Style, align text.XAlignment, x, y vg.Length, s string) {
	style.XAlign = align
	c.FillText(style, vg.Point{X: x, Y: y + style.FontExtents().Descent}, s)
}

// writeUp centres s on (x, y), turned to read upwards.
func writeUp(c draw.Canvas, style text.Style, x, y vg.Length, s string) {
	style.XAlign, style.Rotation = text.XCenter, quarterTurn
	c.FillText(style, vg.Point{X: x - style.FontExtents().Descent/2, Y: y}, s)
}

// shorten cuts s with an ellipsis to at most width.
func shorten(style text.Style, s string, width vg.Length) string {
	if style.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 1 && style.Width(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// wrap breaks s between words into lines of at most width; a longer word has a line of its own.
func wrap(style text.Style, s string, width vg.Length) (lines []string) {
	for _, word := range strings.Fields(s) {
		if last := len(lines) - 1; last >= 0 && style.Width(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
