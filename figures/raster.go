package figures

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// colouring maps the values of a heat map to colours.
type colouring struct {
	scale   scale
	colours *colourMap
}

// Places in the palette of a raster: nothing there, not known, and then the colour map.
const (
	levelEmpty   = 0
	levelMissing = 1
	levelFirst   = 2
)

func (k colouring) palette() color.Palette {
	p := color.Palette{white, missGrey}
	for _, c := range k.colours {
		p = append(p, c)
	}
	return p
}

// level returns the place of v in the palette. On a logarithmic scale zero is "nothing there" (no edge).
func (k colouring) level(v float64) uint8 {
	switch {
	case math.IsNaN(v):
		return levelMissing
	case k.scale.log && v == 0:
		return levelEmpty
	}
	return uint8(levelFirst + mapLevel(k.scale.at(v)))
}

// rasterSide is how many pixels a raster has at least along each side: enough for crisp cells at the width of a
// notebook. An image costs 5 to 30 kB this way, where one rectangle a cell takes 2 MB for 129 x 129 cells.
const rasterSide = 640

// raster draws rows x columns cells as a paletted image, the first row on top. Cells are whole blocks of pixels, so
// that no viewer blurs them together when it enlarges the image.
func (k colouring) raster(rows, columns int, value func(row, column int) float64) image.Image {
	wide, high := (rasterSide+columns-1)/columns, (rasterSide+rows-1)/rows
	img := image.NewPaletted(image.Rect(0, 0, columns*wide, rows*high), k.palette())
	for r := range rows {
		first := img.Pix[r*high*img.Stride:][:img.Stride]
		for c := range columns {
			level := k.level(value(r, c))
			for b := range wide {
				first[c*wide+b] = level
			}
		}
		for b := 1; b < high; b++ {
			copy(img.Pix[(r*high+b)*img.Stride:], first)
		}
	}
	return img
}

// barWidth is the width of a colour bar without its ticks.
const barWidth = 10

// barRoom is the width that drawBar needs.
func (k colouring) barRoom(label string, missing bool, height vg.Length) vg.Length {
	room := barWidth + tickLength + tickGap + widest(k.ticks(height))
	if label != "" {
		room += gap + labelText.size
	}
	if missing {
		room = max(room, barWidth+4+noteText.width("missing"))
	}
	return room
}

func (k colouring) ticks(height vg.Length) []tick { return k.scale.ticks(int(height / 28)) }

// drawBar draws the colour bar into c, with a box below it that says how missing cells look.
func (k colouring) drawBar(c draw.Canvas, label string, missing bool) {
	if missing {
		box := vg.Rectangle{Min: c.Min, Max: vg.Point{X: c.Min.X + barWidth, Y: c.Min.Y + barWidth}}
		c.SetColor(missGrey)
		c.Fill(box.Path())
		noteText.writeMiddle(&c, box.Max.X+4, box.Min.Y+barWidth/2, left, "missing")
		c.Min.Y += barWidth + gap
	}
	height := c.Max.Y - c.Min.Y
	bar := vg.Rectangle{Min: c.Min, Max: vg.Point{X: c.Min.X + barWidth, Y: c.Max.Y}}
	img := image.NewPaletted(image.Rect(0, 0, 4*barWidth, mapLevels), k.palette())
	for i := range img.Pix {
		img.Pix[i] = uint8(levelFirst + mapLevels - 1 - i/img.Stride)
	}
	c.DrawImage(bar, img)
	outline(&c, bar)
	f := frame{Canvas: c, y: k.scale}
	f.Min, f.Max = bar.Min, bar.Max
	ticks := k.ticks(height)
	for _, t := range ticks {
		y := f.Y(f.y.at(t.value))
		if y < bar.Min.Y-0.01 || y > bar.Max.Y+0.01 {
			continue
		}
		c.StrokeLine2(line(thin, axisGrey), bar.Max.X, y, bar.Max.X+tickLength, y)
		tickText.writeTick(&c, bar.Max.X+tickLength+tickGap, y, left, t)
	}
	labelText.writeUp(&c, bar.Max.X+tickLength+tickGap+widest(ticks)+gap+labelText.size/2, (bar.Min.Y+bar.Max.Y)/2, label)
}

// outline draws a thin box.
func outline(c *draw.Canvas, r vg.Rectangle) {
	c.SetLineStyle(line(thin, axisGrey))
	c.Stroke(r.Path())
}
