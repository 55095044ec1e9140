// Command seeds times how many seeds train in one program, and keeps the figures in a file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/bench"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/xla"
)

func main() {
	nodes := flag.String("nodes", "100,400", "numbers of nodes")
	seeds := flag.String("seeds", "1,4,10", "numbers of seeds")
	epochs := flag.Int("epochs", 5, "epochs that are timed")
	out := flag.String("out", "", "JSON file to add the figures to, in place of those of the same model, size, seeds and machine")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *nodes, *seeds, *epochs, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, nodes, seeds string, epochs int, out string) error {
	sizes, err := numbers(nodes)
	if err != nil {
		return err
	}
	counts, err := numbers(seeds)
	if err != nil {
		return err
	}
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return err
	}
	defer backend.Close()
	var measured bench.File
	for _, n := range sizes {
		for _, count := range counts {
			t, err := bench.MeasureTogether(ctx, backend, bench.Setting{Field: pengcde.PENG, Nodes: n, Seed: 1234}, count, epochs)
			if err != nil {
				return err
			}
			fmt.Printf("%d nodes, %d seeds: %.3g s per seed and epoch\n", n, count, t.SeedEpoch.Median)
			measured.PutTogether(t)
			if err := bench.Update(out, func(f *bench.File) { f.PutTogether(t) }); err != nil {
				return err
			}
		}
	}
	table, err := measured.TogetherTable().Markdown()
	fmt.Print("\n", table)
	return err
}

func numbers(list string) (all []int, err error) {
	for _, text := range strings.Split(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("number %q: %w", text, err)
		}
		all = append(all, n)
	}
	return all, nil
}
