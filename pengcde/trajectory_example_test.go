package pengcde_test

import (
	"context"
	"fmt"
	"log"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// A simulated world of the paper, small: heat on a grid that changes. The model sees the first temperatures and the
// graph, and learns the others.
func ExampleModel_Fit_wholeSeries() {
	ctx := context.Background()
	world := synthetic.Config{Family: graphs.Grid{}, Task: synthetic.Heat, Nodes: 16, Graphs: 2, Ticks: 30, Events: 4,
		Amplitude: synthetic.Shipped, Seed: 1}
	training, err := synthetic.Generate(ctx, world)
	if err != nil {
		log.Fatal(err)
	}
	world.Seed = 100
	test, err := synthetic.Generate(ctx, world)
	if err != nil {
		log.Fatal(err)
	}
	var windows []dyngraph.Window
	for _, t := range training.Trajectories {
		windows = append(windows, t.Series(training.Train, nil).Whole())
	}

	backend, err := xla.Open(xla.Config{Backend: "go"}) // pure Go starts sooner than XLA for so small a model
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()
	model, err := pengcde.New(backend, pengcde.Config{Nodes: 16, Features: 1, Hidden: 8,
		Input:    pengcde.Input{GraphOnly: true},
		Equation: pengcde.Equation{LinearCoders: true, Adaptive: &ode.PID{}}})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	_, err = model.Fit(ctx, windows, nil, train.Config{Epochs: 25, EvaluateEvery: train.NoValidation, BatchSize: 2,
		AdamW: train.AdamW{LearningRate: 0.03}})
	if err != nil {
		log.Fatal(err)
	}

	unseen := test.Trajectories[0]
	forecast, err := model.Predict(ctx, unseen.Series(nil, nil).Whole(), unseen.Times)
	if err != nil {
		log.Fatal(err)
	}
	squares, unchanged := 0.0, 0.0 // of the errors of the forecast, and of temperatures that stay as they were
	for k, values := range unseen.Values {
		for u, x := range values {
			e, s := forecast.At(k, u, 0)-x, unseen.Values[0][u]-x
			squares, unchanged = squares+e*e, unchanged+s*s
		}
	}
	fmt.Printf("%d times, %d nodes\n", len(forecast.Times), forecast.Nodes)
	fmt.Println("a fifth of the error of no change:", squares < unchanged/5)
	// Output:
	// 36 times, 16 nodes
	// a fifth of the error of no change: true
}
