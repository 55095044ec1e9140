package figures

import (
	"cmp"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// colouring maps values to colours; it implements the palette interfaces that gonum's heat maps and colour bars use.
type colouring struct {
	palette.ColorMap // nil
	scale            scale
	signed           bool // diverging colours
}

// position returns the position of v on the colour scale. gonum's colours are linear, so a logarithmic scale uses
// logarithms here, and 0 (no value, as between nodes without an edge) is below the scale.
func (k colouring) position(v float64) float64 {
	if k.scale.log {
		return math.Log10(v)
	}
	return v
}

func (k colouring) Min() float64 { return k.position(k.scale.min) }
func (k colouring) Max() float64 { return k.position(k.scale.max) }

// Colors returns the levels between the ends.
func (k colouring) Colors() []color.Color {
	if k.signed {
		return diverging
	}
	return sequential
}

// At returns the colour at a position between the ends.
func (k colouring) At(position float64) (color.Color, error) {
	return k.Colors()[int(math.Round((position-k.Min())/(k.Max()-k.Min())*(mapLevels-1)))], nil
}

// field is a matrix as gonum's plotter.GridXYZ, with the first row on top.
type field struct {
	colouring
	values [][]float64
	start  float64 // X of the first column
}

func (f field) Dims() (columns, rows int) { return len(f.values[0]), len(f.values) }
func (f field) X(column int) float64      { return f.start + float64(column) }
func (f field) Y(row int) float64         { return float64(row) }
func (f field) Z(column, row int) float64 { return f.position(f.values[len(f.values)-1-row][column]) }

// heat is a heat map of f. Missing cells are grey, values beyond the scale have the colour of its end, and 0 on a
// logarithmic scale stays open.
func (f field) heat() *plotter.HeatMap {
	h := &plotter.HeatMap{GridXYZ: f, Palette: f.colouring, Min: f.Min(), Max: f.Max(), Rasterized: true, NaN: missGrey}
	h.Overflow = f.Colors()[mapLevels-1]
	if !f.scale.log {
		h.Underflow = f.Colors()[0]
	}
	return h
}

// plot returns a plot of f with about the given number of ticks, and a name of at most the given width above the data.
func (f field) plot(name string, width vg.Length, xTicks, yTicks int) *plot.Plot {
	columns, rows := f.Dims()
	x := scale{min: f.start - 0.5, max: f.start + float64(columns) - 0.5}
	p := newPlot(x, scale{min: -0.5, max: float64(rows) - 0.5}, 0, 0)
	p.X.Tick.Marker = ticks{want: xTicks, whole: true}
	p.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
		found := ticks{want: yTicks, whole: true}.Ticks(low, high)
		for i := range found {
			found[i].Value = float64(rows-1) - found[i].Value
		}
		return found
	})
	p.Add(only{f.heat()}, outline{})
	title(p, name, width, 0)
	return p
}

const (
	barGap   = 8
	barWidth = 10 // without ticks
)

// colourBar is drawn at the right of a heat map, with ticks, a label, and a box in the colour of missing cells.
type colourBar struct {
	colouring
	label   string
	missing bool
	height  float64 // about how high it will be
}

// ticks are at the positions of values, with their labels and the widest of these.
func (b colourBar) ticks() (at plotter.XYs, texts []string, widest vg.Length) {
	for _, t := range (ticks{want: int(b.height / 28), log: b.scale.log}).Ticks(b.scale.min, b.scale.max) {
		if b.scale.holds(t.Value) {
			at, texts = append(at, plotter.XY{X: 1, Y: b.position(t.Value)}), append(texts, t.Label)
			widest = max(widest, tickText.Width(t.Label))
		}
	}
	return at, texts, widest
}

