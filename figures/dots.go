package figures

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// DotRow is one model of a dot plot.
type DotRow struct {
	Name  string
	Value Cell      // a number or a missing one; its interval and its published value are drawn too
	Seeds []float64 // single results, drawn faintly; may be nil
}

const rowHeight = 24

// Dots draws one row for each model, the first on top: the mean as a dot with its 95% interval as a bar, the published
// value as a ring, and the numbers at the right. Rows without a result say so.
func Dots(axes Axes, rows ...DotRow) (*Figure, error) {
	if err := checkDots(axes, rows); err != nil {
		return nil, err
	}
	values := dotValues(rows, axes.LogX)
	x, _ := fit(axes.LogX, 0.06, values)
	height := 62 + rowHeight*float64(len(rows))
	return axes.figure(height, func(c draw.Canvas) { drawDots(c, axes, rows, x) })
}

func dotValues(rows []DotRow, log bool) []float64 {
	var values []float64
	for _, r := range rows {
		if v := r.Value; v.kind == numberCell {
			half := finiteOr0(v.half)
			values = append(values, v.mean, v.mean+half)
			if low := v.mean - half; !log || low > 0 {
				values = append(values, low)
			}
		}
		if p := r.Value.published; p != nil {
			values = append(values, p[0])
		}
		values = append(values, r.Seeds...)
	}
	return values
}

func drawDots(c draw.Canvas, axes Axes, rows []DotRow, x scale) {
	column := Table{Columns: []Column{{}}}
	var names []tick
	for i, r := range rows {
		column.Rows = append(column.Rows, []Cell{r.Value})
		names = append(names, tick{value: float64(i), label: labelText.shorten(r.Name, c.Size().X/3)})
	}
	decimals := column.decimals(0)
	var numbers vg.Length
	for _, r := range rows {
		numbers = max(numbers, tickText.width(r.Value.value(decimals)))
	}
	xTicks := x.ticks(int(c.Size().X / 80))
	room := rimsFor(axes, xTicks, nil)
	room.left = gap
	for _, t := range names {
		room.left = max(room.left, labelText.width(t.label)+2*gap)
	}
	room.right = max(room.right, numbers+2*gap)
	room.top = 2
	entries := append(dotsKey(axes, rows), markEntries(axes.Marks, x)...)
	f := newFrame(drawKey(c, c.Min.X+room.left, entries), room, x, scale{min: float64(len(rows)) - 0.5, max: -0.5}, xTicks, nil)
	f.shade(axes.Spans)
	f.grid()
	f.mark(axes.Marks)
	for i, r := range rows {
		y := f.Y(f.y.at(float64(i)))
		labelText.writeMiddle(&f.Canvas, f.Min.X-gap, y, right, names[i].label)
		f.drawDotRow(r, y)
		tickText.writeMiddle(&f.Canvas, f.Max.X+gap+numbers, y, right, r.Value.value(decimals))
	}
	f.bottomAxis(axes.X)
}

var dotColour = seriesColours[0]

func (f *frame) drawDotRow(r DotRow, y vg.Length) {
	for _, s := range r.Seeds {
		if !math.IsNaN(s) {
			f.dot(vg.Point{X: f.X(f.x.at(s)), Y: y - 6}, 1.8, withAlpha(dotColour, 0.45))
		}
	}
	if r.Value.kind != numberCell {
		noteText.writeMiddle(&f.Canvas, f.Min.X+gap, y, left, "missing")
	} else {
		if half := finiteOr0(r.Value.half); half > 0 {
			f.StrokeLine2(line(2.2, withAlpha(dotColour, 0.55)), f.clampX(r.Value.mean-half), y, f.clampX(r.Value.mean+half), y)
		}
		f.dot(vg.Point{X: f.X(f.x.at(r.Value.mean)), Y: y}, 3.2, dotColour)
	}
	if p := r.Value.published; p != nil {
		f.DrawGlyph(draw.GlyphStyle{Color: publishedColour, Radius: 5, Shape: ring{}}, vg.Point{X: f.X(f.x.at(p[0])), Y: y})
	}
}

var publishedColour = seriesColours[1]

func dotsKey(axes Axes, rows []DotRow) []entry {
	var published, seeds, half bool
	for _, r := range rows {
		published, seeds = published || r.Value.published != nil, seeds || len(r.Seeds) > 0
		half = half || r.Value.kind == numberCell && finiteOr0(r.Value.half) > 0
	}
	mean := entry{name: "mean", glyph: draw.CircleGlyph{}, radius: 3.2, colour: dotColour}
	if half {
		mean.name, mean.line = "mean with 95% interval", line(2.2, withAlpha(dotColour, 0.55))
	}
	entries := []entry{mean}
	if seeds {
		entries = append(entries, entry{name: cmp.Or(axes.Dot, "one seed"), glyph: draw.CircleGlyph{}, radius: 1.8, colour: withAlpha(dotColour, 0.45)})
	}
	if published {
		entries = append(entries, entry{name: "published", glyph: ring{}, radius: 5, colour: publishedColour})
	}
	return entries
}

func checkDots(axes Axes, rows []DotRow) error {
	if len(rows) == 0 {
		return fmt.Errorf("figures: Dots got no rows, wanted one for each model: %w", ErrInput)
	}
	known := 0
	for _, r := range rows {
		if r.Value.kind == textCell {
			return fmt.Errorf("figures: row %q holds the text %q, wanted a number or Missing(): %w", r.Name, r.Value.text, ErrInput)
		}
		values := append([]float64(nil), r.Seeds...)
		if r.Value.kind == numberCell {
			values = append(values, r.Value.mean)
		}
		if r.Value.published != nil {
			values = append(values, r.Value.published[0])
		}
		for _, v := range values {
			if math.Abs(v) > mostFinite || axes.LogX && v <= 0 {
				return fmt.Errorf("figures: row %q holds %g, wanted finite values%s: %w", r.Name, v, positiveIf(axes.LogX), ErrInput)
			}
			if !math.IsNaN(v) {
				known++
			}
		}
	}
	if known == 0 {
		return fmt.Errorf("figures: all %d rows are missing, so there is nothing to draw; a Table can say so: %w", len(rows), ErrInput)
	}
	return nil
}
