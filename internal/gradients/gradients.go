// Package gradients reads the loss and its gradient off a training step of a model, to compare them with another
// program's or another machine's.
package gradients

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// AdamW with an ε far above any gradient steps by the gradient itself, times rate/epsilon. That ratio keeps the
// gradient's digits in float32, where it is added to parameters that are larger.
const (
	epsilon = 1e12
	rate    = 1e16
)

// Of returns the loss on windows in one batch and its gradient by names of parameters. It changes the parameters.
func Of(ctx context.Context, model *pengcde.Model, windows []dyngraph.Window) (
	loss float64, gradient map[string][]float64, err error) {
	folder, err := os.MkdirTemp("", "pengcde-gradient-")
	if err != nil {
		return 0, nil, fmt.Errorf("gradients: %w", err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "before.safetensors")
	if err := model.Save(file); err != nil {
		return 0, nil, err
	}
	report, err := model.Fit(ctx, windows, nil, train.Config{Epochs: 1, EvaluateEvery: train.NoValidation,
		BatchSize: len(windows), AdamW: train.AdamW{LearningRate: rate, Epsilon: epsilon, WeightDecay: train.NoDecay,
			Clip: train.NoClip}})
	if err != nil {
		return 0, nil, err
	}
	if gradient, err = Read(file); err != nil {
		return 0, nil, err
	}
	for name, values := range gradient {
		after, _ := model.Parameter(name)
		floats.Sub(values, after)
		floats.Scale(epsilon/rate, values)
	}
	return report.Epochs[0].TrainLoss, gradient, nil
}

// Read reads the arrays of a file by name.
func Read(path string) (map[string][]float64, error) {
	file, err := safetensors.Read(path)
	if err != nil {
		return nil, fmt.Errorf("gradients: %w", err)
	}
	arrays := map[string][]float64{}
	for _, t := range file.Tensors {
		if arrays[t.Name], err = t.Floats(); err != nil {
			return nil, fmt.Errorf("gradients: %w", err)
		}
	}
	return arrays, nil
}

// LargestDifference returns the largest difference of a parameter's gradient, relative to its norm in want, and the
// name of the parameter.
func LargestDifference(want, got map[string][]float64) (largest float64, worst string, err error) {
	if len(want) != len(got) {
		return 0, "", fmt.Errorf("gradients: got gradients of %d parameters, want %d", len(got), len(want))
	}
	for name, want := range want {
		got := got[name]
		if len(want) != len(got) {
			return 0, "", fmt.Errorf("gradients: the gradient of %q has %d entries, want %d", name, len(got), len(want))
		}
		relative := floats.Distance(got, want, 2) / floats.Norm(want, 2)
		switch {
		case floats.Equal(got, want): // also where both are zero
		case math.IsNaN(relative):
			return relative, name, nil
		case relative > largest:
			largest, worst = relative, name
		}
	}
	return largest, worst, nil
}
