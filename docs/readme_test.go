package docs_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// The first program of the README: genes on networks that change, forecast with and without the graph.
func TestProgramOfTheReadme(t *testing.T) {
	ctx := context.Background()
	world := synthetic.Config{Family: graphs.PowerLaw{}, Task: synthetic.Gene,
		Nodes: 16, Graphs: 2, Ticks: 30, Events: 4, Seed: 1}
	seen := must.M1(synthetic.Generate(ctx, world)) // genes on two networks that change four times
	world.Seed = 100
	unseen := must.M1(synthetic.Generate(ctx, world)).Trajectories[0] // another network, other changes
	var windows []dyngraph.Window
	for _, t := range seen.Trajectories {
		windows = append(windows, t.Series(seen.Train, nil).Whole())
	}

	backend := must.M1(xla.Open(xla.Config{})) // CUDA, else XLA on the CPU, else pure Go
	var errors []float64
	for _, f := range []field.Field{field.Affine(), field.Constant{}} { // without a linear part; Constant sees no graph
		model := must.M1(pengcde.New(backend, pengcde.Recommended(pengcde.Config{Nodes: 16, Features: 1,
			Hidden: 8, Layers: 1, Field: f, Input: pengcde.Input{GraphOnly: true},
			Equation: pengcde.Equation{LinearCoders: true}})))
		must.M1(model.Fit(ctx, windows, nil, train.Recommended(train.Config{Epochs: 60, BatchSize: 2,
			EvaluateEvery: train.NoValidation, AdamW: train.AdamW{LearningRate: 0.01}})))
		whole := unseen.Series(nil, nil).Whole()
		forecast := must.M1(model.Predict(ctx, whole, unseen.Times))
		errors = append(errors, must.M1(train.MSE(forecast.Values, slices.Concat(unseen.Values...))))
	}
	fmt.Printf("squared error %.2f with the graph, %.2f without\n", errors[0], errors[1])

	checkShown(t, "../README.md", "squared error",
		fmt.Sprintf("squared error %.2f with the graph, %.2f without\n", errors[0], errors[1]))
}
