package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/aot"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/gradients"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// reference is the loss of a model and its gradient by names of parameters.
type reference struct {
	Loss     float64              `json:"loss"`
	Gradient map[string][]float32 `json:"gradient"`
}

// referenceValues were computed in float64 by XLA on a CPU. To write them anew:
//
//	go run ./tools/gpukit -reference tools/gpukit/reference.json
//
//go:embed reference.json
var referenceValues []byte

// gradientTolerance is relative, of the loss and of the gradient of each parameter by its norm, in float32.
const gradientTolerance = 1e-4

// gradientCases are the recommended field and the published one with SiLU on a graph of 100 nodes. What they compute
// hardly depends on rounding: their steps are constant, and SiLU has no kink. With ReLU, parameters that differ by 3e-7
// give gradients that differ by 1e-3.
func gradientCases() []aot.Case {
	cases := nodeCases(100)
	for i := range cases {
		c := &cases[i].Config
		c.Adaptive, c.Step, c.Hidden, c.Notices = nil, 0.05, 8, io.Discard
		if cases[i].Model == "PENG-CDE as published" {
			cases[i].Model, c.Field = "PENG-CDE as published, SiLU", field.PENG{Style: field.Style{Activation: nn.SiLU}}
		}
	}
	return cases
}

// nodeCases are PENG-CDE recommended and as published on a graph, with forecasts for nodes.
func nodeCases(nodes int) []aot.Case {
	return slices.DeleteFunc(aot.Cases(nodes), func(c aot.Case) bool {
		return c.Head != "node" || !strings.HasPrefix(c.Model, "PENG-CDE")
	})
}

func lossAndGradient(ctx context.Context, backend *xla.Backend, c aot.Case) (
	loss float64, gradient map[string][]float64, err error) {
	model, err := pengcde.New(backend, c.Config)
	if err != nil {
		return 0, nil, err
	}
	defer model.Close()
	windows, err := c.Data(ctx)
	if err != nil {
		return 0, nil, err
	}
	return gradients.Of(ctx, model, windows)
}

// compareGradients compares both models with the reference.
func compareGradients(ctx context.Context, c *child) error {
	var stored map[string]reference
	if err := json.Unmarshal(referenceValues, &stored); err != nil {
		return err
	}
	backend, err := c.open()
	if err != nil {
		return err
	}
	defer backend.Close()
	var differs []string
	for _, one := range gradientCases() {
		loss, gradient, err := lossAndGradient(ctx, backend, one)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Model, err)
		}
		want := map[string][]float64{}
		for name, values := range stored[one.Model].Gradient {
			for _, v := range values {
				want[name] = append(want[name], float64(v))
			}
		}
		ofGradient, worst, err := gradients.LargestDifference(want, gradient)
		if err != nil {
			return fmt.Errorf("%s: %w; write the reference anew by -reference", one.Model, err)
		}
		ofLoss := math.Abs(loss/stored[one.Model].Loss - 1)
		c.found(one.Model+": loss", ofLoss, "relative", fmt.Sprintf("%.8g, want %.8g", loss, stored[one.Model].Loss))
		c.found(one.Model+": gradient", ofGradient, "relative", "the largest, of "+worst)
		if !(max(ofLoss, ofGradient) <= gradientTolerance) {
			differs = append(differs, fmt.Sprintf("%s: loss differs by %.1e, gradient by %.1e (%s), want at most %g of the "+
				"CPU's values", one.Model, ofLoss, ofGradient, worst, gradientTolerance))
		}
	}
	if len(differs) > 0 {
		return fmt.Errorf("%s", strings.Join(differs, "; "))
	}
	return nil
}

// writeReference computes the reference on XLA on the CPU.
func writeReference(ctx context.Context, file string) error {
	backend, err := xla.Open(xla.Config{Backend: "xla:cpu"})
	if err != nil {
		return err
	}
	defer backend.Close()
	values := map[string]reference{}
	for _, c := range gradientCases() {
		c.Config.Float64 = true
		loss, gradient, err := lossAndGradient(ctx, backend, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Model, err)
		}
		r := reference{loss, map[string][]float32{}}
		for name, entries := range gradient {
			for _, v := range entries {
				r.Gradient[name] = append(r.Gradient[name], float32(v))
			}
		}
		values[c.Model] = r
	}
	text, err := json.Marshal(values)
	if err != nil {
		return err
	}
	return durable.WriteFile(file, append(text, '\n'))
}
