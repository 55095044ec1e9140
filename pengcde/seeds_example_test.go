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

// Three seeds of one configuration at once, each on a world of its own.
func ExampleFitSeeds() {
	ctx := context.Background()
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()
	var runs []pengcde.SeedRun
	for seed := range uint64(3) {
		model, err := pengcde.New(backend, pengcde.Config{Nodes: 16, Features: 1,
			Input:    pengcde.Input{GraphOnly: true},
			Equation: pengcde.Equation{LinearCoders: true, Adaptive: &ode.PID{}}, Seed: seed})
		if err != nil {
			log.Fatal(err)
		}
		defer model.Close()
		set, err := synthetic.Generate(ctx, synthetic.Config{Family: graphs.Grid{}, Task: synthetic.Heat, Nodes: 16,
			Graphs: 6, Ticks: 30,
			Events: 4, Amplitude: synthetic.Shipped, Seed: seed})
		if err != nil {
			log.Fatal(err)
		}
		var windows []dyngraph.Window
		for _, trajectory := range set.Trajectories {
			windows = append(windows, trajectory.Series(set.Train, nil).Whole())
		}
		runs = append(runs, pengcde.SeedRun{Model: model, Training: windows[:4], Validation: windows[4:],
			Config: train.Config{
				BatchSize:  4,
				Progress:   func(p train.Progress) { fmt.Printf("seed %d: %v\n", seed, p) },
				Checkpoint: &train.Checkpoint{Path: fmt.Sprintf("runs/seed-%d", seed)},
			}})
	}
	outcomes, err := pengcde.FitSeeds(ctx, runs)
	if outcomes == nil {
		log.Fatal(err) // the runs do not fit each other
	}
	for i, o := range outcomes {
		if o.Err != nil { // this one failed, the others are as they would be without it
			fmt.Printf("seed %d: %v\n", i, o.Err)
			continue
		}
		fmt.Printf("seed %d: best validation %.3g, %s\n", i, o.Report.BestValidation, o.Report.Stop)
	}
}
