package main

import (
	"context"
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/pages"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/internal/durable"
)

type reportCommand struct {
	Profile string `help:"quick, medium or full." placeholder:"NAME" default:"medium"`
	Out     string `help:"The page, one file; else report.html here." placeholder:"FILE" default:"report.html"`
	Shipped bool   `help:"Take no runs but those that came with the module."`
}

// Run writes the report, and prints where.
func (c *reportCommand) Run(ctx context.Context, s *streams) error {
	if c.Shipped {
		restore, err := shippedAlone()
		if err != nil {
			return err
		}
		defer restore()
	}
	document, err := pages.Collect(ctx, experiments.Profile(c.Profile), paper.All())
	if err != nil {
		return err
	}
	report, err := document.Report(ctx)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(c.Out, report); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, c.Out)
	return err
}
