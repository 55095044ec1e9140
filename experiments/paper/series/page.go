package series

import (
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
)

// pageForecasts returns critical-difference diagrams and, for each series, forecasts of several nodes and the
// differences from the best simple forecast.
func pageForecasts(r *experiments.Report) (*experiments.Page, error) {
	all, err := comparisons(r)
	if err != nil {
		return nil, err
	}
	drawn := forecastRanks(r, all)
	for _, f := range forecastings(r) {
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
			drawn.Add(name+"-forecasts", figure, err)
		}
		for _, split := range []Split{RollingOrigin, PurgedRotation} {
			figure, err := f.Differences(r, split)
			drawn.Add(name+"-"+string(split), figure, err)
		}
	}
	page := &experiments.Page{Figures: drawn.All, Pictures: min(1, len(drawn.All)), Overviews: len(overviews(all))}
	if page.Verdict, page.Matrix, page.Numbers, err = verdict(all); err != nil {
		return nil, err
	}
	return page, drawn.Err
}
