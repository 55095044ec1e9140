package figures

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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
	dot := circle(ink, 1.3)
	truth := []plot.Thumbnailer{&plotter.Line{LineStyle: line(truthWidth, ink)}, &plotter.Scatter{GlyphStyle: dot}}
	entries := append([]entry{{"observed", truth}}, seriesKey(panels[0].Forecasts)...)
	var shared [][]float64
	for _, p := range panels {
		shared = append(shared, p.values()...)
	}
	area := c
	if axes.Y != "" {
		area.Min.X += labelText.Font.Size + gap
	}
	width, height := area.Size().X/vg.Length(columns), area.Size().Y/vg.Length(rows)
	drawn := make([]*panel, len(panels))
	for i, p := range panels {
		values := p.values()
		if axes.SharedY {
			values = shared
		}
		x, _ := fit(axes.LogX, 0, p.days()...)
		y, _ := fit(axes.LogY, 0.06, values...)
		f := newPanel(axes, x, y, int(width/62), int(height/36))
		f.title, f.Y.Label.Text = p.Title, ""
		if i+columns < len(panels) {
			f.X.Label.Text = ""
		}
		f.Add(seriesPlotters(p.Forecasts)...)
		f.Add(stroke(line(truthWidth, ink), p.Days, p.Truth)...)
		if len(p.Days) <= int(width/3.5) {
			f.Add(only{&plotter.Scatter{XYs: known(p.Days, p.Truth), GlyphStyle: dot}})
		}
		drawn[i] = f
	}
	area = drawPanels(area, drawn, columns, entries)
	writeUp(area, labelText, c.Min.X+labelText.Font.Size/2, area.Center().Y, axes.Y)
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
