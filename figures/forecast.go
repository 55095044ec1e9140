package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ForecastPanel is one small plot: what happened, and what one or more models said.
type ForecastPanel struct {
	Title     string
	Days      []float64 // increasing
	Truth     []float64 // [days]; NaN is a day without a value
	Forecasts []Series  // same names and order in every panel; make them with Spread
}

// Forecasts draws small multiples with a shared key; axes.Spans shades the days of training, validation and test.
func Forecasts(axes Axes, panels []ForecastPanel) (*Figure, error) {
	if len(panels) == 0 {
		return nil, fmt.Errorf("figures: Forecasts got no panels, wanted one or more: %w", ErrInput)
	}
	panels = append([]ForecastPanel(nil), panels...)
	for i := range panels {
		p := &panels[i]
		p.Forecasts = append([]Series(nil), p.Forecasts...)
		if err := p.check(axes, panels[0].Forecasts); err != nil {
			return nil, fmt.Errorf("figures: panel %d (%q): %w", i, p.Title, err)
		}
	}
	columns := columnsFor(len(panels))
	rows := (len(panels) + columns - 1) / columns
	height := 70 + 150*float64(rows)
	if len(panels) == 1 {
		height = 270
	}
	return axes.figure(height, func(c draw.Canvas) { drawForecasts(c, axes, panels, rows, columns) })
}

func columnsFor(panels int) int {
	switch {
	case panels <= 3:
		return panels
	case panels == 4:
		return 2
	}
	return 3
}

const truthWidth = 1

func drawForecasts(c draw.Canvas, axes Axes, panels []ForecastPanel, rows, columns int) {
	entries := append([]entry{{name: "observed", line: line(truthWidth, ink), glyph: draw.CircleGlyph{}, radius: 1.3, colour: ink}},
		seriesKey(panels[0].Forecasts, 0)...)
	frames := layForecasts(c, axes, panels, rows, columns, entries)
	for i := range frames {
		if !frames[i].spansFit(axes.Spans) {
			entries = append(entries, spanEntries(axes.Spans)...)
			frames = layForecasts(c, axes, panels, rows, columns, entries)
			break
		}
	}
	named := len(entries) == 1+len(panels[0].Forecasts)
	drawKey(c, frames[0].Min.X, entries)
	for i := range frames {
		f, p := &frames[i], panels[i]
		f.shade(axes.Spans)
		f.grid()
		drawSeries(f, p.Forecasts, 0)
		f.stroke(line(truthWidth, ink), p.Days, p.Truth)
		for j, v := range p.Truth {
			if !math.IsNaN(v) && len(p.Days) <= int(f.Size().X/3) {
				f.dot(f.point(p.Days[j], v), 1.3, ink)
			}
		}
		xLabel := ""
		if i+columns >= len(panels) {
			xLabel = axes.X
		}
		f.axes(xLabel, "")
		title := f.Max.Y + 4
		if named && len(axes.Spans) > 0 {
			f.nameSpans(axes.Spans)
			title += noteText.size + 3
		}
		panelText.write(&f.Canvas, f.Min.X, title, left, panelText.shorten(p.Title, f.Size().X))
	}
	first, last := frames[0], frames[len(frames)-1]
	labelText.writeUp(&c, c.Min.X+labelText.size/2, (first.Max.Y+last.Min.Y)/2, axes.Y)
}

// layForecasts places the panels so that their data align in rows and columns.
func layForecasts(c draw.Canvas, axes Axes, panels []ForecastPanel, rows, columns int, entries []entry) []frame {
	size := c.Size()
	width, height := size.X/vg.Length(columns), size.Y/vg.Length(rows)
	frames := make([]frame, len(panels))
	var shared [][]float64
	for _, p := range panels {
		shared = append(shared, p.values()...)
	}
	ticksWidth := vg.Length(0)
	for i, p := range panels {
		values := p.values()
		if axes.SharedY {
			values = shared
		}
		f := &frames[i]
		f.x, _ = fit(axes.LogX, 0, p.days()...)
		f.y, _ = fit(axes.LogY, 0.06, values...)
		f.xTicks, f.yTicks = f.x.ticks(int(width/62)), f.y.ticks(int(height/36))
		ticksWidth = max(ticksWidth, widest(f.yTicks))
	}
	outer := rimsFor(axes, nil, nil)
	outer.left += ticksWidth
	inner := tickLength + tickGap + ticksWidth + panelGap // left of every panel but the first
	above := panelText.size + gap
	if len(axes.Spans) > 0 && len(entries) == 1+len(panels[0].Forecasts) {
		above += noteText.size + 3
	}
	between := tickLength + tickGap + tickText.size + gap // ticks under every row but the last
	area := draw.Crop(c, outer.left, -gap-2, outer.bottom, -keyHeight(entries, size.X-outer.left))
	w := (area.Size().X - inner*vg.Length(columns-1)) / vg.Length(columns)
	h := (area.Size().Y-between*vg.Length(rows-1))/vg.Length(rows) - above
	for i := range frames {
		x0 := area.Min.X + vg.Length(i%columns)*(w+inner)
		y1 := area.Max.Y - above - vg.Length(i/columns)*(h+above+between)
		frames[i].Canvas = c
		frames[i].Min, frames[i].Max = vg.Point{X: x0, Y: y1 - h}, vg.Point{X: x0 + w, Y: y1}
	}
	return frames
}

func (p ForecastPanel) values() [][]float64 {
	values := [][]float64{p.Truth}
	for _, s := range p.Forecasts {
		values = append(values, s.Y, s.Lower, s.Upper)
	}
	return values
}

func (p ForecastPanel) days() [][]float64 {
	days := [][]float64{p.Days}
	for _, s := range p.Forecasts {
		days = append(days, s.X)
	}
	return days
}

func (p *ForecastPanel) check(axes Axes, like []Series) error {
	truth := Series{Name: "Truth", X: p.Days, Y: p.Truth}
	if err := truth.check(axes); err != nil {
		return err
	}
	p.Days = truth.X
	if len(p.Forecasts) != len(like) {
		return fmt.Errorf("%d forecasts, the first panel has %d: one key serves all panels, so give each the same models: %w", len(p.Forecasts), len(like), ErrInput)
	}
	for i := range p.Forecasts {
		if p.Forecasts[i].Name != like[i].Name {
			return fmt.Errorf("forecast %d is %q, the first panel has %q there: use the same order: %w", i, p.Forecasts[i].Name, like[i].Name, ErrInput)
		}
		if p.Forecasts[i].X == nil && len(p.Forecasts[i].Y) == len(p.Days) {
			p.Forecasts[i].X = p.Days
		}
		if err := p.Forecasts[i].check(axes); err != nil {
			return err
		}
	}
	return nil
}
