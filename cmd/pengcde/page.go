package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/pages"
	"github.com/peng-cde/pengcde-go/internal/durable"
)

// collection holds the arguments that select the runs of a page on all studies.
type collection struct {
	Profile string `help:"quick, full, or medium, which shows full too." placeholder:"NAME" default:"medium"`
	Shipped bool   `help:"Take no runs but those that came with the module."`
}

// collect calls write with the content of the page; meanwhile no other runs can be found.
func (c collection) collect(ctx context.Context, write func(*pages.Document) error) error {
	if c.Shipped {
		restore, err := shippedAlone()
		if err != nil {
			return err
		}
		defer restore()
	}
	document, err := pages.Collect(ctx, experiments.Profile(c.Profile))
	if err != nil {
		return err
	}
	return write(document)
}

type pageCommand struct {
	collection
	Out string `help:"The page; its figures go into a folder beside it." placeholder:"FILE" default:"docs/results.md"`
}

// Run writes a page on all studies with stored runs, and its figures.
func (c *pageCommand) Run(ctx context.Context, s *streams) error {
	if err := checkPage(c.Out, ".md"); err != nil { // the folder of the figures has its name without the ending
		return err
	}
	return c.collect(ctx, func(document *pages.Document) error { return c.write(document, s) })
}

func (c *pageCommand) write(document *pages.Document, s *streams) error {
	name := strings.TrimSuffix(filepath.Base(c.Out), filepath.Ext(c.Out)) // results for results.md
	text, drawn, err := document.Markdown(name)
	if err != nil {
		return err
	}
	folder := filepath.Join(filepath.Dir(c.Out), name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, figure := range drawn {
		path := filepath.Join(folder, figure.Name+".svg")
		if err := durable.WriteFile(path, figure.Drawing); err != nil {
			return err
		}
		fmt.Fprintln(s.out, path)
	}
	if err := durable.WriteFile(c.Out, []byte(text)); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, c.Out)
	return err
}

// shippedAlone hides all runs except those that came with the module, until restore is called.
func shippedAlone() (restore func(), err error) {
	empty, err := os.MkdirTemp("", "pengcde-no-results-")
	if err != nil {
		return nil, err
	}
	before, set := os.LookupEnv(experiments.ResultsEnv)
	restore = func() {
		os.RemoveAll(empty)
		if set {
			os.Setenv(experiments.ResultsEnv, before)
		} else {
			os.Unsetenv(experiments.ResultsEnv)
		}
	}
	if err := os.Setenv(experiments.ResultsEnv, empty); err != nil {
		restore()
		return nil, err
	}
	return restore, nil
}
