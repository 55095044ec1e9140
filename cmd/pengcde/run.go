package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/xla"
)

// choice are the arguments that choose runs.
type choice struct {
	Experiment string   `arg:"" help:"As pengcde list names it."`
	Profile    string   `help:"quick, medium or full; else $PENGCDE_PROFILE, else quick." placeholder:"NAME"`
	Models     []string `help:"Some models, as pengcde list names them; all without it." placeholder:"A,B"`
	Splits     []string `help:"Some splits of a forecasting experiment: random, chronological, purged-rotation, rolling-origin, and leaky-rotation, which is not made without it." placeholder:"A,B"`
	Seeds      seeds    `help:"Some seeds, as in 0-4 or 0,2,7, in place of those of the profile; in rotations each for every window." placeholder:"RANGE"`
}

func (c choice) options() (experiments.Experiment, experiments.Options, error) {
	o := experiments.Options{Profile: experiments.Profile(c.Profile), Models: c.Models, Seeds: c.Seeds}
	for _, split := range c.Splits {
		o.Splits = append(o.Splits, experiments.Split(split))
	}
	e, err := experiments.ByName(c.Experiment)
	return e, o, err
}

// seeds are given as numbers and ranges.
type seeds []uint64

// maxSeeds bounds a range, which else might be a slip of the finger.
const maxSeeds = 10_000

// UnmarshalText reads "0-4,7".
func (s *seeds) UnmarshalText(text []byte) error {
	*s = nil
	var read seeds
	for part := range strings.SplitSeq(string(text), ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 64)
		last, err2 := strconv.ParseUint(to, 10, 64)
		if err != nil || err2 != nil || last < first || last-first >= maxSeeds {
			return fmt.Errorf("seeds %q, want numbers and ranges such as 0-4,7", text)
		}
		for seed := first; ; seed++ {
			read = append(read, seed)
			if seed == last {
				break
			}
		}
	}
	*s = read
	return nil
}

type runCommand struct {
	choice
	Retry           bool          `help:"Make runs again whose error was stored."`
	Stale           bool          `help:"Make runs again of which only another generation of the numerics is stored, and delete those."`
	CheckpointEvery time.Duration `help:"Time between checkpoints of a training." default:"30s"`
	Backend         string        `help:"go, xla:cpu, xla:cuda or xla:/path/to/plugin.so; else $PENGCDE_BACKEND, else the best that is there." placeholder:"NAME"`
}

// Run makes the missing runs and prints their table.
func (c *runCommand) Run(ctx context.Context, s *streams) error {
	e, o, err := c.options()
	if err != nil {
		return err
	}
	if c.Backend != "" {
		if err := os.Setenv(xla.BackendEnv, c.Backend); err != nil {
			return err
		}
	}
	if _, err := e.Stored(o); err != nil { // names that do not exist are found out before a bar is drawn
		return err
	}
	bar := newBar(e.Name, s.err)
	o.Retry, o.Stale, o.CheckpointEvery, o.Progress = c.Retry, c.Stale, c.CheckpointEvery, bar.Update
	o.Notice = func(text string) { fmt.Fprintln(s.err, "\n"+text) }
	results, err := e.Run(ctx, o)
	if results == nil {
		bar.Stop("stopped")
		return err
	}
	said, finish := counted(results), bar.Done
	if err != nil {
		finish = bar.Stop
	}
	finish(said)
	if shown := show(s.out, results, markdown); shown != nil {
		return shown
	}
	return err
}

// counted says how many runs are stored.
func counted(r experiments.Results) string {
	stored, planned := r.Count()
	text, stale := fmt.Sprintf("%d of %d runs stored", stored, planned), 0
	for _, c := range r.Models() {
		stale += c.Stale
	}
	if stale > 0 {
		text += fmt.Sprintf(", %d stale", stale)
	}
	return text
}
