package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// keepInputs returns an error if a file that --out would replace is one that the command reads, also by another path.
func keepInputs(outputs []string, inputs ...string) error {
	for _, output := range outputs {
		there, err := os.Stat(output)
		if err != nil {
			continue // no file to lose; writing tells of other faults
		}
		for _, input := range inputs {
			if read, err := os.Stat(input); err == nil && os.SameFile(there, read) {
				return errs.New(experiments.ErrInput, "--out would replace %s, which is read as %s: want another --out",
					output, input)
			}
		}
	}
	return nil
}

// checkFolder returns an error if --out, a folder to write to, is a file.
func checkFolder(out string) error {
	if info, err := os.Stat(out); err == nil && !info.IsDir() {
		return errs.New(experiments.ErrInput, "--out %s is a file, want a folder, which may be a new one", out)
	}
	return nil
}

// checkPage returns an error if --out, a page to write, has the name of another kind of file.
func checkPage(out string) error {
	switch ending := strings.ToLower(filepath.Ext(out)); ending {
	case ".html", ".htm":
		return nil
	}
	return errs.New(experiments.ErrInput, "report: --out %s, want a name that ends in .html: try %s.html", out,
		strings.TrimSuffix(out, filepath.Ext(out)))
}
