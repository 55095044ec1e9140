package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frame is one pair of axes: the canvas is cropped to the data.
type frame struct {
	draw.Canvas
	x, y           scale
	xTicks, yTicks []tick
}

// rims is the room around the data for ticks and labels.
type rims struct{ left, right, bottom, top vg.Length }

const (
	tickLength = 3
	tickGap    = 3   // between a tick's end and its label
	thin       = 0.5 // width of grid and axis lines
)

// rimsFor measures what ticks and labels need; panels that share rims have their data aligned.
func rimsFor(axes Axes, xTicks, yTicks []tick) rims {
	r := rims{
		left:   tickLength + tickGap + widest(yTicks),
		right:  gap,
		bottom: tickLength + tickGap + tickText.size,
		top:    tickText.size / 2,
	}
	if axes.Y != "" {
		r.left += labelText.size + gap
	}
	if axes.X != "" {
		r.bottom += labelText.size + gap
	}
	if n := len(xTicks); n > 0 { // the last label is centred on a tick that may lie at the very end
		r.right = max(r.right, tickText.labelWidth(xTicks[n-1])/2+1)
	}
	return r
}

func widest(ticks []tick) vg.Length {
	var w vg.Length
	for _, t := range ticks {
		w = max(w, tickText.labelWidth(t))
	}
	return w
}

func newFrame(c draw.Canvas, r rims, x, y scale, xTicks, yTicks []tick) frame {
	return frame{Canvas: draw.Crop(c, r.left, -r.right, r.bottom, -r.top), x: x, y: y, xTicks: xTicks, yTicks: yTicks}
}

func (f *frame) point(x, y float64) vg.Point {
	return vg.Point{X: f.X(f.x.at(x)), Y: f.Y(f.y.at(y))}
}

func line(width vg.Length, c color.Color) draw.LineStyle {
	return draw.LineStyle{Width: width, Color: c}
}

// grid draws thin lines at the ticks, behind the data.
func (f *frame) grid() {
	style := line(thin, gridGrey)
	for _, t := range f.xTicks {
		if x := f.X(f.x.at(t.value)); f.ContainsX(x) {
			f.StrokeLine2(style, x, f.Min.Y, x, f.Max.Y)
		}
	}
	for _, t := range f.yTicks {
		if y := f.Y(f.y.at(t.value)); f.ContainsY(y) {
			f.StrokeLine2(style, f.Min.X, y, f.Max.X, y)
		}
	}
}

// axes draws the lower and left line with ticks and labels.
func (f *frame) axes(xLabel, yLabel string) {
	f.bottomAxis(xLabel)
	f.leftAxis(yLabel)
}

func (f *frame) bottomAxis(label string) {
	style := line(thin, axisGrey)
	f.StrokeLine2(style, f.Min.X, f.Min.Y, f.Max.X, f.Min.Y)
	middle := f.Min.Y - tickLength - tickGap - capHeight/2*tickText.size
	for _, t := range f.xTicks {
		if x := f.X(f.x.at(t.value)); f.ContainsX(x) {
			f.StrokeLine2(style, x, f.Min.Y, x, f.Min.Y-tickLength)
			tickText.writeTick(&f.Canvas, x, middle, centre, t)
		}
	}
	labelText.write(&f.Canvas, f.Center().X, f.Min.Y-tickLength-tickGap-tickText.size-gap+2-capHeight*labelText.size, centre, label)
}

func (f *frame) leftAxis(label string) {
	style := line(thin, axisGrey)
	f.StrokeLine2(style, f.Min.X, f.Min.Y, f.Min.X, f.Max.Y)
	for _, t := range f.yTicks {
		if y := f.Y(f.y.at(t.value)); f.ContainsY(y) {
			f.StrokeLine2(style, f.Min.X, y, f.Min.X-tickLength, y)
			tickText.writeTick(&f.Canvas, f.Min.X-tickLength-tickGap, y, right, t)
		}
	}
	x := f.Min.X - tickLength - tickGap - widest(f.yTicks) - gap - capHeight/2*labelText.size
	labelText.writeUp(&f.Canvas, x, f.Center().Y, label)
}

// stroke draws (x, y) as lines that are open where y is missing; a point alone between gaps becomes a dot.
func (f *frame) stroke(style draw.LineStyle, x, y []float64) {
	for _, run := range runs(y) {
		points := make([]vg.Point, 0, run.end-run.start)
		for i := run.start; i < run.end; i++ {
			points = append(points, f.point(x[i], y[i]))
		}
		if len(points) == 1 {
			f.dot(points[0], 1.2*style.Width, style.Color)
			continue
		}
		f.StrokeLines(style, f.ClipLinesXY(points)...)
	}
}

// band fills the area between lower and upper where both are known.
func (f *frame) band(c color.Color, x, lower, upper []float64) {
	both := make([]float64, len(x))
	for i := range x {
		both[i] = lower[i] + upper[i]
	}
	for _, run := range runs(both) {
		points := make([]vg.Point, 0, 2*(run.end-run.start))
		for i := run.start; i < run.end; i++ {
			points = append(points, f.point(x[i], lower[i]))
		}
		for i := run.end - 1; i >= run.start; i-- {
			points = append(points, f.point(x[i], upper[i]))
		}
		f.FillPolygon(c, f.ClipPolygonXY(points))
	}
}

// dot fills a circle of the given radius.
func (f *frame) dot(at vg.Point, radius vg.Length, c color.Color) {
	if f.Contains(at) {
		f.DrawGlyph(draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}, at)
	}
}

type run struct{ start, end int }

// runs returns the stretches of values that are not NaN.
func runs(values []float64) []run {
	var found []run
	start := -1
	for i, v := range values {
		switch missing := math.IsNaN(v); {
		case !missing && start < 0:
			start = i
		case missing && start >= 0:
			found, start = append(found, run{start, i}), -1
		}
	}
	if start >= 0 {
		found = append(found, run{start, len(values)})
	}
	return found
}

// shade tints the spans behind the data; neighbours differ, since the tints alternate with the order of spans.
func (f *frame) shade(spans []Span) {
	for i, s := range spans {
		low, high := f.clampX(s.From), f.clampX(s.To)
		if high <= low {
			continue
		}
		f.FillPolygon(spanTint(i), []vg.Point{{X: low, Y: f.Min.Y}, {X: high, Y: f.Min.Y}, {X: high, Y: f.Max.Y}, {X: low, Y: f.Max.Y}})
	}
}

func spanTint(i int) color.NRGBA { return []color.NRGBA{rangeGrey, rangeSand, rangeBlue}[i%3] }

func (f *frame) clampX(x float64) vg.Length {
	return f.X(math.Min(1, math.Max(0, f.x.at(x))))
}

// nameSpans writes the names of the spans just above the data. It reports whether all fit; if not, none is written.
func (f *frame) nameSpans(spans []Span) bool {
	if !f.spansFit(spans) {
		return false
	}
	for _, s := range spans {
		noteText.write(&f.Canvas, (f.clampX(s.From)+f.clampX(s.To))/2, f.Max.Y+3, centre, s.Name)
	}
	return true
}

func (f *frame) spansFit(spans []Span) bool {
	for _, s := range spans {
		if w := f.clampX(s.To) - f.clampX(s.From); w > 0 && noteText.width(s.Name)+4 > w {
			return false
		}
	}
	return true
}
