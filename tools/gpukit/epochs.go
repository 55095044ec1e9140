package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/peng-cde/pengcde-go/bench"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

const seed = 1234 // of the races of package bench

// timeEpochs times training epochs of the published field, as make bench does, from small graphs to large.
func timeEpochs(ctx context.Context, c *child) error {
	backend, err := c.open()
	if err != nil {
		return err
	}
	defer backend.Close()
	for _, n := range c.size.epochs {
		t, err := bench.MeasureTogether(ctx, backend, bench.Setting{Nodes: n, Seed: seed}, 1, c.size.epochsTimed)
		if err != nil {
			return fmt.Errorf("%d nodes: %w", n, err)
		}
		note := fmt.Sprintf("%.3g to %.3g, compiling %.3g s", t.SeedEpoch.Low, t.SeedEpoch.High, t.Compile)
		if paper, printed := catalogue.Published("epoch", "peng", strconv.Itoa(n)); printed {
			note = fmt.Sprintf("the paper's H100 or H200 %.2f s; %s", paper.Value, note)
		}
		c.found(fmt.Sprintf("epoch, %d nodes", n), t.SeedEpoch.Median, "s", note)
	}
	return nil
}
