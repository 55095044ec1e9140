package worlds

import (
	"context"

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

// page returns critical-difference diagrams, the study's figures, and the stored runs of the published protocol.
func (w Worlds) page(r *experiments.Report) (*experiments.Page, error) {
	drawn := w.ranks(r)
	if w.drawn != nil {
		w.drawn(r, &drawn)
	} else {
		w.drawWorlds(r, &drawn)
	}
	page := &experiments.Page{Figures: drawn.All}
	var err error
	if page.Verdict, page.Matrix, page.Numbers, err = w.Verdict(r); err != nil {
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
	return page, drawn.Err
}