// Plot draws the bar beside c.
func (b colourBar) Plot(c draw.Canvas, _ *plot.Plot) {
	c.Rectangle = box(c.Max.X+barGap, c.Min.Y, barWidth, c.Size().Y)
	if b.missing {
		c.SetColor(missGrey)
		c.Fill(box(c.Min.X, c.Min.Y, barWidth, barWidth).Path())
		write(c, noteText, draw.XLeft, c.Max.X+4, c.Min.Y+barWidth/2, "missing")
		c.Min.Y += barWidth + gap
	}
	at, texts, widest := b.ticks()
	p := newPlot(scale{max: 1}, scale{min: b.Min(), max: b.Max()}, 0, 0)
	p.HideAxes()
	style := draw.GlyphStyle{Color: axisGrey, Shape: dash{to: vg.Point{X: tickLength}, width: thin}}
	marks := &plotter.Scatter{XYs: at, GlyphStyle: style}
	p.Add(&plotter.ColorBar{ColorMap: b.colouring, Vertical: true, Colors: mapLevels}, outline{}, marks,
		only{labels(tickText, text.XLeft, vg.Point{X: gap}, at, texts...)})
	p.Draw(c)
	writeUp(c, labelText, c.Max.X+2*gap+widest+labelText.Font.Size/2, c.Center().Y, b.label)
}

// GlyphBoxes keep the width free.
func (b colourBar) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	_, _, width := b.ticks()
	if width += gap; b.label != "" {
		width += gap + labelText.Font.Size
	}
	width = max(width, 4+noteText.Width("missing")) // always, so that frames of a slider have one size
	return []plot.GlyphBox{{X: 1, Rectangle: box(0, 0, barGap+barWidth+width, 0)}}
}

// tallest is the largest height of a panel with cells of a given shape.
const tallest = 320

// figure draws plots whose data have the given height for each unit of width, at the largest size that fits.
func (t tiles) figure(axes Axes, alt string, aspect float64) (*Figure, error) {
	width := vg.Length(cmp.Or(axes.Width, defaultWidth)) - 2*margin
	unbounded := draw.Canvas{Rectangle: box(0, 0, width, largest)} // measures; nothing is drawn
	height := t.shrunk(unbounded, aspect).Size().Y + axes.titleHeight() + 2*margin
	return axes.figure(math.Ceil(float64(max(height, smallest))), alt, func(c draw.Canvas) { t.draw(t.shrunk(c, aspect)) })
}

// shrunk returns the upper left part of c in which the data have the given shape.
func (t tiles) shrunk(c draw.Canvas, aspect float64) draw.Canvas {
	size := t.data(c)[0].Size()
	wide := min(size.X, size.Y/vg.Length(aspect), tallest/vg.Length(max(aspect, 1)))
	c.Max.X -= vg.Length(t.Cols) * (size.X - wide)
	c.Min.Y += vg.Length(t.Rows) * (size.Y - wide*vg.Length(aspect))
	return c
}

// adapter measures texts, and draws images as whole blocks of pixels of few colours. Viewers blur small images when
// they enlarge them, and with 16 bits a channel, as gonum's heat maps have, files are large.
type adapter struct {
	vg.CanvasSizer
	widths []vg.Length // of the texts
}

func (a *adapter) FillString(face font.Face, at vg.Point, s string) {
	a.widths = append(a.widths, face.Width(s))
	a.CanvasSizer.FillString(face, at, s)
}

func (a *adapter) DrawImage(r vg.Rectangle, img image.Image) { a.CanvasSizer.DrawImage(r, blocks(img)) }

const imageSide = 640 // pixels, at least

// blocks makes each pixel of an image with at most 256 colours a block of them.
func blocks(img image.Image) *image.Paletted {
	b := img.Bounds()
	wide, high := (imageSide+b.Dx()-1)/b.Dx(), (imageSide+b.Dy()-1)/b.Dy()
	out := image.NewPaletted(image.Rect(0, 0, b.Dx()*wide, b.Dy()*high), nil)
	shades := map[color.Color]uint8{}
	for y := range b.Dy() {
		first := out.Pix[y*high*out.Stride:][:out.Stride]
		for x := range b.Dx() {
			c := color.NRGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y))
			if _, ok := shades[c]; !ok {
				shades[c] = uint8(len(out.Palette))
				out.Palette = append(out.Palette, c)
			}
			for i := range wide {
				first[x*wide+i] = shades[c]
			}
		}
		for i := 1; i < high; i++ {
			copy(out.Pix[(y*high+i)*out.Stride:], first)
		}
	}
	return out
}
