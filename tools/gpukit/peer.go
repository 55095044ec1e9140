package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/bench"
	"github.com/peng-cde/pengcde-go/xla"
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
		for _, f := range racedFields {
			if err := c.race(ctx, backend, bench.Setting{Field: f.field, Nodes: n, Seed: seed}, f.name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *child) race(ctx context.Context, backend *xla.Backend, s bench.Setting, name string) error {
	at := fmt.Sprintf("%s, %d nodes", name, s.Nodes)
	race := bench.Race{Pairs: 2, PeerUpTo: s.Nodes, Variant: "dense", Python: c.python}
	row, err := race.Run(ctx, backend, s)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	c.found(at+", this library", row.Ours, "s", fmt.Sprintf("an epoch; compiling %.3g s", row.OursCompile))
	if row.OutOfMemory {
		return fmt.Errorf("%s: the peer ran out of memory", at)
	}
	c.found(at+", JAX", row.Peer, "s", fmt.Sprintf("an epoch; compiling %.3g s", row.PeerCompile))
	c.found(at+", ratio", row.Ratio.Median, "", fmt.Sprintf("%.3g to %.3g", row.Ratio.Low, row.Ratio.High))
	return nil
}
