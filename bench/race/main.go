// Command race times the library against the peer in turns, or seeds that train in one program, prints a table and keeps it in a
// file, row by row.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/bench"
	"github.com/peng-cde/pengcde-go/xla"
)

func main() {
	nodes := flag.String("nodes", "128,256,512,1024", "numbers of nodes; none to draw a -figure alone")
	fields := flag.String("fields", "peng,original,pre-mult", "vector fields")
	pairs := flag.Int("pairs", 5, "turns of each")
	upTo := flag.Int("peer-up-to", 1024, "most nodes that the peer is given")
	memory := flag.Float64("peer-memory", 20, "GiB that the peer may take")
	variant := flag.String("variant", string(bench.Dense), "of the peer: dense or implicit")
	batch := flag.Int("batch", 0, "series in an optimiser step, where the peer takes no part; 0 for all")
	seeds := flag.String("seeds", "", "numbers of seeds to train in one program, in place of races; -pairs is the epochs that are timed")
	out := flag.String("out", "", "JSON file to add rows to, in place of those of the same model, size, variant and machine")
	figure := flag.String("figure", "", "PNG file to draw seconds per epoch of all rows of -out into")
	serve := flag.Bool("serve", false, "be the library's side of a race: a setting in JSON and a folder follow")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case *serve:
		err = side(ctx, flag.Args())
	case *seeds != "":
		err = together(ctx, *nodes, *fields, *seeds, *pairs, *out)
	default:
		err = race(ctx, *nodes, *fields, *out, *batch, bench.Race{Pairs: *pairs, PeerUpTo: *upTo, Peer: bench.PeerConfig{
			Variant: bench.Variant(*variant), Steps: bench.Given, MemoryGiB: *memory}})
	}
	if err == nil && *figure != "" {
		err = draw(*out, *figure)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// draw draws the rows of a file.
func draw(rows, figure string) error {
	f, err := bench.ReadFile(rows)
	if err != nil {
		return err
	}
	seconds, err := f.DrawSeconds()
	if err != nil {
		return err
	}
	return seconds.Save(figure)
}

// side is the library's side.
func side(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("-serve wants a setting and a folder")
	}
	var s bench.Setting
	if err := json.Unmarshal([]byte(args[0]), &s); err != nil {
		return fmt.Errorf("setting %q: %w", args[0], err)
	}
	return bench.Serve(ctx, s, args[1], os.Stdin, os.Stdout)
}

func race(ctx context.Context, nodes, fields, out string, batch int, r bench.Race) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	r.Library = func(s bench.Setting, folder string) ([]string, error) {
		setting, err := json.Marshal(s)
		return []string{self, "-serve", string(setting), folder}, err
	}
	var raced bench.File
	sizes, err := numbers(nodes)
	if err != nil {
		return err
	}
	for _, n := range sizes {
		for _, kind := range strings.Split(fields, ",") {
			row, err := r.Run(ctx, bench.Setting{Field: kind, Nodes: n, Seed: 1234, Batch: batch})
			if err != nil {
				return err
			}
			fmt.Println(row)
			raced.Put(row)
			if err := bench.Update(out, func(f *bench.File) { f.Put(row) }); err != nil {
				return err
			}
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	table, err := raced.Table().Markdown()
	fmt.Print("\n", table)
	return err
}

// together times seeds that train in one program.
func together(ctx context.Context, nodes, fields, seeds string, epochs int, out string) error {
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
		for _, kind := range strings.Split(fields, ",") {
			for _, count := range counts {
				t, err := bench.MeasureTogether(ctx, backend, bench.Setting{Field: kind, Nodes: n, Seed: 1234}, count, epochs)
				if err != nil {
					return err
				}
				fmt.Printf("%s, %d nodes, %d seeds: %.3g s per seed and epoch\n", kind, n, count, t.SeedEpoch.Median)
				measured.PutTogether(t)
				if err := bench.Update(out, func(f *bench.File) { f.PutTogether(t) }); err != nil {
					return err
				}
			}
		}
	}
	table, err := measured.TogetherTable().Markdown()
	fmt.Print("\n", table)
	return err
}

func numbers(list string) (all []int, err error) {
	for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("number %q: %w", text, err)
		}
		all = append(all, n)
	}
	return all, nil
}
