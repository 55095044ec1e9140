package sir

import (
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
	"github.com/peng-cde/pengcde-go/stats"
)

// discreteEnding ends the name of a panel's figure of discrete-step networks.
const discreteEnding = "-discrete"

// Draw draws the equations of a panel by its name: "observations", "inference" (in a batch), "inference-alone",
// "shape", and "noise-20" for noise on 20 observations. With the ending "-discrete" it draws the discrete-step
// networks. Both figures include the removed ratio and have the same scale. Bands are 95% intervals over seeds,
// for all models except the removed ratio and Constant: more than four would cover each other, and
// [Oversampling.Tables] has the intervals of all. A value with missing or diverged runs is left open. The error wraps
// [experiments.ErrNotStored] if there is nothing to draw, and [experiments.ErrInput] for another name.
func (o Oversampling) Draw(r *experiments.Report, name string) (*figures.Figure, error) {
	var names []string
	for _, p := range o.panels(r) {
		for _, discrete := range []bool{false, true} {
			if p.figureName(discrete) == name {
				return p.draw(r, discrete)
			}
			names = append(names, p.figureName(discrete))
		}
	}
	return nil, errs.New(experiments.ErrInput, "experiments: sir has no figure %q in profile %s, %s", name, r.Profile,
		nearest.Want(name, names))
}

func (p panel) figureName(discrete bool) string {
	if discrete {
		return p.name + discreteEnding
	}
	return p.name
}

// draw draws the equations or the discrete-step networks, and the removed ratio.
func (p panel) draw(r *experiments.Report, discrete bool) (*figures.Figure, error) {
	axes, trained := p.axes, false
	axes.Title += ": equations"
	if discrete {
		axes.Title = p.axes.Title + ": networks in discrete steps"
	}
	var lines []figures.Series
	for _, id := range p.results.Values("model") {
		line, found := p.series(id)
		if !found {
			continue
		}
		if id == catalogue.RatioID || id == "constant" {
			line.Lower, line.Upper = nil, nil
		}
		axes.Room = slices.Concat(axes.Room, line.Y, line.Lower, line.Upper)
		if id == catalogue.RatioID || isDiscrete(id) == discrete {
			line.Style = catalogue.StyleIn(r, id)
			lines, trained = append(lines, line), trained || id != catalogue.RatioID
		}
	}
	if !trained {
		return nil, errs.New(experiments.ErrNotStored, "experiments: %s: no model has all seeds at any setting", axes.Title)
	}
	if x := lines[0].X; !p.times && len(x) > 1 {
		lines = append(lines, figures.Series{Name: "a guess", X: []float64{x[0], x[len(x)-1]}, Y: []float64{guess, guess},
			Style: figures.Style{Colour: figures.Ink, Dash: figures.Dotted}})
	}
	return figures.Lines(axes, lines...)
}

// series returns the mean of a model over seeds, with its interval; found is false if no value has all seeds. The
// interval of an accuracy is clipped at 0 and 1.
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
