package figures

import (
	"image/color"
	"math"
)

// Okabe and Ito's colours that stay apart in every common kind of colour vision, in the order in which series take
// them. Yellow, too pale for lines on white, is left out; the order puts the strongest contrasts first.
var seriesColours = []color.NRGBA{
	hex(0x0072B2), // blue
	hex(0xD55E00), // vermillion
	hex(0x009E73), // bluish green
	hex(0xCC79A7), // reddish purple
	hex(0xE69F00), // orange
	hex(0x56B4E9), // sky blue
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

// sequential runs from light to dark, so that on white paper more ink means more; diverging has its neutral in the
// middle.
var (
	sequential = newColourMap(hex(0xD5EFC4), hex(0x74C9AA), hex(0x2F97AA), hex(0x2C629C), hex(0x2B2D70), hex(0x140B33))
	diverging  = newDiverging(
		[]color.NRGBA{hex(0xF6F6F4), hex(0x9FC9E4), hex(0x3A83BC), hex(0x0B3F78)},
		[]color.NRGBA{hex(0xF6F6F4), hex(0xF1B58D), hex(0xD0662C), hex(0x7A2A08)})
)

const mapLevels = 254 // with the two colours for empty and missing, what a paletted image holds

type colourMap [mapLevels]color.NRGBA

// mapLevel returns the place in a colour map of x in [0, 1], clipped.
func mapLevel(x float64) int {
	return int(math.Round(math.Min(1, math.Max(0, x)) * (mapLevels - 1)))
}

// newColourMap walks through the stops at constant speed in OKLab.
func newColourMap(stops ...color.NRGBA) *colourMap {
	var m colourMap
	walk := equalSteps(stops)
	for i := range m {
		m[i] = walk(float64(i) / (mapLevels - 1))
	}
	return &m
}

// newDiverging joins two arms that start at the same neutral colour.
func newDiverging(low, high []color.NRGBA) *colourMap {
	var m colourMap
	down, up := equalSteps(low), equalSteps(high)
	for i := range m {
		x := 2*float64(i)/(mapLevels-1) - 1
		if x < 0 {
			m[i] = down(-x)
		} else {
			m[i] = up(x)
		}
	}
	return &m
}

// equalSteps returns the curve through stops, straight between them in OKLab and parametrised by its length, so that
// equal steps of the argument look equally different.
func equalSteps(stops []color.NRGBA) func(x float64) color.NRGBA {
	points := make([][3]float64, len(stops))
	length := make([]float64, len(stops))
	for i, s := range stops {
		points[i] = toOKLab(s)
		if i > 0 {
			length[i] = length[i-1] + distance(points[i-1], points[i])
		}
	}
	return func(x float64) color.NRGBA {
		target := x * length[len(length)-1]
		i := 1
		for i < len(length)-1 && target > length[i] {
			i++
		}
		w := (target - length[i-1]) / (length[i] - length[i-1])
		var p [3]float64
		for k := range p {
			p[k] = (1-w)*points[i-1][k] + w*points[i][k]
		}
		return fromOKLab(p)
	}
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

func hex(rgb uint32) color.NRGBA {
	return color.NRGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 255}
}

func withAlpha(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(math.Round(255 * alpha))
	return c
}
