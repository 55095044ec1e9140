package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/starter"
)

type initCommand struct {
	Folder string `arg:"" name:"dir" help:"Folder for the notebooks; it may exist, and what is in it stays as it is." type:"path"`
	Module string `help:"A checkout of pengcde-go. Default: that of this program, else that of the working folder." placeholder:"FOLDER" type:"path"`
}

// Run makes the folder and says what is in it and how to open it.
func (c initCommand) Run(s *streams) error {
	checkout := c.Module
	if checkout == "" {
		var err error
		if checkout, err = checkoutHere(); err != nil {
			return fmt.Errorf("init: %w: run this in a checkout, or name one by --module", err)
		}
	}
	made, err := starter.Make(c.Folder, checkout)
	if errors.Is(err, starter.ErrCheckout) {
		return fmt.Errorf("init: %w: name a checkout by --module", err)
	}
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	fmt.Fprintf(s.out, "%s uses the checkout %s\n", made.Path, made.Checkout)
	if len(made.Made) > 0 {
		fmt.Fprintf(s.out, "  new: %s\n", strings.Join(made.Made, ", "))
	}
	if len(made.Kept) > 0 {
		fmt.Fprintf(s.out, "  there already, not touched: %s\n", strings.Join(made.Kept, ", "))
	}
	fmt.Fprintf(s.out, "open %s with\n  make -C %s lab DIR=%s\n", starter.Notebook, starter.Quote(made.Checkout),
		starter.Quote(made.Path))
	return nil
}

// checkoutHere is the checkout that this program lies in, else that of the working folder.
func checkoutHere() (string, error) {
	var places []string
	if program, err := os.Executable(); err == nil {
		places = append(places, filepath.Dir(program))
	}
	if folder, err := os.Getwd(); err == nil {
		places = append(places, folder)
	}
	return starter.FindCheckout(places...)
}
