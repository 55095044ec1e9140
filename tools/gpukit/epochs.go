package main

import (
	"context"
	"fmt"

	"github.com/peng-cde/pengcde-go/bench"
)

// paperSeconds are the paper's seconds an epoch of PENG-CDE by number of nodes, on an H100.
var paperSeconds = map[int]float64{128: 0.42, 256: 0.49, 512: 0.57, 1024: 0.90, 2048: 1.50}

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
		if paper := paperSeconds[n]; paper > 0 {
			note = fmt.Sprintf("the paper's H100 %.2f s; %s", paper, note)
		}
		c.found(fmt.Sprintf("epoch, %d nodes", n), t.SeedEpoch.Median, "s", note)
	}
	return nil
}
