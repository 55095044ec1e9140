package worlds

import (
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

// drawWorlds draws the errors over time and the weights of the maps for one family of graphs.
func (w Worlds) drawWorlds(r *experiments.Report, drawn *catalogue.Drawn) {
	const family = "community"
	pictured := w.pictured(r)
	for _, dynamics := range r.Results.Values("dynamics") {
		figure, err := w.LossOverTime(pictured, dynamics, family)
		drawn.Add(w.Name+"-"+dynamics+"-over-time", figure, err)
	}
	for _, dynamics := range r.Results.Values("dynamics") {
		figure, err := w.WeightsMap(pictured, dynamics, family, "peng")
		drawn.Add(w.Name+"-"+dynamics+"-weights", figure, err)
	}
}

// noFurtherFigures is for studies with so many rows that lines over time cannot be told apart.
func noFurtherFigures(*experiments.Report, *catalogue.Drawn) {}

// page returns the figures that open it, critical-difference diagrams and further figures.
func (w Worlds) page(r *experiments.Report) (*experiments.Page, error) {
	var drawn catalogue.Drawn
	w.opening(r, &drawn)
	pictures := len(drawn.All)
	w.ranks(r, &drawn)
	w.drawn(r, &drawn)
	page := &experiments.Page{Figures: drawn.All, Pictures: pictures}
	if r.Profile == experiments.Full { // what the paper prints is of this size
		page.Overviews = len(w.seen(r.Results))
	}
	var err error
	if page.Verdict, page.Matrix, page.Numbers, err = w.Verdict(r); err != nil {
		return nil, err
	}
	return page, drawn.Err
}
