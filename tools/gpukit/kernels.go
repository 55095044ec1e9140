package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// timeKernels times the programs of a step and of its pullback, then the products of package equivariant and a field
// with its gradient by the packages' own benchmarks.
func timeKernels(ctx context.Context, c *child) error {
	if err := c.timePrograms(ctx); err != nil {
		return err
	}
	if suites == nil {
		return errNoSuites
	}
	for _, s := range []struct{ name, pattern string }{
		{"pengcde/equivariant", c.size.products}, {"pengcde/field", c.size.field}} {
		err := c.suite(ctx, s.name, func(line string) { c.benchmark(line) }, "-test.run", "^$", "-test.bench", s.pattern,
			"-test.benchtime", c.size.calls)
		if err != nil {
			return err
		}
	}
	return nil
}

// withoutKernels compares gradients and times programs of XLA's operations alone, to be read beside the same with
// kernels.
func withoutKernels(ctx context.Context, c *child) error {
	if err := compareGradients(ctx, c); err != nil {
		return err
	}
	return c.timePrograms(ctx)
}

// timePrograms takes the fastest of some forward solves and of some epochs, and counts the calls of the two programs. A
// step is the solve over its calls, a pullback the rest of the epoch over its own; both contain the host, which waits
// for each.
func (c *child) timePrograms(ctx context.Context) error {
	backend, err := c.open()
	if err != nil {
		return err
	}
	defer backend.Close()
	var lock sync.Mutex
	calls := map[string]int{}
	stop, err := xla.Record(xla.Recorder{Called: func(name string) {
		lock.Lock()
		defer lock.Unlock()
		calls[name]++
	}})
	if err != nil {
		return err
	}
	defer stop()
	for _, one := range nodeCases(c.size.model) {
		windows, err := one.Data(ctx)
		if err != nil {
			return err
		}
		model, err := pengcde.New(backend, one.Config)
		if err != nil {
			return err
		}
		defer model.Close()
		forward := math.Inf(1)
		for range 4 { // the first call compiles
			clear(calls)
			start := time.Now()
			if _, err := model.Steps(ctx, windows); err != nil {
				return err
			}
			forward = min(forward, time.Since(start).Seconds())
		}
		steps := calls["ode step"] + calls["loop of ode steps"]
		var tries, pullbacks int
		report, err := model.Fit(ctx, windows, nil, train.Config{Epochs: 4, EvaluateEvery: train.NoValidation,
			BatchSize: len(windows), AdamW: train.AdamW{LearningRate: 1e-12}, // the same steps in each epoch
			Progress: func(train.Progress) {
				tries = calls["ode step"] + calls["loop of ode steps"]
				pullbacks = calls["ode step pullback"] + calls["loop of ode pullbacks"]
				clear(calls)
			}})
		if err != nil {
			return err
		}
		epoch := math.Inf(1)
		for _, e := range report.Epochs {
			epoch = min(epoch, e.Seconds)
		}
		step := forward / float64(max(steps, 1))
		at := fmt.Sprintf("%s, %d nodes: ", one.Model, one.Config.Nodes)
		c.found(at+"step", 1e3*step, "ms", fmt.Sprintf("%d tries, with the host", steps))
		c.found(at+"pullback", 1e3*(epoch-step*float64(tries))/float64(max(pullbacks, 1)), "ms",
			fmt.Sprintf("%d rounds, with the host", pullbacks))
		c.found(at+"epoch", epoch, "s", "docs/cuda.md has what was predicted for 400 nodes")
	}
	return nil
}

// benchmark reports the numbers of a line of go test -bench.
func (c *child) benchmark(line string) {
	words := strings.Fields(line)
	if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
		return
	}
	for i := 2; i+1 < len(words); i += 2 {
		var value float64
		if _, err := fmt.Sscan(words[i], &value); err == nil && words[i+1] != "ns/op" {
			c.found(strings.TrimPrefix(words[0], "Benchmark"), value, words[i+1], "")
		}
	}
}
