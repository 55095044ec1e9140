package paper

import (
	"errors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/notebook"
)

// Series is what is forecast, loaded once.
func (f *Forecasting) Series() (*dyngraph.Series, error) { return f.series() }

// SplitItems are the table of a split, and those of its figures that what is stored allows.
func (f *Forecasting) SplitItems(r *experiments.Report, split Split) ([]figures.Item, error) {
	table, err := f.Table(r, split)
	if err != nil {
		return nil, err
	}
	var drawn pageFigures
	draw := func(figure *figures.Figure, err error) { drawn.add("", figure, err) }
	if split == Random {
		draw(f.Dots(r))
		draw(f.Losses(r, "peng", split))
	} else {
		draw(f.WindowErrors(r, split))
		draw(f.Differences(r, split))
	}
	return append([]figures.Item{table}, drawn.items()...), drawn.err
}

// AllItems are the test errors of all models by country, a table for each split, the critical-difference diagrams, and of
// one split, a country at a time, the differences from the best simple forecast; figures where what is stored allows.
func (c *Countries) AllItems(r *experiments.Report, split Split) (items []figures.Item, err error) {
	all, err := comparisons(r)
	if err != nil {
		return nil, err
	}
	for _, table := range overviews(all) {
		items = append(items, table)
	}
	ranks := forecastRanks(r, all)
	if ranks.err != nil {
		return nil, ranks.err
	}
	items = append(items, ranks.items()...)
	var frames []notebook.Frame
	for _, f := range places(r) {
		figure, err := f.Differences(r, split)
		if errors.Is(err, experiments.ErrNotStored) {
			continue
		} else if err != nil {
			return nil, err
		}
		frames = append(frames, notebook.Frame{Name: f.Country, Figure: figure})
	}
	if frames == nil {
		return items, nil
	}
	slider, err := notebook.NewSlider(frames...)
	return append(items, slider), err
}

// Verdict says in words what a report's runs show, and the figures behind it, a line each.
func (c *Countries) Verdict(r *experiments.Report) ([]string, error) {
	all, err := comparisons(r)
	if err != nil {
		return nil, err
	}
	text, details, err := verdict(all)
	if err == nil && text == "" {
		text = "No verdict: runs of PENG-CDE or of the simple forecasts are missing."
	}
	return append([]string{text}, details...), err
}
