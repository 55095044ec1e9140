package experiments

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/notebook"
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
// the highest. Times differ between graphs, but the events of a seed have the same places among them: what is drawn at the mean
// of the k-th times are the errors there. Events of the first seed and the end of the training times are marked. Models without
// runs are left out; none means all.
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
		spread.Name, spread.Band = runs[0].Model.Name, "" // which would count graphs as seeds
		lines = append(lines, spread)
		if len(lines) == 1 {
			axes.Marks = marks(runs[0], tests)
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

// marks are the events of the first run, and the last time of training of all.
func marks(first WorldRun, tests []WorldTest) []figures.Mark {
	var all []figures.Mark
	for _, at := range meanOf(first.Tests, func(t WorldTest) []float64 { return t.Events }) {
		all = append(all, figures.Mark{Name: fmt.Sprintf("changes (seed %d)", first.Seed), X: at})
	}
	last := meanOf(tests, func(t WorldTest) []float64 { return []float64{t.Trained} })[0]
	return append(all, figures.Mark{Name: "end of training", X: last, Bold: true})
}

// States shows the nodes of the first test graph as pixels, over time: truth, forecast and difference.
func (r *WorldResults) States(dynamics, family, model string) (*notebook.Slider, error) {
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
	var frames []notebook.Frame
	for i, p := range run.Pictures {
		title := fmt.Sprintf("%s on a %s graph that was not trained on: %s", dynamics, family, run.Model.Name)
		figure, err := figures.Images(figures.Axes{Title: title}, limits, panels[i])
		if err != nil {
			return nil, err
		}
		frames = append(frames, notebook.Frame{Name: fmt.Sprintf("t = %.2f", p.Time), Figure: figure})
	}
	return notebook.NewSlider(frames...)
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

// WorldGraphs draws one graph of each family, before and after all its changes; directions and self-loops come with them.
func WorldGraphs(ctx context.Context, nodes int) (*figures.Figure, error) {
	var before, after []figures.HeatPanel
	for _, family := range families() {
		set, err := synthetic.Generate(ctx, synthetic.Config{Family: family, Task: synthetic.Heat, Nodes: nodes, Graphs: 1, Seed: trainingSeed})
		if err != nil {
			return nil, err
		}
		t := set.Trajectories[0]
		panel := func(title string, weights []float64) figures.HeatPanel {
			p := figures.HeatPanel{Title: title, N: t.Pattern.Nodes}
			for e, w := range weights {
				if w != 0 {
					p.From, p.To = append(p.From, int(t.Pattern.From[e])), append(p.To, int(t.Pattern.To[e]))
				}
			}
			return p
		}
		before = append(before, panel(family.Name(), t.Snapshots[0]))
		after = append(after, panel(fmt.Sprintf("after %d events", len(t.Events)), t.Snapshots[len(t.Events)]))
	}
	axes := figures.Axes{Title: fmt.Sprintf("Graphs of about %d nodes, before and after their changes", nodes), Colour: "edge"}
	return figures.Adjacency(axes, append(before, after...))
}
