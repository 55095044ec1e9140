package figures

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LossRun is what one seed's training reported after each epoch; epochs count from 1. NaN is an epoch without a
// value, for example of a run that broke down.
type LossRun struct {
	Name       string    // such as "seed 3", for messages
	Train      []float64 // [epochs]; may be nil
	Validation []float64 // [epochs]
	Best       int       // epoch whose parameters were kept; 0 takes the lowest validation loss
}

// LossCurves draws train and validation loss of several seeds on a logarithmic scale, a thin line for each, with a
// marker at the epoch whose parameters were kept.
func LossCurves(axes Axes, runs ...LossRun) (*Figure, error) {
	if len(runs) == 0 {
		return nil, invalid("figures: LossCurves got no runs, wanted one for each seed")
	}
	axes.LogX, axes.LogY = false, true
	axes.X, axes.Y = cmp.Or(axes.X, "epoch"), cmp.Or(axes.Y, "loss")
	each := fmt.Sprintf(" (%d seeds)", len(runs))
	width := vg.Length(1)
	switch {
	case len(runs) == 1:
		each = ""
	case len(runs) > 5:
		width = 0.7
	}
	var all [][]float64
	var train, validation []plot.Plotter
	hollow := draw.GlyphStyle{Color: validationColour, Radius: 2.8, Shape: ring{fill: white}}
	kept := &plotter.Scatter{GlyphStyle: hollow}
	longest := 2
	for i, r := range runs {
		best, err := r.check(i)
		if err != nil {
			return nil, err
		}
		longest = max(longest, len(r.Validation), len(r.Train))
		all = append(all, r.Train, r.Validation)
		train = append(train, stroke(line(width, withAlpha(trainColour, 0.75)), count(len(r.Train), 1), r.Train)...)
		evaluated := known(count(len(r.Validation), 1), r.Validation) // epochs with a validation loss, which the line joins
		style := line(width, withAlpha(validationColour, 0.75))       // many thin lines stay distinct where they cross
		validation = append(validation, only{&plotter.Line{XYs: evaluated, LineStyle: style}})
		kept.XYs = append(kept.XYs, plotter.XY{X: float64(best), Y: r.Validation[best-1]})
	}
	entries := []entry{
		{"train" + each, []plot.Thumbnailer{&plotter.Line{LineStyle: line(1.1, trainColour)}}},
		{"validation" + each, []plot.Thumbnailer{&plotter.Line{LineStyle: line(1.1, validationColour)}}},
		{"epoch kept", []plot.Thumbnailer{kept}},
	}
	if len(train) == 0 {
		entries = entries[1:]
	}
	y, _ := fit(true, 0.04, all...)
	x := scale{min: 1, max: float64(longest)}
	data := append(append(train, validation...), only{kept})
	return axes.figure(260, func(c draw.Canvas) { drawPanel(c, axes, x, y, entries, data) })
}

var trainColour, validationColour = seriesColours[0], seriesColours[1]

// check returns the epoch to mark.
func (r LossRun) check(i int) (best int, err error) {
	name := cmp.Or(r.Name, fmt.Sprintf("run %d", i))
	if len(r.Validation) == 0 {
		return 0, invalid("figures: %s has no validation loss, wanted one value an epoch", name)
	}
	for k, losses := range [][]float64{r.Train, r.Validation} {
		for e, v := range losses {
			if v > mostFinite || v <= 0 {
				return 0, invalid("figures: %s: %s loss of epoch %d is %g, wanted finite values above 0 (the scale is "+
					"logarithmic; NaN is an epoch without one)", name, []string{"train", "validation"}[k], e+1, v)
			}
		}
	}
	lowest := math.Inf(1)
	for e, v := range r.Validation {
		if v < lowest {
			lowest, best = v, e+1
		}
	}
	switch {
	case best == 0:
		return 0, invalid("figures: %s: all %d validation losses are NaN: leave the run out and report it as failed",
			name, len(r.Validation))
	case r.Best == 0:
		return best, nil
	case r.Best < 0 || r.Best > len(r.Validation) || math.IsNaN(r.Validation[r.Best-1]):
		return 0, invalid("figures: %s: Best is epoch %d, wanted one of 1 to %d that has a validation loss, or 0",
			name, r.Best, len(r.Validation))
	}
	return r.Best, nil
}
