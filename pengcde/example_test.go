package pengcde_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Forecast the Covid cases of 129 regions of England from the movement of people between them.
func Example() {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()
	series, err := pgt.EnglandCovid()
	if err != nil {
		log.Fatal(err)
	}
	split, err := series.Windows(5, 1).Chronological(0.6, 0.2)
	if err != nil {
		log.Fatal(err)
	}
	model, err := pengcde.New(backend, pengcde.Recommended(pengcde.Config{Nodes: 129, Features: 8, Hidden: 4, Layers: 1,
		Equation: pengcde.Equation{Step: 1}}))
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	folder, err := os.MkdirTemp("", "pengcde")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	ctx := context.Background()
	checkpoint := &train.Checkpoint{Path: filepath.Join(folder, "covid")} // a run that is cut off goes on from it
	report, err := model.Fit(ctx, split.Train, split.Validation,
		train.Recommended(train.Config{Epochs: 2, Checkpoint: checkpoint}))
	if err != nil {
		log.Fatal(err)
	}
	forecast, err := model.Predict(ctx, split.Test[0], []float64{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	if err := model.Save(filepath.Join(folder, "covid.safetensors")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(report.Epochs), "epochs")
	fmt.Println(len(forecast.Times), "times,", forecast.Nodes, "nodes,", forecast.Outputs, "output")
	// Output:
	// 2 epochs
	// 3 times, 129 nodes, 1 output
}
