package main

import (
	"context"
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/export"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/experiments/store"
)

type resultsCommand struct {
	Ship        shipCommand        `cmd:"" help:"Write stored runs into the checkout, to come with it."`
	Merge       mergeCommand       `cmd:"" help:"Bring in runs of other folders and archives."`
	Export      exportCommand      `cmd:"" help:"Write stored runs as tables, for Python and others."`
	Leaderboard leaderboardCommand `cmd:"" help:"Write the record that TGB's leaderboard asks for, from five seeds."`
	Page        pageCommand        `cmd:"" help:"Write a page on all studies: verdicts, tables, figures."`
}

type shipCommand struct {
	Studies []string `arg:"" name:"study" help:"As pengcde list names them."`
	Profile string   `help:"quick, medium or full; else $PENGCDE_PROFILE, else quick." placeholder:"NAME"`
	Fresh   bool     `help:"Leave out runs that only the present archive holds."`
}

// Run ships studies one by one, and replaces each archive in one step.
func (c *shipCommand) Run(ctx context.Context, s *streams) error {
	for _, name := range c.Studies {
		if err := ctx.Err(); err != nil {
			return err
		}
		study, err := paper.ByName(name)
		if err != nil {
			return err
		}
		r, err := study.Ship(ctx, experiments.Options{Profile: experiments.Profile(c.Profile), Fresh: c.Fresh})
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s: %d runs, %d bytes", r.File, r.Runs, r.Bytes)
		if r.Missing > 0 {
			fmt.Fprintf(s.out, "; %d planned runs are not stored", r.Missing)
		}
		fmt.Fprintln(s.out)
	}
	return nil
}

type mergeCommand struct {
	From []string `arg:"" help:"Results folders, archives of shipped runs, or folders of them. They are only read."`
	Into string   `help:"Merge into this folder, in place of --results." placeholder:"FOLDER"`
}

// Run merges, and fails if conflicts or unmerged records remain.
func (c *mergeCommand) Run(ctx context.Context, s *streams) error {
	r, err := store.Merge(ctx, c.Into, c.From)
	fmt.Fprintf(s.out, "%d runs added, %d were there\n", r.Added, r.Same)
	for _, file := range r.Conflicts {
		fmt.Fprintf(s.err, "another outcome of a run that was there is kept in %s\n", file)
	}
	for _, line := range r.Left {
		fmt.Fprintf(s.err, "not merged: %s\n", line)
	}
	if err == nil && len(r.Conflicts)+len(r.Left) > 0 {
		err = fmt.Errorf("%d runs with another outcome, %d not merged", len(r.Conflicts), len(r.Left))
	}
	return err
}

type exportCommand struct {
	choice
	Format string `help:"csv or parquet." enum:"csv,parquet" default:"csv"`
	Out    string `help:"Folder of the tables; else the working folder." placeholder:"FOLDER" default:"."`
}

// Run writes the tables and prints their paths.
func (c *exportCommand) Run(ctx context.Context, s *streams) error {
	report, o, err := c.stored(ctx, s)
	if err != nil {
		return err
	}
	if stored, _ := report.Count(); stored == 0 {
		return c.nothing(ctx, report, o)
	}
	files, err := export.Write(report, c.Out, export.Format(c.Format))
	for _, file := range files {
		fmt.Fprintln(s.out, file)
	}
	return err
}
