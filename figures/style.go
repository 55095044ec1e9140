package figures

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Style is the colour and the dash of a line, so that a model looks the same in every figure, and that lines differ in
// greyscale too. The zero value means [StyleOf] the index among the series of a figure; a dash other than Solid is
// kept.
type Style struct {
	Colour Colour
	Dash   Dash
}

// Colour is a colour of the palette.
type Colour uint8

const (
	ByIndex Colour = iota // by the index among the series
	Blue
	Vermillion
	Green
	Purple
	Orange
	Sky
	Ink  // nearly black, as what was observed
	Grey // of no model
)

// Dash is the dash pattern of a line.
type Dash uint8

const (
	Solid Dash = iota
	Dashed
	DashDot
	Dotted
	LongDashed
	DashDotDot
	DashDashDot  // StyleOf takes neither this one nor the next
	SparseDotted // further apart than Dotted
)

var dashes = [...][]vg.Length{nil, {4.5, 2.5}, {6, 2, 1.3, 2}, {1.3, 2}, {9, 3}, {6, 2, 1.3, 2, 1.3, 2},
	{6, 2, 6, 2, 1.3, 2}, {1.3, 4.5}}

// alternating is the number of colours, Blue to Sky, and of dashes, Solid to DashDotDot, that indices go through.
const alternating = 6

// StyleOf returns the style for an index from 0 on. 36 styles differ; neighbours differ in both colour and dash.
func StyleOf(index int) Style {
	index = max(index, 0)
	row := index / alternating
	return Style{Blue + Colour(index%alternating), Dash((index + row) % alternating)}
}

// resolved returns the style of the series at an index.
func (s Style) resolved(index int) Style {
	if s.Colour != ByIndex {
		return s
	}
	style := StyleOf(index)
	if s.Dash != Solid {
		style.Dash = s.Dash
	}
	return style
}

// rgb returns the colour of a resolved style.
func (s Style) rgb() color.NRGBA { return colours[s.Colour] }

func (s Style) line(width vg.Length) draw.LineStyle {
	style := line(width, s.rgb())
	style.Dashes = dashes[s.Dash]
	return style
}

// check returns an error for an invalid style.
func (s Style) check() error {
	if int(s.Colour) >= len(colours) || int(s.Dash) >= len(dashes) {
		return invalid("Style has colour %d and dash %d, wanted one of the constants Blue to Grey and Solid to SparseDotted",
			s.Colour, s.Dash)
	}
	return nil
}
