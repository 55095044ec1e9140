package paper

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/notebook"
)

// classNames are those of [synthetic.SIRClasses].
var classNames = []string{"dies out: beta 0.25, gamma 0.7", "spreads: beta 0.3, gamma 0.3"}

// outbreak is an epidemic in each class: the infected part of each node [class][T][nodes] at times [T].
type outbreak struct {
	times    []float64
	infected [][][]float64
}

// outbreaks simulates an epidemic of each class that differ in their rates alone: start, graph, changes and times are
// the same.
func outbreaks(ctx context.Context, observations int, seed uint64) (p outbreak, err error) {
	for _, task := range synthetic.SIRClasses() {
		set, err := synthetic.Generate(ctx, synthetic.Config{Family: graphs.Grid{}, Task: task, Nodes: sirSide * sirSide,
			Graphs: 1, Observations: observations, Horizon: 1, Seed: seed})
		if err != nil {
			return p, err
		}
		t := set.Trajectories[0]
		p.times = t.Times
		var rows [][]float64
		for _, states := range t.Values {
			var row []float64
			for u := 1; u < len(states); u += 3 {
				row = append(row, states[u])
			}
			rows = append(rows, row)
		}
		p.infected = append(p.infected, rows)
	}
	return p, nil
}

// OutbreakMaps shows the infected part of the nodes of the grid over time, of both classes side by side. They begin
// alike, on the same graph with the same changes. Its errors are those of [synthetic.Generate].
func OutbreakMaps(ctx context.Context, seed uint64) (*notebook.Slider, error) {
	const shown = 24
	p, err := outbreaks(ctx, shown, seed)
	if err != nil {
		return nil, err
	}
	var panels [][]figures.ImagePanel
	for k := range p.times {
		var row []figures.ImagePanel
		for c, name := range classNames {
			row = append(row, figures.ImagePanel{Title: name, Values: pixels(p.infected[c][k], sirSide)})
		}
		panels = append(panels, row)
	}
	limits := figures.LimitsOf(panels...)
	var frames []notebook.Frame
	for k, t := range p.times {
		axes := figures.Axes{Title: "Infected part of each node, from the same start", Colour: "infected part"}
		figure, err := figures.Images(axes, limits, panels[k])
		if err != nil {
			return nil, err
		}
		frames = append(frames, notebook.Frame{Name: fmt.Sprintf("t = %.2f", t), Figure: figure})
	}
	return notebook.NewSlider(frames...)
}

// OutbreakCurves draws the mean infected part of all nodes over time, of both classes, from the same start.
func OutbreakCurves(ctx context.Context, seed uint64) (*figures.Figure, error) {
	const shown = 200
	p, err := outbreaks(ctx, shown, seed)
	if err != nil {
		return nil, err
	}
	var lines []figures.Series
	for c, name := range classNames {
		line := figures.Series{Name: name, X: p.times}
		for _, row := range p.infected[c] {
			line.Y = append(line.Y, stat.Mean(row, nil))
		}
		lines = append(lines, line)
	}
	axes := figures.Axes{Title: "Infected part, from the same start", X: "time", Y: "mean infected part of a node"}
	return figures.Lines(axes, lines...)
}
