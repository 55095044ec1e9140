package paper

import (
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
	"github.com/peng-cde/pengcde-go/stats"
)

// Draw draws one panel by its name: "observations", "inference" (in a batch), "inference-alone", "shape", and
// "noise-20" for noise on 20 observations. Bands are 95% intervals over seeds, of the models that the observations
// drive and of DCRNN; more would cover each other, and [Oversampling.Tables] has those of all. A place of which runs
// are missing or diverged is left open. The error wraps [experiments.ErrNotStored] where there is nothing to draw, and
// [experiments.ErrInput] for another name.
func (o Oversampling) Draw(r *experiments.Report, name string) (*figures.Figure, error) {
	var names []string
	for _, p := range o.panels(r) {
		if p.name == name {
			return p.draw(r)
		}
		names = append(names, p.name)
	}
	return nil, errs.New(experiments.ErrInput, "experiments: sir has no panel %q in profile %s, %s", name, r.Profile,
		nearest.Want(name, names))
}

func (p panel) draw(r *experiments.Report) (*figures.Figure, error) {
	var lines []figures.Series
	for _, id := range p.results.Values("model") {
		if line, found := p.series(id); found {
			line.Style = styleIn(r, id)
			if id != "dcrnn" && !slices.Contains(controlled, id) {
				line.Lower, line.Upper = nil, nil
			}
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, errs.New(experiments.ErrNotStored, "experiments: %s: no model has all seeds at any place", p.axes.Title)
	}
	return figures.Lines(p.axes, lines...)
}

// series is the mean of a model over seeds, with its interval; not found where no place has all seeds. The interval of an
// accuracy ends at 0 and 1.
func (p panel) series(model string) (line figures.Series, found bool) {
	row := p.results.Where("model", model)
	line = figures.Series{Name: row[0].Model.Name, Points: true, Band: "95% interval over seeds"}
	intervals := false
	for _, value := range row.Values(p.key) {
		at := row.Where(p.key, value)
		mean, half := math.NaN(), math.NaN()
		if at.Gap() == "" {
			mean, half = stats.MeanCI(at.Scores(p.score))
		}
		if math.IsInf(half, 0) {
			half = math.NaN()
		}
		found, intervals = found || !math.IsNaN(mean), intervals || !math.IsNaN(half)
		lower, upper := mean-half, mean+half
		if p.score == accuracy {
			lower, upper = math.Max(lower, 0), math.Min(upper, 1)
		}
		line.X, line.Y = append(line.X, at[0].Spec.(sirRun).value(p.key)), append(line.Y, mean)
		line.Lower, line.Upper = append(line.Lower, lower), append(line.Upper, upper)
	}
	if !intervals {
		line.Lower, line.Upper = nil, nil
	}
	return line, found
}
