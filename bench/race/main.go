// Command race times the library against the peer in turns, or seeds that train in one program, prints a table and
// keeps it in a file, row by row.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/bench"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/xla"
)

func main() {
	nodes := flag.String("nodes", "100,144,256,400,529,1024", "numbers of nodes; none to draw a -figure alone")
	fields := flag.String("fields", strings.Join(bench.Fields(), ","), "vector fields")
	pairs := flag.Int("pairs", 5, "turns of each")
	upTo := flag.Int("peer-up-to", 1024, "most nodes that the peer is given")
	memory := flag.Float64("peer-memory", 20, "GiB that the peer may take")
	variant := flag.String("variant", "dense", "of the peer: dense or implicit")
	steps := flag.String("peer-steps", "given", "of the peer: given, those that the library accepts, or default, its own")
	batch := flag.Int("batch", 0, "series in an optimiser step, where the peer takes no part; 0 for all")
	seeds := flag.String("seeds", "", "numbers of seeds to train in one program, in place of races; -pairs is the "+
		"epochs that are timed")
	out := flag.String("out", "", "JSON file to add rows to, in place of those of the same model, size, variant and "+
		"machine")
	figure := flag.String("figure", "", "PNG file to draw seconds per epoch of all rows of -out into")
	one := flag.String("one", "", "run a race that is given in JSON, and print its row in JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	all, err := settings(*nodes, *fields, *batch)
	// Compiling is timed, and the peer finds nothing that was compiled.
	programs, problem := os.MkdirTemp("", "pengcde-programs-")
	os.Setenv(xla.CacheEnv, programs)
	switch err = errors.Join(err, problem); {
	case err != nil:
	case *one != "":
		err = raceOne(ctx, *one)
	case *seeds != "":
		err = together(ctx, all, *seeds, *pairs, *out)
	default:
		r := bench.Race{Pairs: *pairs, PeerUpTo: *upTo, Variant: *variant, Steps: *steps, MemoryGiB: *memory}
		err = race(ctx, all, r, *out)
	}
	if err == nil && *figure != "" {
		err = draw(*out, *figure)
	}
	if err = errors.Join(err, os.RemoveAll(programs)); err != nil {
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

// single is a race on one case.
type single struct {
	bench.Race
	bench.Setting
}

// raceOne prints the row of one race.
func raceOne(ctx context.Context, text string) error {
	var race single
	if err := json.Unmarshal([]byte(text), &race); err != nil {
		return fmt.Errorf("race %q: %w", text, err)
	}
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return err
	}
	defer backend.Close()
	row, err := race.Run(ctx, backend, race.Setting)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(row)
}

// race runs this command once more for each case, so that memory is that of one race.
func race(ctx context.Context, all []bench.Setting, r bench.Race, out string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var raced bench.File
	for _, s := range all {
		text, err := json.Marshal(single{r, s})
		if err != nil {
			return err
		}
		command := exec.CommandContext(ctx, self, "-one", string(text))
		command.Stderr = os.Stderr
		command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // to let it clean up
		content, err := command.Output()
		if err != nil {
			return fmt.Errorf("race of %s on %d nodes: %w", s.Field, s.Nodes, err)
		}
		var row bench.Row
		if err := json.Unmarshal(content, &row); err != nil {
			return fmt.Errorf("row %q: %w", content, err)
		}
		fmt.Println(row)
		raced.Put(row)
		if err := bench.Update(out, func(f *bench.File) { f.Put(row) }); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return nil
	}
	return show(raced.Table())
}

// together times seeds that train in one program.
func together(ctx context.Context, all []bench.Setting, seeds string, epochs int, out string) error {
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
	for _, s := range all {
		for _, count := range counts {
			t, err := bench.MeasureTogether(ctx, backend, s, count, epochs)
			if err != nil {
				return err
			}
			fmt.Printf("%s, %d nodes, %d seeds: %.3g s per seed and epoch\n", s.Field, s.Nodes, count,
				t.SeedEpoch.Median)
			measured.PutTogether(t)
			if err := bench.Update(out, func(f *bench.File) { f.PutTogether(t) }); err != nil {
				return err
			}
		}
	}
	return show(measured.TogetherTable())
}

// show prints a table with its notes.
func show(table *figures.Table) error {
	text, err := table.Text(0)
	if err != nil {
		return err
	}
	notes, err := figures.Notes(table).Text(0)
	fmt.Printf("\n%s\n%s", text, notes)
	return err
}

// settings are those of every size with every field.
func settings(nodes, fields string, batch int) (all []bench.Setting, err error) {
	sizes, err := numbers(nodes)
	for _, n := range sizes {
		for _, field := range strings.Split(fields, ",") {
			all = append(all, bench.Setting{Field: field, Nodes: n, Seed: 1234, Batch: batch})
		}
	}
	return all, err
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
