package experiments

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// noWorldRuns says that there is nothing to draw.
func noWorldRuns(dynamics, family, model string) error {
	return fmt.Errorf("experiments: no run of %q with %s on %s graphs that did not diverge: %w", model, dynamics, family, ErrInput)
}

// finished are the runs of a model in a world that did not diverge.
func (r *WorldResults) finished(dynamics, family, model string) (runs []WorldRun) {
	all, _ := r.of(dynamics, family, model)
	for _, run := range all {
		if run.Failure == "" {
			runs = append(runs, run)
		}
	}
	return runs
}

// LossOverTime draws the test error of models over simulation time: the mean over test graphs and seeds, with the lowest and
// the highest. Times differ between graphs, events have the same place among them: what is drawn at the mean of the k-th times
// are the errors there. Models without runs are left out; none means all.
func (r *WorldResults) LossOverTime(dynamics, family string, models ...string) (*figures.Figure, error) {
	axes := figures.Axes{Title: fmt.Sprintf("Test error over time: %s, %s graphs", dynamics, family), X: "simulation time", Y: "mean squared error", LogY: true}
	_, _, all := r.worlds()
	if len(models) == 0 {
		for _, m := range all {
			models = append(models, m.ID)
		}
	}
	var lines []figures.Series
	for _, id := range models {
		var tests []WorldTest
		runs := r.finished(dynamics, family, id)
		for _, run := range runs {
			tests = append(tests, run.Tests...)
		}
		if len(tests) == 0 {
			continue
		}
		times := meanOf(tests, func(t WorldTest) []float64 { return t.Times })
		var errors [][]float64
		for _, t := range tests {
			errors = append(errors, positive(t.Errors))
		}
		spread, err := figures.Spread(runs[0].Model.Name, times, errors, figures.MinMax)
		if err != nil {
			return nil, err
		}
		lines = append(lines, spread)
		if len(lines) == 1 {
			axes.Marks = marks(tests)
		}
	}
	if len(lines) == 0 {
		return nil, noWorldRuns(dynamics, family, fmt.Sprint(models))
	}
	return figures.Lines(axes, lines...)
}

// positive leaves out errors of 0, which a logarithmic axis has no place for.
func positive(errors []float64) []float64 {
	shown := make([]float64, len(errors))
	for i, e := range errors {
		if shown[i] = e; e <= 0 {
			shown[i] = math.NaN()
		}
	}
	return shown
}

// meanOf is the mean over tests, entry by entry.
func meanOf(tests []WorldTest, of func(WorldTest) []float64) []float64 {
	mean := make([]float64, len(of(tests[0])))
	for _, t := range tests {
		for k, v := range of(t) {
			mean[k] += v / float64(len(tests))
		}
	}
	return mean
}

// marks are the events of one seed, and the last time of training.
func marks(tests []WorldTest) []figures.Mark {
	var all []figures.Mark
	for _, at := range meanOf(tests[:trainingGraphs], func(t WorldTest) []float64 { return t.Events }) {
		all = append(all, figures.Mark{Name: "the graph changes (seed 0)", X: at})
	}
	last := meanOf(tests, func(t WorldTest) []float64 { return []float64{t.Trained} })[0]
	return append(all, figures.Mark{Name: "end of training times", X: last, Bold: true})
}

// States shows the nodes of the first test graph as pixels, over time: truth, forecast and difference.
func (r *WorldResults) States(dynamics, family, model string) (*figures.Slider, error) {
	runs := r.finished(dynamics, family, model)
	if len(runs) == 0 {
		return nil, noWorldRuns(dynamics, family, model)
	}
	run := runs[0]
	side := graphs.Side(len(run.Pictures[0].Truth))
	var panels [][]figures.ImagePanel
	for _, p := range run.Pictures {
		difference := make([]float64, len(p.Truth))
		floats.SubTo(difference, p.Forecast, p.Truth)
		panels = append(panels, []figures.ImagePanel{{Title: "truth", Values: pixels(p.Truth, side)}, {Title: "forecast", Values: pixels(p.Forecast, side)},
			{Title: "forecast − truth", Values: pixels(difference, side), Diverging: true}})
	}
	limits := figures.LimitsOf(panels...)
	var frames []figures.Frame
	for i, p := range run.Pictures {
		title := fmt.Sprintf("%s on a %s graph that was not trained on: %s", dynamics, family, run.Model.Name)
		figure, err := figures.Images(figures.Axes{Title: title}, limits, panels[i])
		if err != nil {
			return nil, err
		}
		frames = append(frames, figures.Frame{Name: fmt.Sprintf("t = %.2f", p.Time), Figure: figure})
	}
	return figures.NewSlider(frames...)
}

// pixels are rows of an image; what is beyond the last node is missing.
func pixels(values []float64, side int) [][]float64 {
	rows := make([][]float64, (len(values)+side-1)/side)
	for i := range rows {
		for j := range side {
			v := math.NaN()
			if u := i*side + j; u < len(values) {
				v = values[u]
			}
			rows[i] = append(rows[i], v)
		}
	}
	return rows
}

// Weights is the table of the learnt weights of the maps by layer, for A and A', the fixed 1 of the identity included. The
// published values are beside those of the 8 published maps.
func (r *WorldResults) Weights(dynamics, family, model string) (*figures.Table, error) {
	runs := r.finished(dynamics, family, model)
	if len(runs) == 0 || len(runs[0].Fusion) == 0 {
		return nil, noWorldRuns(dynamics, family, model)
	}
	layers := runs[0].Fusion
	t := &figures.Table{
		Title:   fmt.Sprintf("Learnt weights of the maps: %s, %s graphs, %s", dynamics, family, runs[0].Model.Name),
		Columns: []figures.Column{{Title: "map"}},
		Notes: []string{fmt.Sprintf("Mean over %d seeds with its 95%% interval (Student t). Sums over nodes are divided by their number. In brackets what the paper prints for heat, without saying for which family.", len(runs)),
			"They began at random in ±1/15, the identity 1 more."},
	}
	for k := range layers {
		t.Columns = append(t.Columns, figures.Column{Title: fmt.Sprintf("layer %d, A", k+1), Decimals: 3}, figures.Column{Title: fmt.Sprintf("layer %d, A'", k+1), Decimals: 3})
	}
	for i, weight := range layers[0] {
		cells := []figures.Cell{figures.Text(weight.Map.String())}
		for k := range layers {
			for column, of := range []func(MapWeight) float64{func(w MapWeight) float64 { return w.A }, func(w MapWeight) float64 { return w.D }} {
				var values []float64
				for _, run := range runs {
					v := of(run.Fusion[k][i])
					if weight.Map == equivariant.IdentityMap {
						v++
					}
					values = append(values, v)
				}
				cell := estimate(values)
				if p, ok := publishedWeights[weight.Map]; ok && dynamics == "heat" && k < 2 {
					cell = cell.Published(p[2*k+column], math.NaN())
				}
				cells = append(cells, cell)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, nil
}
