package figures

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peng-cde/pengcde-go/internal/clone"
)

// ForecastPanel is one small plot: observed values and the forecasts of one or more models.
type ForecastPanel struct {
	Title     string
	Days      []float64 // increasing
	Truth     []float64 // [days]; NaN is a day without a value
	Forecasts []Series  // same names and order in every panel; make them with Spread
}

// Forecasts draws small multiples with a shared key; axes.Spans shades the days of training, validation and test. Bands
// are drawn as in [Lines].
func Forecasts(axes Axes, panels []ForecastPanel) (*Figure, error) {
	axes, panels = clone.Of(axes), clone.Of(panels)
	if len(panels) == 0 {
		return nil, invalid("figures: Forecasts got no panels, wanted one or more")
	}
	for i := range panels {
		if err := panels[i].check(axes, panels[0].Forecasts); err != nil {
			return nil, fmt.Errorf("figures: panel %d (%q): %w", i, panels[i].Title, err)
		}
	}
	for i := range panels {
		panels[i].Forecasts = styled(panels[i].Forecasts)
	}
	columns := min(len(panels), 3)
	if len(panels) == 4 {
		columns = 2
	}
	rows := (len(panels) + columns - 1) / columns
	height := 70 + 150*float64(rows)
	if len(panels) == 1 {
		height = 270
	}
	height += axes.keyHeight(forecastKey(panels))
	alt := describeForecasts(axes, panels)
	return axes.figure(height, alt, func(c draw.Canvas) { drawForecasts(c, axes, panels, rows, columns) })
}

// The observed values are a thin line with small dots.
var observedLine, observedDot = line(1, ink), circle(ink, 1.3)

// forecastKey returns the key, with the observed values first.
func forecastKey(panels []ForecastPanel) []entry {
	observed := []plot.Thumbnailer{&plotter.Line{LineStyle: observedLine}, &plotter.Scatter{GlyphStyle: observedDot}}
	return append([]entry{{"observed", observed}}, seriesKey(panels[0].Forecasts)...)
}

func drawForecasts(c draw.Canvas, axes Axes, panels []ForecastPanel, rows, columns int) {
	area := c
	if axes.Y != "" {
		area.Min.X += labelText.Font.Size + gap
	}
	width, height := area.Size().X/vg.Length(columns), area.Size().Y/vg.Length(rows)
	drawn := make([]*panel, len(panels))
	for i, p := range panels {
		x, y := ranges(axes, 0.06, p.series())
		f := newPanel(axes, x, y, int(width/62), int(height/36))
		f.title, f.Y.Label.Text = p.Title, ""
		if i+columns < len(panels) {
			f.X.Label.Text = ""
		}
		f.Add(seriesPlotters(p.Forecasts, y)...)
		f.Add(stroke(observedLine, p.Days, p.Truth)...)
		if len(p.Days) <= int(width/3.5) {
			f.Add(only{&plotter.Scatter{XYs: known(p.Days, p.Truth), GlyphStyle: observedDot}})
		}
		drawn[i] = f
	}
	area = drawPanels(area, drawn, columns, forecastKey(panels))
	writeUp(area, labelText, c.Min.X+labelText.Font.Size/2, area.Center().Y, axes.Y)
}

// series returns the truth and the forecasts.
func (p ForecastPanel) series() []Series {
	return append([]Series{{Name: "Truth", X: p.Days, Y: p.Truth}}, p.Forecasts...)
}

// check fills in the days and returns an error for a panel that cannot be drawn.
func (p *ForecastPanel) check(axes Axes, like []Series) error {
	if len(p.Forecasts) != len(like) {
		return invalid("%d forecasts, the first panel has %d: one key serves all panels, so give each the same models",
			len(p.Forecasts), len(like))
	}
	all := p.series()
	for i := range all {
		s := &all[i]
		if i > 0 && s.Name != like[i-1].Name {
			return invalid("forecast %d is %q, the first panel has %q there: use the same order", i-1, s.Name, like[i-1].Name)
		}
		if s.X == nil && len(s.Y) == len(all[0].X) {
			s.X = all[0].X
		}
		if err := s.check(axes); err != nil {
			return err
		}
	}
	p.Days, p.Forecasts = all[0].X, all[1:]
	return nil
}
