package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// largeGraphSteps makes two gradient steps of the recommended model on a large random graph, where that fits into
// memory, and compares the memory with the plan.
func largeGraphSteps(ctx context.Context, c *child) error {
	backend, err := c.open()
	if err != nil {
		return err
	}
	defer backend.Close()
	planned, err := c.planned(backend)
	if err != nil {
		return err
	}
	free := resident.Available()
	if c.backend == "cuda" {
		if free, err = cardBytes(ctx, "memory.free"); err != nil {
			return err
		}
	}
	c.found("memory, planned", gibibytes(planned), "GiB", fmt.Sprintf("%.1f GiB free", gibibytes(free)))
	if planned > free {
		return skip("%.1f GiB are planned and %.1f GiB are free", gibibytes(planned), gibibytes(free))
	}
	start := time.Now()
	model, windows, err := largeModel(backend, c.size.large)
	if err != nil {
		return err
	}
	defer model.Close()
	c.found("nodes", float64(c.size.large), "", fmt.Sprintf("%d edges", windows[0].Series.Pattern.Edges()))
	c.found("making the graph", time.Since(start).Seconds(), "s", "")
	used := c.watchMemory(ctx)
	start = time.Now()
	report, err := model.Fit(ctx, windows, nil, train.Config{Epochs: 2, EvaluateEvery: train.NoValidation, BatchSize: 1})
	most := used()
	c.found("memory, measured", gibibytes(most), "GiB", fmt.Sprintf("%.2f of the plan", float64(most)/float64(planned)))
	if err != nil {
		return err
	}
	first, second := report.Epochs[0].Seconds, report.Epochs[1].Seconds
	c.found("preparing the data", time.Since(start).Seconds()-first-second, "s", "")
	c.found("first gradient step", first, "s", "compiles")
	c.found("second gradient step", second, "s", fmt.Sprintf("loss %.4g, then %.4g", report.Epochs[0].TrainLoss,
		report.Epochs[1].TrainLoss))
	return nil
}

// planned is the memory of [pengcde.Model.Plan]. It plans for a graph of a twentieth of the size and multiplies: memory
// grows with the nodes to within a hundredth, and a plan prepares the data once more, for half a minute.
func (c *child) planned(backend *xla.Backend) (bytes int64, err error) {
	const part = 20
	model, windows, err := largeModel(backend, c.size.large/part)
	if err != nil {
		return 0, err
	}
	defer model.Close()
	plan, err := model.Plan(windows, 1, 0)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(c.out, "a twentieth of the graph: %s\n", plan)
	if bytes = plan.DeviceBytes; c.backend != "cuda" {
		bytes += plan.HostBytes
	}
	return part * bytes, nil
}

// largeModel is the recommended model with a graph. A solve makes four steps and keeps two states, so that two steps
// are taken again for the gradient.
func largeModel(backend *xla.Backend, nodes int) (*pengcde.Model, []dyngraph.Window, error) {
	series, err := largeGraph(nodes)
	if err != nil {
		return nil, nil, err
	}
	model, err := pengcde.New(backend, pengcde.Recommended(pengcde.Config{Nodes: nodes, Features: 1,
		Equation:  pengcde.Equation{Step: 0.25, LinearCoders: true},
		Execution: pengcde.Execution{Memory: ode.Memory{Checkpoints: 2}}, Seed: seed}))
	return model, []dyngraph.Window{series.Whole()}, err
}

// largeGraph has ten edges a node, two snapshots, and features that move to neighbours.
func largeGraph(nodes int) (*dyngraph.Series, error) {
	const degree = 10
	random := rand.New(rand.NewPCG(seed, 1))
	from, to := make([]int, 0, degree*nodes), make([]int, 0, degree*nodes)
	for u := range nodes {
		for range degree {
			from, to = append(from, u), append(to, random.IntN(nodes))
		}
	}
	pattern, _, err := dyngraph.NewPattern(nodes, from, to)
	if err != nil {
		return nil, err
	}
	s := &dyngraph.Series{Name: "random", Pattern: pattern, Times: []float64{0, 1}, FeatureSize: 1, TargetSize: 1}
	for range s.Times {
		weights, features, targets := make([]float64, pattern.Edges()), make([]float64, nodes), make([]float64, nodes)
		for e := range weights {
			weights[e] = random.Float64()
		}
		for u := range features {
			features[u] = random.NormFloat64()
		}
		for e, u := range pattern.From {
			targets[pattern.To[e]] += features[u] / degree
		}
		s.Weights, s.Features = append(s.Weights, weights), append(s.Features, features)
		s.Targets = append(s.Targets, targets)
	}
	return s, nil
}

// watchMemory follows the memory of the card, or of this process on a CPU, until used is called, which returns the most
// that was taken since.
func (c *child) watchMemory(ctx context.Context) (used func() int64) {
	if c.backend != "cuda" {
		resident.Reset()
		base := resident.Now()
		return func() int64 { return resident.Peak() - base }
	}
	base, _ := cardBytes(ctx, "memory.used") // of this process too: CUDA's own, before the data
	ctx, stop := context.WithCancel(ctx)
	most := make(chan int64)
	go func() {
		peak := base
		for ctx.Err() == nil {
			if now, err := cardBytes(ctx, "memory.used"); err == nil {
				peak = max(peak, now)
			}
			time.Sleep(50 * time.Millisecond)
		}
		most <- peak - base
	}()
	return func() int64 {
		stop()
		return <-most
	}
}
