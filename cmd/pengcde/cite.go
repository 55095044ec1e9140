package main

import (
	"context"
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments/paper"
)

type citeCommand struct {
	Names []string `arg:"" optional:"" name:"model" help:"Models and studies, as pengcde list names them."`
}

// Run prints BibTeX.
func (c citeCommand) Run(ctx context.Context, s *streams) error {
	entries, err := paper.References(ctx, c.Names...)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(s.out, entries)
	return err
}
