package paper

import (
	"errors"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// pageFigures collects those that what is stored allows.
type pageFigures struct {
	all []experiments.PageFigure
	err error
}

func (p *pageFigures) add(name string, f *figures.Figure, err error) {
	switch {
	case p.err != nil || errors.Is(err, experiments.ErrNotStored):
	case err != nil:
		p.err = err
	default:
		p.all = append(p.all, experiments.PageFigure{Name: name, Figure: f})
	}
}

// page has a table of all splits, forecasts of some nodes, and the differences from the best simple forecast.
func (f *Forecasting) page(r *experiments.Report) (*experiments.Page, error) {
	var comparisons []comparison
	for _, split := range allSplits {
		if len(r.Results.Where("split", string(split))) == 0 {
			continue
		}
		c, err := f.comparison(r, split)
		if err != nil {
			return nil, err
		}
		comparisons = append(comparisons, c)
	}
	series, err := f.series()
	if err != nil {
		return nil, err
	}
	var drawn pageFigures
	if len(series.Scales) > 0 {
		nodes, err := EnglandBusiest(series, 6)
		if err != nil {
			return nil, err
		}
		figure, err := f.Forecasts(r, nodes, "residual", "ridge")
		drawn.add(f.Name+"-forecasts", figure, err)
	}
	for _, split := range []Split{RollingOrigin, PurgedRotation} {
		figure, err := f.Differences(r, split)
		drawn.add(f.Name+"-"+string(split), figure, err)
	}
	page := &experiments.Page{Summary: f.summary(r, comparisons), Figures: drawn.all}
	page.Verdict, page.Details = verdict(comparisons)
	return page, drawn.err
}

// summary shows the test errors of all models with all splits.
func (f *Forecasting) summary(r *experiments.Report, comparisons []comparison) *figures.Table {
	t := &figures.Table{Title: f.Name + ": test errors with each split",
		Columns: []figures.Column{{Title: "model"}}}
	for _, c := range comparisons {
		t.Columns = append(t.Columns, figures.Column{Title: string(c.split), Better: figures.Lower, Decimals: 3})
	}
	for _, id := range r.Models() {
		cells := []figures.Cell{figures.Text(r.Results.Where("model", id)[0].Model.Name)}
		for _, c := range comparisons {
			cell := figures.Missing()
			for _, row := range c.rows {
				switch {
				case row.ID != id:
				case row.errors == nil:
					cell = figures.Text(row.Gap())
				default:
					cell = c.over.Cell(row.errors)
				}
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// page has the errors over time of one family of graphs, and the weights of the maps.
func (w Worlds) page(r *experiments.Report) (*experiments.Page, error) {
	var drawn pageFigures
	const family = "community"
	for _, dynamics := range r.Results.Values("dynamics") {
		figure, err := w.LossOverTime(r, dynamics, family)
		drawn.add(w.Name+"-"+dynamics+"-over-time", figure, err)
	}
	for _, dynamics := range r.Results.Values("dynamics") {
		figure, err := w.WeightsMap(r, dynamics, family, "peng")
		drawn.add(w.Name+"-"+dynamics+"-weights", figure, err)
	}
	page := &experiments.Page{Figures: drawn.all}
	page.Verdict, page.Details = w.verdict(r)
	return page, drawn.err
}
