package pengcde_test

import (
	"fmt"
	"log"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/xla"
)

// What training will take, before it runs.
func ExampleModel_Plan() {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()
	series, err := pgt.EnglandCovid()
	if err != nil {
		log.Fatal(err)
	}
	split, err := series.Windows(5, 5).Chronological(0.6, 0.2)
	if err != nil {
		log.Fatal(err)
	}
	model, err := pengcde.New(backend, pengcde.Config{Nodes: 129, Features: 8, Hidden: 64, Layers: 3})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	plan, err := model.Plan(split.Train, 1, 0) // in batches of one window, with constant steps
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Solve.Steps, "steps,", plan.Solve.Evaluations, "evaluations forward,",
		plan.Solve.PullbackEvaluations, "back")
	fmt.Printf("data %.1f MiB, parameters %.1f MiB, programs about %.0f MiB\n",
		float64(plan.Data)/(1<<20), float64(plan.Parameters)/(1<<20), float64(plan.Temporary)/(1<<20))
	// Output:
	// [30] steps, [181] evaluations forward, 180 back
	// data 1.2 MiB, parameters 1.2 MiB, programs about 7 MiB
}
