package paper

import (
	"context"
	"errors"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// pageFigures collects the figures that stored runs allow.
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

// items are what was drawn, for a notebook or a shell.
func (p *pageFigures) items() (items []figures.Item) {
	for _, f := range p.all {
		items = append(items, f.Figure)
	}
	return items
}

// pageForecasts has critical-difference diagrams, and for each series forecasts of some nodes and the differences from
// the best simple forecast.
func pageForecasts(r *experiments.Report) (*experiments.Page, error) {
	all, err := comparisons(r)
	if err != nil {
		return nil, err
	}
	drawn := forecastRanks(r, all)
	for _, f := range places(r) {
		name := strings.ReplaceAll(f.title(), ", ", "-")
		series, err := f.series()
		if err != nil {
			return nil, err
		}
		if len(series.Scales) > 0 {
			nodes, err := Busiest(series, min(6, series.Nodes()))
			if err != nil {
				return nil, err
			}
			figure, err := f.Forecasts(r, nodes, "peng-linear", "ridge")
			drawn.add(name+"-forecasts", figure, err)
		}
		for _, split := range []Split{RollingOrigin, PurgedRotation} {
			figure, err := f.Differences(r, split)
			drawn.add(name+"-"+string(split), figure, err)
		}
	}
	page := &experiments.Page{Figures: drawn.all, Overviews: len(overviews(all))}
	if page.Verdict, page.Matrix, page.Details, err = verdict(all); err != nil {
		return nil, err
	}
	return page, drawn.err
}

// drawWorlds has of one family of graphs the errors over time and the weights of the maps.
func (w Worlds) drawWorlds(r *experiments.Report, drawn *pageFigures) {
	const family = "community"
	pictured := w.pictured(r)
	for _, dynamics := range r.Results.Values("dynamics") {
		figure, err := w.LossOverTime(pictured, dynamics, family)
		drawn.add(w.Name+"-"+dynamics+"-over-time", figure, err)
	}
	for _, dynamics := range r.Results.Values("dynamics") {
		figure, err := w.WeightsMap(pictured, dynamics, family, "peng")
		drawn.add(w.Name+"-"+dynamics+"-weights", figure, err)
	}
}

// page has critical-difference diagrams, the study's figures, and the stored runs of the published protocol.
func (w Worlds) page(r *experiments.Report) (*experiments.Page, error) {
	drawn := w.ranks(r)
	if w.drawn != nil {
		w.drawn(r, &drawn)
	} else {
		w.drawWorlds(r, &drawn)
	}
	page := &experiments.Page{Figures: drawn.all}
	var err error
	if page.Verdict, page.Matrix, page.Details, err = w.Verdict(r); err != nil {
		return nil, err
	}
	if r.Profile != experiments.Full {
		full, err := r.Study.Stored(context.Background(), experiments.Options{Profile: experiments.Full})
		if err != nil {
			return nil, err
		}
		if table := w.stored(full); table != nil {
			page.More = append(page.More, table)
		}
	}
	return page, drawn.err
}
