package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/peng-cde/pengcde-go/bench"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

const seed = 1234 // of the races of package bench

// racedFields are fields of package bench with their names here.
var racedFields = []struct{ field, name string }{{"affine", "recommended field"}, {"peng", "published field"}}

// timeEpochs times training epochs as make bench does, from small graphs to large: of the recommended field, and of the
// published one where the paper has a time.
func timeEpochs(ctx context.Context, c *child) error {
	backend, err := c.open()
	if err != nil {
		return err
	}
	defer backend.Close()
	for _, n := range c.size.epochs {
		for _, f := range racedFields {
			paper, printed := catalogue.Published("epoch", "peng", strconv.Itoa(n))
			if f.field == "peng" && !printed {
				continue
			}
			s := bench.Setting{Field: f.field, Nodes: n, Seed: seed}
			t, err := bench.MeasureTogether(ctx, backend, s, 1, c.size.epochsTimed)
			if err != nil {
				return fmt.Errorf("%s, %d nodes: %w", f.name, n, err)
			}
			note := fmt.Sprintf("%.3g to %.3g, compiling %.3g s", t.SeedEpoch.Low, t.SeedEpoch.High, t.Compile)
			if printed {
				note = fmt.Sprintf("the paper's code %.2f s on an H100 or H200; %s", paper.Value, note)
			}
			c.found(fmt.Sprintf("%s, %d nodes", f.name, n), t.SeedEpoch.Median, "s", note)
		}
	}
	return nil
}
