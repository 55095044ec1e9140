package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/forecast"
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

// holdFolder makes a folder and keeps it from other fits until release is called. release removes a folder that was
// made and is empty.
func holdFolder(out string) (release func() error, err error) {
	_, missing := os.Stat(out)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	lease, err := new(store.Leases).Take(filepath.Join(out, ".fit.lock"))
	var held *store.HeldError
	if errors.As(err, &held) {
		return nil, errs.New(err, "another fit writes into %s: want one at a time; wait for it, or give each an --out of "+
			"its own (%v)", out, held)
	}
	if err != nil {
		return nil, err
	}
	return func() error {
		err := lease.Release()
		if missing != nil {
			_ = os.Remove(out) // refused where there are files
		}
		return err
	}, nil
}

// checkPage returns an error if --out, a page to write, has the name of another kind of file.
func checkPage(out, extension string) error {
	if strings.EqualFold(filepath.Ext(out), extension) {
		return nil
	}
	return errs.New(experiments.ErrInput, "--out %s, want a name that ends in %s: try %s%[2]s", out, extension,
		strings.TrimSuffix(out, filepath.Ext(out)))
}

// earlierModel is the model file of a folder before a fit.
type earlierModel struct {
	path string
	file os.FileInfo // nil if there is none
}

func modelIn(folder string) earlierModel {
	path := filepath.Join(folder, forecast.ModelFile)
	info, _ := os.Stat(path) // a file that cannot be read has nothing to compare
	return earlierModel{path, info}
}

// noteReplaced tells that a fit will replace the model and what belongs to it.
func (m earlierModel) noteReplaced(to io.Writer) {
	if m.file != nil {
		fmt.Fprintf(to, "%s is there already, of %s: this fit replaces it and the files beside it; another --out keeps "+
			"them\n", m.path, m.file.ModTime().Format(time.DateTime))
	}
}

// noteMeanwhile tells that another fit has written the model since.
func (m earlierModel) noteMeanwhile(to io.Writer) {
	now := modelIn(filepath.Dir(m.path)).file
	if now != nil && (m.file == nil || !os.SameFile(m.file, now)) {
		fmt.Fprintf(to, "another fit wrote %s meanwhile: this one replaces it; another --out for each keeps both\n", m.path)
	}
}
