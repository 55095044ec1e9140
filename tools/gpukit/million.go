package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// oneLargeStep makes one gradient step of the recommended model on a large random graph, where that fits into memory,
// and compares the memory with the plan.
func oneLargeStep(ctx context.Context, c *child) error {
	start := time.Now()
	series, err := largeGraph(c.size.large)
	if err != nil {
		return err
	}
	c.found("nodes", float64(c.size.large), "", fmt.Sprintf("%d edges", series.Pattern.Edges()))
	c.found("making the graph", time.Since(start).Seconds(), "s", "")
	windows := []dyngraph.Window{series.Whole()}
	backend, err := c.open()
	if err != nil {
		return err
	}
	defer backend.Close()
	config := pengcde.Recommended(pengcde.Config{Nodes: c.size.large, Features: 1,
		Equation: pengcde.Equation{Step: 1, LinearCoders: true}, Seed: seed})
	model, err := pengcde.New(backend, config)
	if err != nil {
		return err
	}
	defer model.Close()
	start = time.Now()
	plan, err := model.Plan(windows, 1, 0)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.out, plan)
	c.found("planning", time.Since(start).Seconds(), "s", "")
	planned := plan.DeviceBytes
	var free int64
	if c.backend == "cuda" {
		free, err = cardBytes(ctx, "memory.free")
		if err != nil {
			return err
		}
	} else {
		free, planned = resident.Available(), planned+plan.HostBytes
	}
	c.found("memory, planned", gibibytes(planned), "GiB", fmt.Sprintf("%.1f GiB free", gibibytes(free)))
	if planned > free*4/5 {
		return skip("%.1f GiB are planned and %.1f GiB are free, want a quarter more", gibibytes(planned), gibibytes(free))
	}
	used := c.watchMemory(ctx)
	start = time.Now()
	report, err := model.Fit(ctx, windows, nil, train.Config{Epochs: 2, EvaluateEvery: train.NoValidation, BatchSize: 1})
	most := used()
	c.found("memory, measured", gibibytes(most), "GiB", fmt.Sprintf("%.2f of the plan", float64(most)/float64(planned)))
	if err != nil {
		return err
	}
	c.found("training of two steps", time.Since(start).Seconds(), "s", "with copies to the device")
	first, second := report.Epochs[0], report.Epochs[1]
	c.found("first gradient step", first.Seconds, "s", "compiles")
	c.found("second gradient step", second.Seconds, "s", fmt.Sprintf("loss %.4g, then %.4g", first.TrainLoss,
		second.TrainLoss))
	return nil
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
		s.Weights, s.Features, s.Targets = append(s.Weights, weights), append(s.Features, features), append(s.Targets, targets)
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
