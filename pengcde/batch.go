package pengcde

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// example is what the network sees of one sample.
type example struct {
	sample field.Sample
	x0     []float64 // [n*p], what the encoder takes
	times  []float64 // [S], the first is the start of the solve
	target []float64 // [S*n*q], nil where only forecasts are wanted
	weight []float64 // [S], of each time in the loss; nil is 0 everywhere
}

// batch is a number of examples as tensors.
type batch struct {
	times   [][]float64
	x0      *tensors.Tensor
	control []*tensors.Tensor
	target  *tensors.Tensor
	weight  *tensors.Tensor
	windows int // that count; the others fill up the shape
	owned   xla.Buffers
}

func (b *batch) free() { b.owned.Free() }

// newBatch makes tensors of examples that have equal shapes.
func newBatch(cfg Config, examples []example) (*batch, error) {
	b := &batch{}
	var x0, target, weight []float64
	samples := make([]field.Sample, len(examples))
	saves := len(examples[0].times)
	for i, e := range examples {
		samples[i] = e.sample
		b.times = append(b.times, e.times)
		x0 = append(x0, e.x0...)
		if e.target == nil {
			e.target = make([]float64, saves*cfg.Nodes*cfg.Outputs)
		}
		if e.weight == nil {
			e.weight = make([]float64, saves)
		}
		target = append(target, e.target...)
		weight = append(weight, e.weight...)
	}
	control, err := field.NewControl(cfg.dtype(), cfg.Product, samples)
	if err != nil {
		return nil, fmt.Errorf("pengcde: %w", err)
	}
	size := len(examples)
	b.control = b.owned.Own(control...)
	b.x0 = b.owned.Own(nn.Tensor(cfg.dtype(), x0, size, cfg.Nodes, len(x0)/(size*cfg.Nodes)))[0]
	b.target = b.owned.Own(nn.Tensor(cfg.dtype(), target, size, saves, cfg.Nodes, cfg.Outputs))[0]
	b.weight = b.owned.Own(nn.Tensor(cfg.dtype(), weight, size, saves))[0]
	return b, nil
}

// controls normalises the snapshots of each series once.
type controls struct {
	kind dyngraph.Normalisation
	made map[*dyngraph.Series]normalised
}

type normalised struct {
	pattern *dyngraph.Pattern
	weights [][]float64
}

func (c *controls) of(s *dyngraph.Series) (normalised, error) {
	if made, ok := c.made[s]; ok {
		return made, nil
	}
	pattern, weights, err := c.kind.Apply(s.Pattern, s.Weights)
	if err != nil {
		return normalised{}, err
	}
	if c.made == nil {
		c.made = make(map[*dyngraph.Series]normalised)
	}
	made := normalised{pattern, weights}
	c.made[s] = made
	return made, nil
}

// example reads a window; forecasts are made at the given times after its first input.
func (m *Model) example(w dyngraph.Window, times ...float64) (example, error) {
	s := w.Series
	if s.Nodes() != m.config.Nodes || s.FeatureSize != m.config.Features {
		return example{}, fmt.Errorf("pengcde: series %q has %d nodes with %d features, the model was made for %d with %d: %w",
			s.Name, s.Nodes(), s.FeatureSize, m.config.Nodes, m.config.Features, ErrInput)
	}
	control, err := m.controls.of(s)
	if err != nil {
		return example{}, fmt.Errorf("pengcde: control of series %q: %w", s.Name, err)
	}
	last := w.Start + w.Inputs()
	e := example{x0: s.Features[w.Start], times: append([]float64{0}, times...)}
	e.sample = field.Sample{Knots: w.InputTimes(), Pattern: control.pattern, Snapshots: control.weights[w.Start:last]}
	if m.config.Field == PENG {
		e.sample.Features = s.Features[w.Start:last]
	}
	return e, nil
}

// lesson is the example of a window with its target, to be met at the last input.
func (m *Model) lesson(w dyngraph.Window) (example, error) {
	times := w.InputTimes()
	e, err := m.example(w, times[len(times)-1])
	if err != nil {
		return e, err
	}
	size, target := m.config.Nodes*m.config.Outputs, w.Target()
	if len(target) != size {
		return e, fmt.Errorf("pengcde: window at snapshot %d of series %q has %d targets, the model makes %d (nodes x outputs): %w",
			w.Start, w.Series.Name, len(target), size, ErrInput)
	}
	e.target = append(make([]float64, size), target...)
	e.weight = []float64{0, 1}
	return e, nil
}
