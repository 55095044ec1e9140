package ranking

import (
	"fmt"
	"slices"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/stats"
)

// Differences draws the NDCG of each row minus the NDCG of Persistent Forecast, in the rotation of one data set. The
// error wraps [experiments.ErrNotStored] if there is nothing to draw, and [experiments.ErrInput] for other data.
func (a *Affinity) Differences(r *experiments.Report, data string) (*figures.Figure, error) {
	turned, err := rotationOn(r, data)
	if err != nil {
		return nil, err
	}
	differences, err := turned.differences()
	if err != nil {
		return nil, err
	}
	var rows []figures.DotRow
	for _, id := range turned.results.Values("model") {
		if id == catalogue.PersistentID || id == "zero" {
			continue
		}
		row := figures.DotRow{Name: turned.results.Where("model", id)[0].Model.Name, Style: catalogue.StyleIn(r, id)}
		if d := differences[id]; d.Outcome != stats.NotTested {
			row.Value = figures.Estimate(d.Difference, d.Half)
		}
		rows = append(rows, row)
	}
	if len(differences) == 0 {
		return nil, errs.New(experiments.ErrNotStored, "experiments: node-affinity on %s: no row has all runs of the "+
			"rotation", data)
	}
	return figures.Dots(figures.Axes{Title: fmt.Sprintf("NDCG@10 minus Persistent Forecast's, %s, profile %s", data,
		r.Profile), X: "difference, above 0 is better", Better: figures.Higher}, rows...)
}

// Times draws the NDCG of the tested label times, with the same errors as [Affinity.Differences].
func (a *Affinity) Times(r *experiments.Report, data string) (*figures.Figure, error) {
	turned, err := rotationOn(r, data)
	if err != nil {
		return nil, err
	}
	var lines []figures.Series
	for _, id := range turned.results.Values("model") {
		scores := turned.byTime(id)
		if scores == nil || !slices.Contains([]string{catalogue.PersistentID, "moving-average", "log-linear", "gated-state",
			"peng", catalogue.ResidualID, gatedResidualID}, id) {
			continue
		}
		some := turned.results.Where("model", id)
		line := figures.Series{Name: some[0].Model.Name, Y: scores, Points: true, Style: catalogue.StyleIn(r, id)}
		for fold := range scores {
			i := slices.IndexFunc(some, func(run experiments.Result) bool { return run.Fold == fold+1 })
			line.X = append(line.X, some[i].Spec.(affinityRun).data.day(some[i].Facts().Arrays[testTimes][0][0]))
		}
		lines = append(lines, line)
	}
	if lines == nil {
		return nil, errs.New(experiments.ErrNotStored, "experiments: node-affinity on %s: no row has all runs of the "+
			"rotation", data)
	}
	return figures.Lines(figures.Axes{Title: fmt.Sprintf("NDCG@10 by tested label time, %s, profile %s", data, r.Profile),
		X: "label time", Y: "NDCG@10", Better: figures.Higher, Start: epoch}, lines...)
}

// epoch is the origin of label times in figures.
var epoch = time.Unix(0, 0).UTC()

// day returns a label time in days since 1970.
func (d *affinityData) day(labelTime float64) float64 {
	if d.yearly {
		return dayOfYear(labelTime)
	}
	return labelTime / (24 * 60 * 60)
}

// dayOfYear returns the first day of a year.
func dayOfYear(year float64) float64 {
	return time.Date(int(year), time.January, 1, 0, 0, 0, 0, time.UTC).Sub(epoch).Hours() / 24
}

// drawAll draws every figure that has data.
func (a *Affinity) drawAll(r *experiments.Report) *catalogue.Drawn {
	drawn := &catalogue.Drawn{}
	for _, data := range r.Results.Values("data") {
		figure, err := a.Differences(r, data)
		drawn.Add("affinity-"+data+"-differences", figure, err)
		figure, err = a.Times(r, data)
		drawn.Add("affinity-"+data+"-times", figure, err)
		figure, err = a.Countries(r, data, catalogue.ResidualID)
		drawn.Add("affinity-"+data+"-nodes-"+catalogue.ResidualID, figure, err)
	}
	return drawn
}
