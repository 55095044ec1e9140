package figures

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peng-cde/pengcde-go/internal/clone"
)

// LossRun has the losses of one seed's training after each epoch; epochs count from 1. NaN is an epoch without a value,
// for example after a run diverged.
type LossRun struct {
	Name       string    // such as "seed 3", for messages
	Train      []float64 // [epochs]; may be nil
	Validation []float64 // [epochs]
	Best       int       // epoch whose parameters were kept; 0 takes the lowest validation loss
}

// LossCurves draws train and validation loss of several seeds on a logarithmic scale, a thin line for each, with a
// marker at the epoch whose parameters were kept.
func LossCurves(axes Axes, runs ...LossRun) (*Figure, error) {
	axes, runs = clone.Of(axes), clone.Of(runs)
	if len(runs) == 0 {
		return nil, invalid("figures: LossCurves got no runs, wanted one for each seed")
	}
	axes.LogX, axes.LogY = false, true
	axes.X, axes.Y = cmp.Or(axes.X, "epoch"), cmp.Or(axes.Y, "loss")
	each, width := fmt.Sprintf(" (%d seeds)", len(runs)), vg.Length(1)
	switch {
	case len(runs) == 1:
		each = ""
	case len(runs) > 5:
		width = 0.7
	}
	var all []Series
	var train, validation []plot.Plotter
	hollow := draw.GlyphStyle{Color: validationStyle.rgb(), Radius: 2.8, Shape: ring{fill: white}}
	var best []float64 // epoch of each run
	kept := &plotter.Scatter{GlyphStyle: hollow}
	for i, r := range runs {
		series, epoch, err := r.check(axes, i)
		if err != nil {
			return nil, fmt.Errorf("figures: %w", err)
		}
		all = append(all, series...)
		style := trainStyle.line(width)
		style.Color = withAlpha(trainStyle.rgb(), 0.75) // many thin lines stay distinct where they cross
		for _, s := range series[1:] {
			train = append(train, stroke(style, s.X, s.Y)...)
		}
		style = validationStyle.line(width)
		style.Color = withAlpha(validationStyle.rgb(), 0.75)
		x, y := evaluated(r.Validation)
		validation = append(validation, stroke(style, x, y)...)
		kept.XYs = append(kept.XYs, plotter.XY{X: float64(epoch), Y: r.Validation[epoch-1]})
		best = append(best, float64(epoch))
	}
	entries := []entry{
		{"train" + each, []plot.Thumbnailer{&plotter.Line{LineStyle: trainStyle.line(1.1)}}},
		{"validation" + each, []plot.Thumbnailer{&plotter.Line{LineStyle: validationStyle.line(1.1)}}},
		{"epoch kept", []plot.Thumbnailer{kept}},
	}
	if len(train) == 0 {
		entries = entries[1:]
	}
	x, y := ranges(axes, 0.04, all)
	data := append(append(train, validation...), only{kept})
	alt := describeLosses(axes, runs, best)
	return axes.figure(260, alt, func(c draw.Canvas) { drawPanel(c, axes, x, y, entries, data) })
}

var trainStyle, validationStyle = Style{Blue, Solid}, Style{Vermillion, Dashed}

// evaluated returns the epochs that have a loss, and a NaN where one is missing. Trainings are evaluated at regular
// epochs: a line joins consecutive evaluations, and has a gap at an evaluation without a value.
func evaluated(losses []float64) (epochs, values []float64) {
	var at []int // epochs with a value, from 1
	for i, v := range losses {
		if !math.IsNaN(v) {
			at = append(at, i+1)
		}
	}
	every := len(losses)
	for i := range at[1:] {
		every = min(every, at[i+1]-at[i])
	}
	for i, epoch := range at {
		if i > 0 && epoch-at[i-1] > every {
			epochs, values = append(epochs, float64(epoch)-0.5), append(values, math.NaN())
		}
		epochs, values = append(epochs, float64(epoch)), append(values, losses[epoch-1])
	}
	return epochs, values
}

// check returns the validation losses, the train losses if there are any, and the epoch to mark.
func (r LossRun) check(axes Axes, i int) (series []Series, best int, err error) {
	name := cmp.Or(r.Name, fmt.Sprintf("run %d", i))
	series = []Series{{Name: name + ", validation", X: count(len(r.Validation), 1), Y: r.Validation}}
	if len(r.Train) > 0 {
		series = append(series, Series{Name: name + ", train", X: count(len(r.Train), 1), Y: r.Train})
	}
	for i := range series {
		if err := series[i].check(axes); err != nil {
			return nil, 0, err
		}
	}
	if r.Best < 0 || r.Best > len(r.Validation) || r.Best > 0 && math.IsNaN(r.Validation[r.Best-1]) {
		return nil, 0, invalid("%s: Best is epoch %d, wanted one of 1 to %d that has a validation loss, or 0", name,
			r.Best, len(r.Validation))
	}
	lowest := floats.MinIdx(r.Validation) // of those that are no NaN
	return series, cmp.Or(r.Best, lowest+1), nil
}
