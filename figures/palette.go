package figures

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/palette/moreland"
)

// Okabe and Ito's colours that stay distinct in every common kind of colour vision, in the order in which series take
// them. Yellow, too pale for lines on white, is left out; the order puts the strongest contrasts first.
var colours = [...]color.NRGBA{
	Blue:       hex(0x0072B2),
	Vermillion: hex(0xD55E00),
	Green:      hex(0x009E73),
	Purple:     hex(0xCC79A7),
	Orange:     hex(0xE69F00),
	Sky:        hex(0x56B4E9),
	Ink:        ink,
	Grey:       hex(0x808080),
}

var (
	white     = hex(0xFFFFFF)
	ink       = hex(0x222222) // titles, labels, the truth
	softInk   = hex(0x555555) // tick labels, notes
	axisGrey  = hex(0x9A9A9A)
	gridGrey  = hex(0xE2E2E2)
	missGrey  = hex(0xC9C9C9) // missing cells of a heat map
	rangeGrey = hex(0xF6F6F6)
	rangeBlue = hex(0xE9F2F8)
	rangeSand = hex(0xFCF4E3)
)

const mapLevels = 254 // with the two colours for empty and missing, what a paletted image holds

// The sequential colours run from light to dark, so that on white paper more ink means more; the diverging ones have
// their neutral in the middle.
var (
	sequential = lightToDark(mapLevels, 0xD5EFC4, 0x74C9AA, 0x2F97AA, 0x2C629C, 0x2B2D70, 0x140B33)
	blues      = lightToDark(mapLevels/2, 0xF6F6F4, 0x9FC9E4, 0x3A83BC, 0x0B3F78)
	oranges    = lightToDark(mapLevels/2, 0xF6F6F4, 0xF1B58D, 0xD0662C, 0x7A2A08)
	diverging  = append(reversed(blues), oranges...)
)

// lightToDark returns n colours through the given ones, with equal steps of lightness.
func lightToDark(n int, through ...uint32) []color.Color {
	var darkToLight []color.Color
	for _, rgb := range slices.Backward(through) {
		darkToLight = append(darkToLight, hex(rgb))
	}
	m, err := moreland.NewLuminance(darkToLight)
	if err != nil {
		panic(err) // only the lists above are given
	}
	return reversed(m.Palette(n).Colors())
}

func reversed(colours []color.Color) []color.Color {
	colours = slices.Clone(colours)
	slices.Reverse(colours)
	return colours
}

func hex(rgb uint32) color.NRGBA {
	return color.NRGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 255}
}

func withAlpha(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(math.Round(255 * alpha))
	return c
}
