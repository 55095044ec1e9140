package main

import (
	"context"
	"fmt"

	"github.com/peng-cde/pengcde-go/bench"
	"github.com/peng-cde/pengcde-go/experiments/pages"
	"github.com/peng-cde/pengcde-go/internal/durable"
)

type reportCommand struct {
	collection
	Out string `help:"The page, one file; else report.html here." placeholder:"FILE" default:"report.html"`
}

// Run writes the report, and prints its path.
func (c *reportCommand) Run(ctx context.Context, s *streams) error {
	if err := checkPage(c.Out, ".html"); err != nil {
		return err
	}
	return c.collect(ctx, func(document *pages.Document) error {
		races, err := bench.Latest()
		if err != nil {
			return err
		}
		document.EpochSeconds, document.EpochMachine = races.EpochSeconds()
		report, err := document.Report()
		if err != nil {
			return err
		}
		if err := durable.WriteFile(c.Out, report); err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, c.Out)
		return err
	})
}
