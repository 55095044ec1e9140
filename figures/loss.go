package figures

import (
	"fmt"
	"math"

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
		return nil, fmt.Errorf("figures: LossCurves got no runs, wanted one for each seed: %w", ErrInput)
	}
	axes.LogX, axes.LogY = false, true
	if axes.X == "" {
		axes.X = "epoch"
	}
	if axes.Y == "" {
		axes.Y = "loss"
	}
	best := make([]int, len(runs))
	longest, withTrain := 1, false
	for i, r := range runs {
		var err error
		if best[i], err = r.check(i); err != nil {
			return nil, err
		}
		longest = max(longest, len(r.Validation), len(r.Train))
		withTrain = withTrain || len(r.Train) > 0
	}
	return axes.figure(260, func(c draw.Canvas) {
		var all [][]float64
		for _, r := range runs {
			all = append(all, r.Train, r.Validation)
		}
		y, _ := fit(true, 0.04, all...)
		x := scale{min: 1, max: math.Max(2, float64(longest))}
		drawPanel(c, axes, lossKey(len(runs), withTrain), x, y, func(f *frame) { drawRuns(f, runs, best) })
	})
}

var trainColour, validationColour = seriesColours[0], seriesColours[1]

// lossAlpha keeps many thin lines apart where they cross.
const lossAlpha = 0.75

func lossKey(seeds int, withTrain bool) []entry {
	each := fmt.Sprintf(" (%d seeds)", seeds)
	if seeds == 1 {
		each = ""
	}
	entries := []entry{
		{name: "train" + each, line: line(1.1, trainColour)},
		{name: "validation" + each, line: line(1.1, validationColour)},
		{name: "epoch kept", glyph: hollow{}, radius: 3, colour: validationColour},
	}
	if !withTrain {
		return entries[1:]
	}
	return entries
}

func drawRuns(f *frame, runs []LossRun, best []int) {
	width := line(1, nil).Width
	if len(runs) > 5 {
		width = 0.7
	}
	for _, r := range runs {
		f.stroke(line(width, withAlpha(trainColour, lossAlpha)), count(len(r.Train), 1), r.Train)
	}
	for _, r := range runs {
		x, y := evaluated(r.Validation)
		f.stroke(line(width, withAlpha(validationColour, lossAlpha)), x, y)
	}
	for i, r := range runs {
		at := f.point(float64(best[i]), r.Validation[best[i]-1])
		f.DrawGlyphNoClip(draw.GlyphStyle{Color: validationColour, Radius: 2.8, Shape: hollow{}}, at)
	}
}

// evaluated are the epochs with a validation loss; the line joins them.
func evaluated(losses []float64) (epochs, values []float64) {
	for i, v := range losses {
		if !math.IsNaN(v) {
			epochs, values = append(epochs, float64(i+1)), append(values, v)
		}
	}
	return epochs, values
}

// check returns the epoch to mark.
func (r LossRun) check(i int) (best int, err error) {
	name := r.Name
	if name == "" {
		name = fmt.Sprintf("run %d", i)
	}
	if len(r.Validation) == 0 {
		return 0, fmt.Errorf("figures: %s has no validation loss, wanted one value an epoch: %w", name, ErrInput)
	}
	for _, group := range []struct {
		name   string
		values []float64
	}{{"train", r.Train}, {"validation", r.Validation}} {
		for e, v := range group.values {
			if v > mostFinite || v <= 0 {
				return 0, fmt.Errorf("figures: %s: %s loss of epoch %d is %g, wanted finite values above 0 (the scale is logarithmic; NaN is an epoch without one): %w",
					name, group.name, e+1, v, ErrInput)
			}
		}
	}
	lowest := math.Inf(1)
	for e, v := range r.Validation {
		if v < lowest {
			lowest, best = v, e+1
		}
	}
	if best == 0 {
		return 0, fmt.Errorf("figures: %s: all %d validation losses are NaN: leave the run out and report it as failed: %w", name, len(r.Validation), ErrInput)
	}
	if r.Best == 0 {
		return best, nil
	}
	if r.Best < 0 || r.Best > len(r.Validation) || math.IsNaN(r.Validation[r.Best-1]) {
		return 0, fmt.Errorf("figures: %s: Best is epoch %d, wanted one of 1 to %d that has a validation loss, or 0: %w", name, r.Best, len(r.Validation), ErrInput)
	}
	return r.Best, nil
}
