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

// timeParts times the programs of a step and of its pullback, then the products of package equivariant and a field
// with its gradient by the packages' own benchmarks.
func timeParts(ctx context.Context, c *child) error {
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

// timePrograms takes the fastest of some epochs, and their fastest forward solve and pullback. A step is the solve over
// its tries, a pullback the time from the loss on over its rounds; both contain the host.
func (c *child) timePrograms(ctx context.Context) error {
	backend, err := c.open()
	if err != nil {
		return err
	}
	defer backend.Close()
	var lock sync.Mutex
	calls, began := map[string]int{}, map[string]time.Time{}
	stop, err := xla.Record(xla.Recorder{Called: func(name string) {
		lock.Lock()
		defer lock.Unlock()
		calls[name]++
		began[name] = time.Now()
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
		forward, pullback := math.Inf(1), math.Inf(1)
		var tries, rounds int
		report, err := model.Fit(ctx, windows, nil, train.Config{Epochs: 6, EvaluateEvery: train.NoValidation,
			BatchSize: len(windows), AdamW: train.AdamW{LearningRate: 1e-12}, // the same steps in each epoch
			Progress: func(train.Progress) { // after encoder, solve, loss, and the pullbacks of solve and encoder
				forward = min(forward, began["loss"].Sub(began["encoder"]).Seconds())
				pullback = min(pullback, began["encoder pullback"].Sub(began["loss"]).Seconds())
				tries = calls["ode step"] + calls["loop of ode steps"]
				rounds = calls["ode step pullback"] + calls["loop of ode pullbacks"]
				clear(calls)
			}})
		if err != nil {
			return err
		}
		epoch := math.Inf(1)
		for _, e := range report.Epochs {
			epoch = min(epoch, e.Seconds)
		}
		at := fmt.Sprintf("%s, %d nodes: ", one.Model, one.Config.Nodes)
		c.found(at+"step", 1e3*forward/float64(max(tries, 1)), "ms", fmt.Sprintf("%d tries, with the host", tries))
		c.found(at+"pullback", 1e3*pullback/float64(max(rounds, 1)), "ms",
			fmt.Sprintf("%d rounds, with the host", rounds))
		c.found(at+"epoch", epoch, "s", "docs/cuda.md has a prediction for 400 nodes")
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
