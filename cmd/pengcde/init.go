package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/moduleroot"
	"github.com/peng-cde/pengcde-go/internal/starter"
)

type initCommand struct {
	Folder string `arg:"" name:"dir" type:"path" help:"Folder for notebooks; files in it stay as they are."`
	Module string `type:"path" placeholder:"FOLDER" help:"Checkout to use; else this program's, then this folder's."`
}

// Run creates the folder, lists its content and says how to open it.
func (c initCommand) Run(s *streams) error {
	checkout := c.Module
	if checkout == "" {
		var err error
		if checkout, err = checkoutHere(); err != nil {
			return fmt.Errorf("%w: run this in a checkout, or name one by --module", err)
		}
	}
	made, err := starter.Make(c.Folder, checkout)
	if errors.Is(err, moduleroot.ErrCheckout) {
		return fmt.Errorf("%w: name a checkout by --module", err)
	}
	if err != nil {
		return err
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

// checkoutHere returns the checkout that contains this program, else the working folder's.
func checkoutHere() (string, error) {
	var folders []string
	if program, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Dir(program))
	}
	if folder, err := os.Getwd(); err == nil {
		folders = append(folders, folder)
	}
	return moduleroot.Find(folders...)
}
