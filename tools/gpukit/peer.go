package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/bench"
)

// racePeer races against the same model in JAX on the same device, as make bench does on a CPU.
func racePeer(ctx context.Context, c *child) error {
	python := askPython(ctx, c.python)
	if python.err != nil {
		return skip("%v", python.err)
	}
	if len(python.Lacks) > 0 {
		return skip("%s cannot import %s", c.python, strings.Join(python.Lacks, ", "))
	}
	backend, err := c.open()
	if err != nil {
		return err
	}
	defer backend.Close()
	for _, n := range c.size.peer {
		race := bench.Race{Pairs: 2, PeerUpTo: n, Variant: "dense", Python: c.python}
		row, err := race.Run(ctx, backend, bench.Setting{Nodes: n, Seed: seed})
		if err != nil {
			return fmt.Errorf("%d nodes: %w", n, err)
		}
		at := fmt.Sprintf(", %d nodes", n)
		c.found("epoch, this library"+at, row.Ours, "s", fmt.Sprintf("compiling %.3g s", row.OursCompile))
		if row.OutOfMemory {
			return fmt.Errorf("%d nodes: the peer ran out of memory", n)
		}
		c.found("epoch, JAX"+at, row.Peer, "s", fmt.Sprintf("compiling %.3g s", row.PeerCompile))
		c.found("ratio"+at, row.Ratio.Median, "", fmt.Sprintf("%.3g to %.3g", row.Ratio.Low, row.Ratio.High))
	}
	return nil
}
