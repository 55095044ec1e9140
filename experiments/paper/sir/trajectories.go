package sir

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// epidemicPair is one epidemic of each class: the infected part of each node [class][T][nodes] at times [T].
type epidemicPair struct {
	classes  []string
	times    []float64
	infected [][][]float64
}

// simulatePair simulates one epidemic of each class. They differ only in their rates: start, graph, changes and times
// are the same.
func simulatePair(ctx context.Context, observations int, horizon float64, seed uint64) (p epidemicPair, err error) {
	for i, task := range synthetic.SIRClasses() {
		set, err := synthetic.Generate(ctx, synthetic.Config{Family: graphs.Grid{}, Task: task, Nodes: sirSide * sirSide,
			Graphs: 1, Observations: observations, Horizon: horizon, Seed: seed})
		if err != nil {
			return p, err
		}
		rates := task.Dynamics.Parameters
		p.classes = append(p.classes, fmt.Sprintf("%s: beta %g, gamma %g", []string{"dies out", "spreads"}[i], rates[0],
			rates[1]))
		t := set.Trajectories[0]
		p.times = t.Times
		var rows [][]float64
		for _, states := range t.Values {
			var row []float64
			for node := range slices.Chunk(states, task.Dynamics.States()) {
				row = append(row, node[1]) // of S, I and R
			}
			rows = append(rows, row)
		}
		p.infected = append(p.infected, rows)
	}
	return p, nil
}

// EpidemicMaps shows the infected part of the nodes of the grid over time, for both classes next to each other. Both
// begin alike, on the same graph with the same changes. It returns the errors of [synthetic.Generate].
func EpidemicMaps(ctx context.Context, seed uint64) (*figures.Slider, error) {
	const shown = 24
	p, err := simulatePair(ctx, shown, 1, seed)
	if err != nil {
		return nil, err
	}
	var names []string
	var panels [][]figures.ImagePanel
	for k, t := range p.times {
		names = append(names, fmt.Sprintf("t = %.2f", t))
		var row []figures.ImagePanel
		for c, name := range p.classes {
			row = append(row, figures.ImagePanel{Title: name, Values: catalogue.Pixels(p.infected[c][k], sirSide)})
		}
		panels = append(panels, row)
	}
	axes := figures.Axes{Title: "Infected part of each node, from the same start", Colour: "infected part"}
	return figures.ImageSlider(axes, names, panels)
}

// EpidemicCurves draws the mean infected part of all nodes over time, for both classes, from the same start up to a
// horizon. Models see the curves up to time 1, which is marked; by time 10 one epidemic has died out. It returns the
// errors of [synthetic.Generate].
func EpidemicCurves(ctx context.Context, horizon float64, seed uint64) (*figures.Figure, error) {
	const shown = 200
	p, err := simulatePair(ctx, shown, horizon, seed)
	if err != nil {
		return nil, err
	}
	var lines []figures.Series
	for c, name := range p.classes {
		line := figures.Series{Name: name, X: p.times}
		for _, row := range p.infected[c] {
			line.Y = append(line.Y, stat.Mean(row, nil))
		}
		lines = append(lines, line)
	}
	axes := figures.Axes{Title: "Infected part, from the same start", X: "time", Y: "mean infected part of a node",
		Marks: []figures.Mark{{Name: "end of what models see", X: 1, Bold: true}}}
	return figures.Lines(axes, lines...)
}
