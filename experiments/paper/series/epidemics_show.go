package series

import (
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// Series returns the series to forecast, loaded once.
func (f *Forecasting) Series() (*dyngraph.Series, error) { return f.series() }

// SplitItems returns the table of a split, and the figures of it that stored runs allow.
func (f *Forecasting) SplitItems(r *experiments.Report, split Split) ([]figures.Item, error) {
	table, err := f.Table(r, split)
	if err != nil {
		return nil, err
	}
	var drawn catalogue.Drawn
	draw := func(figure *figures.Figure, err error) { drawn.Add("", figure, err) }
	if split == Random {
		draw(f.Dots(r))
		draw(f.Losses(r, "peng", split))
	} else {
		draw(f.WindowErrors(r, split))
		draw(f.Differences(r, split))
	}
	return append([]figures.Item{table}, drawn.Items()...), drawn.Err
}

// AllItems returns the test errors of all models by country, in a table for each split; the critical-difference
// diagrams; and, for one split, the differences from the best simple forecast by country. It includes the figures
// that stored runs allow.
func (c *Countries) AllItems(r *experiments.Report, split Split) (items []figures.Item, err error) {
	all, err := comparisons(r)
	if err != nil {
		return nil, err
	}
	for _, table := range overviews(all) {
		items = append(items, table)
	}
	ranks := forecastRanks(r, all)
	if ranks.Err != nil {
		return nil, ranks.Err
	}
	items = append(items, ranks.Items()...)
	var differences catalogue.Drawn
	for _, f := range forecastings(r) {
		figure, err := f.Differences(r, split)
		differences.Add(f.Country, figure, err)
	}
	if differences.Err != nil {
		return nil, differences.Err
	}
	return append(items, slid(differences.All)...), nil
}

// slid returns figures under a slider, or one below the other if missing rows give them different sizes.
func slid(all []experiments.PageFigure) (items []figures.Item) {
	var frames []figures.Frame
	for _, f := range all {
		frames, items = append(frames, figures.Frame{Name: f.Name, Figure: f.Figure}), append(items, f.Figure)
	}
	slider, err := figures.NewSlider(frames...)
	if err != nil {
		return items
	}
	return []figures.Item{slider}
}

// Verdict returns what a report's runs show, with a matrix of models by splits and a table of the numbers behind it.
func (c *Countries) Verdict(r *experiments.Report) (text string, matrix, details *figures.Table, err error) {
	all, err := comparisons(r)
	if err != nil {
		return "", nil, nil, err
	}
	text, matrix, details, err = verdict(all)
	if err == nil && text == "" {
		text = "No verdict: runs of PENG-CDE or of the simple forecasts are missing."
	}
	return text, matrix, details, err
}
