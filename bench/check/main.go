// Command check compares losses and gradients of the library and the peer, and fails if they differ.
package main

import (
	"context"
	"errors"
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
	var failed error
	for _, field := range bench.Fields() {
		setting := bench.Setting{Field: field, Nodes: nodes, Published: published, Seed: 1234}
		report, err := bench.Check(ctx, backend, setting)
		if report == "" {
			return err
		}
		fmt.Print(report)
		failed = errors.Join(failed, err)
	}
	return failed
}
