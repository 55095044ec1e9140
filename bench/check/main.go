// Command check compares losses and gradients of the library with those of the peer, and fails where they differ.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/peng-cde/pengcde-go/bench"
	"github.com/peng-cde/pengcde-go/xla"
)

func main() {
	nodes := flag.Int("nodes", 36, "number of nodes")
	published := flag.Bool("published", false, "with the defects of the published code")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := check(ctx, *nodes, *published); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(ctx context.Context, nodes int, published bool) error {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return err
	}
	defer backend.Close()
	apart := 0
	for _, kind := range []string{"peng", "original", "pre-mult"} {
		found, err := bench.Check(ctx, backend, bench.Setting{Field: kind, Nodes: nodes, Published: published, Seed: 1234})
		if err != nil {
			return err
		}
		fmt.Printf("%s, relative to the library on its steps:\n", kind)
		for _, d := range found.Variants {
			fmt.Printf("  %-8s loss %.1e, gradient %.1e (%s)\n", d.Variant, d.Loss, d.Gradient, d.Worst)
			if !(d.Loss <= bench.Tolerance && d.Gradient <= bench.Tolerance) {
				apart++
			}
		}
		fmt.Print("  steps accepted+rejected on their own: library")
		for _, s := range found.Ours.Stats {
			fmt.Printf(" %d+%d", s.Accepted, s.Rejected)
		}
		fmt.Print(", peer")
		for b := range found.Theirs.Accepted {
			fmt.Printf(" %d+%d", found.Theirs.Accepted[b], found.Theirs.Rejected[b])
		}
		fmt.Println()
	}
	if apart > 0 {
		return fmt.Errorf("%d of the checks are further apart than %g", apart, bench.Tolerance)
	}
	return nil
}
