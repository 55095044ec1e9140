package worlds

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// States shows the nodes of the first test graph as pixels, over time: truth, forecast and difference.
func (w Worlds) States(r *experiments.Report, dynamics, family, model string) (*figures.Slider, error) {
	results, err := finished(r, dynamics, family, model)
	if err != nil {
		return nil, err
	}
	arrays := results[0].Facts().Arrays
	side := graphs.Side(len(arrays["pictures"][0]))
	var names []string
	for _, t := range arrays["picture times"][0] {
		names = append(names, fmt.Sprintf("t = %.2f", t))
	}
	var panels [][]figures.ImagePanel
	for i, truth := range arrays["pictures"] {
		forecast, difference := arrays["picture forecasts"][i], make([]float64, len(truth))
		floats.SubTo(difference, forecast, truth)
		panels = append(panels, []figures.ImagePanel{{Title: "truth", Values: catalogue.Pixels(truth, side)},
			{Title: "forecast", Values: catalogue.Pixels(forecast, side)},
			{Title: "forecast − truth", Values: catalogue.Pixels(difference, side), Diverging: true}})
	}
	title := fmt.Sprintf("%s on a %s graph that was not trained on: %s", dynamics, family, results[0].Model.Name)
	return figures.ImageSlider(figures.Axes{Title: title}, names, panels)
}

// WorldGraphs draws one graph of each family, before and after all its changes; the changes add directions and
// self-loops.
func WorldGraphs(ctx context.Context, nodes int) (*figures.Figure, error) {
	var before, after []figures.HeatPanel
	for _, family := range catalogue.Families() {
		set, err := synthetic.Generate(ctx, synthetic.Config{Family: family, Task: synthetic.Heat, Nodes: nodes, Graphs: 1,
			Seed: catalogue.TrainingSeed})
		if err != nil {
			return nil, err
		}
		t := set.Trajectories[0]
		changed := fmt.Sprintf("after %d events", len(t.Events))
		before = append(before, catalogue.Edges(family.Name(), t.Pattern, t.Snapshots[0]))
		after = append(after, catalogue.Edges(changed, t.Pattern, t.Snapshots[len(t.Events)]))
	}
	axes := figures.Axes{Title: fmt.Sprintf("Graphs of about %d nodes, before and after their changes", nodes),
		Colour: "edge"}
	return figures.Adjacency(axes, append(before, after...))
}
