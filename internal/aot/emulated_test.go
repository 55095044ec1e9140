package aot

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/gradients"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/xla"
)

// emulatedEnv names the file to which TestEmulatedKernels in another process writes its results.
const emulatedEnv = "PENGCDE_TEST_GRADIENTS"

// lossAndGradient of a model after a solve in constant steps, which do not depend on rounding.
type lossAndGradient struct {
	Loss     float64
	Gradient map[string][]float64
}

// Whole solves with the kernels for GPUs, run in C on a CPU, have the losses and gradients of XLA's operations, with
// and without features that drive the state.
func TestEmulatedKernels(t *testing.T) {
	if file := os.Getenv(emulatedEnv); file != "" {
		content, err := json.Marshal(ofCases(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	var results [2]map[string]lossAndGradient
	for i, mode := range []string{"off", "emulated"} {
		file := filepath.Join(t.TempDir(), mode)
		child := exec.Command(os.Args[0], "-test.run=^TestEmulatedKernels$")
		child.Env = append(os.Environ(), emulatedEnv+"="+file, xla.KernelsEnv+"="+mode)
		if said, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", mode, err, said)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &results[i]); err != nil {
			t.Fatal(err)
		}
	}
	if len(results[0]) == 0 {
		t.Skip("no XLA here")
	}
	for name, want := range results[0] {
		got := results[1][name]
		difference, worst, err := gradients.LargestDifference(want.Gradient, got.Gradient)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if ofLoss := math.Abs(got.Loss/want.Loss - 1); !(ofLoss < 1e-5) || !(difference < 1e-4) {
			t.Errorf("%s: the loss differs by %.2g, the gradient by %.2g (%s), want rounding", name, ofLoss, difference, worst)
		}
	}
}

func ofCases(t *testing.T) map[string]lossAndGradient {
	backend, err := xla.Open(xla.Config{Backend: "xla:cpu", Notices: io.Discard})
	if err != nil {
		return nil
	}
	defer backend.Close()
	all := make(map[string]lossAndGradient)
	// As published it magnifies rounding.
	original := field.Original{DerivativeIn: field.LastLayer, Style: field.WellPosed()}
	tested := slices.Concat(cases(short, 100, "node", mainModels[:1]), cases(short, 100, "class", mainModels[:1]),
		cases(short, 100, "class", []modelOf{{"Original", withField(original)}}))
	for _, c := range tested {
		c.Config.Adaptive, c.Config.Step, c.Config.Hidden, c.Config.Notices = nil, 0.05, 6, io.Discard
		windows, err := c.Data(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		model, err := pengcde.New(backend, c.Config)
		if err != nil {
			t.Fatal(err)
		}
		loss, gradient, err := gradients.Of(t.Context(), model, windows)
		model.Close()
		if err != nil {
			t.Fatal(err)
		}
		all[c.Model+", head "+c.Head] = lossAndGradient{loss, gradient}
	}
	return all
}
