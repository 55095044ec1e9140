// Command race times the library against the peer in turn, or seeds that train in one program. It prints a table and
// stores it in a file, row by row.
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
	"time"

	"github.com/peng-cde/pengcde-go/bench"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/xla"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run executes the command line.
func run(ctx context.Context, args []string) error {
	c, err := parse(args)
	if err != nil {
		return err
	}
	// Compiling is timed, so an empty folder ensures that no compiled program is found.
	programs, err := os.MkdirTemp("", "pengcde-programs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(programs)
	os.Setenv(xla.CacheEnv, programs)
	switch {
	case c.one != nil:
		err = raceOne(ctx, *c.one)
	case c.seeds != nil:
		err = together(ctx, c)
	default:
		err = race(ctx, c)
	}
	if err == nil && c.figure != "" {
		err = draw(c.out, bench.ReadFile, bench.File.DrawSeconds, c.figure)
	}
	if err == nil && c.past != "" {
		err = draw(c.history, bench.ReadHistory, bench.DrawHistory, c.past)
	}
	return err
}

// draw saves a figure of what a file holds.
func draw[T any](path string, read func(string) (T, error), of func(T) (*figures.Figure, error), figure string) error {
	content, err := read(path)
	if err != nil {
		return err
	}
	drawn, err := of(content)
	if err != nil {
		return err
	}
	return drawn.Save(figure)
}

// raceOne prints the row of one race.
func raceOne(ctx context.Context, race single) error {
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

// race runs this command again for each case, so that its memory counts only one race.
func race(ctx context.Context, c command) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var raced bench.File
	for _, s := range c.settings {
		text, err := json.Marshal(single{c.race, s})
		if err != nil {
			return err
		}
		command := exec.CommandContext(ctx, self, "-one", string(text))
		command.Stderr = os.Stderr
		command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // lets it clean up
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
		if err := bench.Update(c.out, func(f *bench.File) { f.Put(row) }); err != nil {
			return err
		}
		if err := bench.AppendHistory(c.history, time.Now(), row); err != nil {
			return err
		}
	}
	if len(c.settings) == 0 {
		return nil
	}
	return show(raced.Table())
}

// together times seeds that train in one program.
func together(ctx context.Context, c command) error {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return err
	}
	defer backend.Close()
	var measured bench.File
	for _, s := range c.settings {
		for _, count := range c.seeds {
			t, err := bench.MeasureTogether(ctx, backend, s, count, c.race.Pairs)
			if err != nil {
				return err
			}
			fmt.Printf("%s, %d nodes, %d seeds: %.3g s per seed and epoch\n", s.Field, s.Nodes, count,
				t.SeedEpoch.Median)
			measured.PutTogether(t)
			if err := bench.Update(c.out, func(f *bench.File) { f.PutTogether(t) }); err != nil {
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
