package pengcde_test

import (
	"context"
	"fmt"
	"log"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// The configuration that trains: sizes and data are the caller's, field, path, steps and guard come with it.
func ExampleRecommended() {
	ctx := context.Background()
	world, err := synthetic.Generate(ctx, synthetic.Config{Family: graphs.PowerLaw{}, Task: synthetic.Gene,
		Nodes: 16, Graphs: 1, Ticks: 30, Events: 4, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	whole := world.Trajectories[0].Series(world.Train, nil).Whole() // genes on a network that changes four times
	backend, err := xla.Open(xla.Config{Backend: "go"})
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()
	config := pengcde.Recommended(pengcde.Config{Nodes: 16, Features: 1, Hidden: 4,
		Input:    pengcde.Input{GraphOnly: true},
		Equation: pengcde.Equation{LinearCoders: true}})
	model, err := pengcde.New(backend, config)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	report, err := model.Fit(ctx, []dyngraph.Window{whole}, nil,
		train.Recommended(train.Config{Epochs: 3, EvaluateEvery: train.NoValidation}))
	if err != nil {
		log.Fatal(err)
	}
	resolved, err := config.Resolved()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("A' in the %s layer, norm over the %s, %s, %s path\n", resolved.DerivativeIn, resolved.Style.Norm.Over,
		resolved.Style.Activation, resolved.Path)
	fmt.Println(len(report.Epochs), "epochs, unresolved:", report.Unresolved())
	// Output:
	// A' in the last layer, norm over the graph, silu, ramp path
	// 3 epochs, unresolved: false
}
