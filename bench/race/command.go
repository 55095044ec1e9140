package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/bench"
)

// command holds the checked command line.
type command struct {
	settings []bench.Setting
	race     bench.Race
	seeds    []int   // numbers of seeds to train in one program, instead of races; nil for races
	one      *single // the only race, printed in JSON
	out      string
	figure   string
	history  string
	past     string // figure of the history
}

// single is a race on one case.
type single struct {
	bench.Race
	bench.Setting
}

// parse parses the command line, and finds all its mistakes before anything is timed.
func parse(args []string) (c command, err error) {
	flags := flag.NewFlagSet("race", flag.ContinueOnError)
	nodes := flags.String("nodes", "100,144,256,400,529,1024", "numbers of nodes; none to draw a -figure alone")
	fields := flags.String("fields", strings.Join(bench.Fields(), ","), "vector fields")
	flags.IntVar(&c.race.Pairs, "pairs", 5, "turns of each")
	flags.IntVar(&c.race.PeerUpTo, "peer-up-to", 1024, "most nodes that the peer is given")
	flags.Float64Var(&c.race.MemoryGiB, "peer-memory", 20, "GiB that the peer may take")
	flags.StringVar(&c.race.Variant, "variant", "dense", "of the peer: dense or implicit")
	flags.StringVar(&c.race.Steps, "peer-steps", "given",
		"of the peer: given, those that the library accepts, or default, its own")
	batch := flags.Int("batch", 0, "series in an optimiser step, where the peer takes no part; 0 for all")
	seeds := flags.String("seeds", "", "numbers of seeds to train in one program, in place of races; -pairs is the "+
		"epochs that are timed")
	flags.StringVar(&c.out, "out", "", "JSON file to add rows to, in place of its rows of the same model, size, variant "+
		"and machine")
	flags.StringVar(&c.figure, "figure", "", "PNG file to draw seconds per epoch of all rows of -out into")
	flags.StringVar(&c.history, "history", "", "CSV file to append each race with a ratio to")
	flags.StringVar(&c.past, "history-figure", "", "PNG file to draw the ratios of -history over time into")
	one := flags.String("one", "", "run a race that is given in JSON, and print its row in JSON")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("race: %q: want flags alone, such as -nodes 144,529 -fields peng", flags.Args())
	}
	if *one != "" {
		c.one = new(single)
		if err := json.Unmarshal([]byte(*one), c.one); err != nil {
			return c, fmt.Errorf("race: -one %q: %w", *one, err)
		}
		return c, c.one.Race.Validate(c.one.Setting)
	}
	sizes, wrong := numbers("nodes", *nodes)
	all := []error{wrong}
	for _, n := range sizes {
		for _, field := range list(*fields) {
			c.settings = append(c.settings, bench.Setting{Field: field, Nodes: n, Seed: 1234, Batch: *batch})
		}
	}
	if len(sizes) > 0 && len(c.settings) == 0 {
		all = append(all, errors.New("race: -fields names none"))
	}
	c.seeds, wrong = numbers("seeds", *seeds)
	all = append(all, wrong, c.files(), c.check())
	return c, errors.Join(all...)
}

// check finds the settings that would be refused later, and reports each mistake once.
func (c command) check() error {
	var all []error
	add := func(err error) {
		if err != nil && !slices.ContainsFunc(all, func(other error) bool { return other.Error() == err.Error() }) {
			all = append(all, err)
		}
	}
	for _, s := range c.settings {
		for _, count := range c.seeds {
			add(errors.Join(bench.ValidateTogether(count, c.race.Pairs), s.Validate()))
		}
		if c.seeds == nil {
			add(c.race.Validate(s))
		}
	}
	return errors.Join(all...)
}

// files finds files that could not be read or written at the end.
func (c command) files() error {
	if c.out != "" {
		if _, err := bench.ReadFile(c.out); err != nil {
			return fmt.Errorf("race: -out: %w", err)
		}
	}
	if c.figure != "" && c.out == "" {
		return errors.New("race: -figure draws the rows of -out, which is not given")
	}
	if _, err := bench.ReadHistory(c.history); err != nil {
		return fmt.Errorf("race: -history: %w", err)
	}
	if c.past != "" && c.history == "" {
		return errors.New("race: -history-figure draws the races of -history, which is not given")
	}
	for flag, path := range map[string]string{"figure": c.figure, "history-figure": c.past} {
		if ext := strings.ToLower(filepath.Ext(path)); path != "" && ext != ".png" && ext != ".svg" {
			return fmt.Errorf("race: -%s %s: want a name that ends in .png or .svg", flag, path)
		}
	}
	for _, path := range []string{c.out, c.figure, c.history, c.past} {
		if path == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return fmt.Errorf("race: %s: its folder does not exist", path)
		}
	}
	return nil
}

// list splits a comma-separated list into words.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// numbers parses the list of a flag; nil if it is empty.
func numbers(name, text string) (all []int, err error) {
	for _, word := range list(text) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("race: -%s: %q is no whole number", name, word)
		}
		all = append(all, n)
	}
	return all, nil
}
