package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	Out string `help:"The opening page; a folder beside it gets the others." placeholder:"FILE" default:"docs/results.md"`
}

// Run writes pages on all studies with stored runs, and their figures.
func (c *pageCommand) Run(ctx context.Context, s *streams) error {
	if err := checkPage(c.Out, ".md"); err != nil { // the folder has its name without the ending
		return err
	}
	return c.collect(ctx, func(document *pages.Document) error { return c.write(document, s) })
}

func (c *pageCommand) write(document *pages.Document, s *streams) error {
	all, drawn, err := document.Markdown(filepath.Base(c.Out))
	if err != nil {
		return err
	}
	root, folder := filepath.Dir(c.Out), strings.TrimSuffix(filepath.Base(c.Out), filepath.Ext(c.Out))
	if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
		return err
	}
	put := func(path string, content []byte) error {
		path = filepath.Join(root, path)
		if err := durable.WriteFile(path, content); err != nil {
			return err
		}
		_, err := fmt.Fprintln(s.out, path)
		return err
	}
	for _, figure := range drawn {
		if err := put(filepath.Join(folder, figure.Name+".svg"), figure.Drawing); err != nil {
			return err
		}
	}
	for _, page := range slices.Backward(all) { // the opening page last, when all that it leads to is there
		if err := put(page.Path, []byte(page.Text)); err != nil {
			return err
		}
	}
	return nil
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
