package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// training is a training of this library by the published protocol.
type training struct {
	data, start, out string
	field            string
	corrected        bool
	recommended      bool
	float64          bool
	rate             float64
	epochs           int
	seed             uint64
}

// run trains and writes the table of epochs. Published fields have the published defects unless corrected is set, and
// all fields see the changes of the graph in training as late as in the published code.
func (t training) run(ctx context.Context) error {
	sets, err := readSets(t.data)
	if err != nil {
		return err
	}
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return err
	}
	defer backend.Close()
	config := pengcde.Config{Nodes: sets[0].Trajectories[0].Pattern.Nodes, Features: 1, Hidden: 16, Layers: 2,
		Input: pengcde.Input{GraphOnly: true}, Seed: t.seed, Execution: pengcde.Execution{Float64: t.float64},
		Equation: pengcde.Equation{LinearCoders: true, Adaptive: &ode.PID{}, Parity: !t.recommended && !t.corrected}}
	if t.field != "" {
		if config.Field, err = field.Named(t.field); err != nil {
			return err
		}
	}
	protocol := train.Config{Epochs: t.epochs, EvaluateEvery: 25, Patience: 200, MinEpochs: 200, BatchSize: 4,
		AdamW: train.AdamW{LearningRate: t.rate}, Progress: func(p train.Progress) { fmt.Println(p) }}
	if t.recommended {
		config, protocol = pengcde.Recommended(config), train.Recommended(protocol)
	}
	model, err := pengcde.New(backend, config)
	if err == nil && t.start != "" {
		model, err = startedAt(backend, model, t.start)
	}
	if err != nil {
		return err
	}
	defer model.Close()
	report, err := model.Fit(ctx, windows(sets[0], sets[0].Train, sets[0].TrainingIndex(true)),
		windows(sets[1], nil, nil), protocol)
	if err != nil && !errors.Is(err, train.ErrNotFinite) {
		return err
	}
	fmt.Println("ended:", report.Stop, err)
	if err != nil {
		nan := math.NaN()
		report.Epochs = append(report.Epochs, train.Epoch{TrainLoss: nan, LargestNorm: nan, Validation: nan})
	}
	table := tableOf(report)
	if report.Best >= 0 {
		test, err := testError(ctx, model, windows(sets[2], nil, nil))
		if err != nil {
			return err
		}
		fmt.Printf("best epoch %d, validation %g, test %g\n", report.Best+1, report.BestValidation, test)
		table["test"][report.Best] = test
	}
	fmt.Println("peak bytes:", resident.Peak())
	return table.write(t.out)
}

// startedAt closes the model and returns one with the parameters of a file of run.py.
func startedAt(backend *xla.Backend, model *pengcde.Model, path string) (*pengcde.Model, error) {
	defer model.Close()
	var values map[string][]float64
	if err := readJSON(path, &values); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "published-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	saved := filepath.Join(folder, "model.safetensors")
	if err := model.Save(saved); err != nil {
		return nil, err
	}
	file, err := safetensors.Read(saved)
	if err != nil {
		return nil, err
	}
	for i, t := range file.Tensors {
		if file.Tensors[i], err = safetensors.FromFloats(t.Name, t.DType, t.Shape, values[t.Name]); err != nil {
			return nil, err
		}
	}
	if err := safetensors.Write(saved, file.Metadata, file.Tensors); err != nil {
		return nil, err
	}
	return pengcde.Load(backend, saved)
}

// testError returns the mean square error over graphs, times and nodes.
func testError(ctx context.Context, model *pengcde.Model, windows []dyngraph.Window) (mean float64, err error) {
	all, err := model.PredictAll(ctx, windows, nil)
	if err != nil {
		return 0, err
	}
	for i, w := range windows {
		var truth []float64
		for _, states := range w.Series.Targets {
			truth = append(truth, states...)
		}
		e, err := train.MSE(all[i].Values, truth)
		if err != nil {
			return 0, err
		}
		mean += e / float64(len(windows))
	}
	return mean, nil
}
