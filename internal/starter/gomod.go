package starter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// Module is the path of this library's module, version the one that stands for a checkout.
const (
	Module  = "github.com/peng-cde/pengcde-go"
	version = "v0.0.0"
)

// ErrCheckout is wrapped when no checkout of this library is found.
var ErrCheckout = errors.New("no checkout of " + Module)

// FindCheckout returns the nearest checkout of this library that holds one of the folders; the first that is in one
// counts. It wraps [ErrCheckout] where none is.
func FindCheckout(folders ...string) (string, error) {
	for _, folder := range folders {
		folder, err := filepath.Abs(folder)
		if err != nil {
			return "", fmt.Errorf("starter: %w", err)
		}
		for at := folder; ; at = filepath.Dir(at) {
			if text, err := os.ReadFile(filepath.Join(at, "go.mod")); err == nil && modfile.ModulePath(text) == Module {
				return at, nil
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return "", fmt.Errorf("starter: %w at or above %s", ErrCheckout, strings.Join(folders, " or "))
}

// goMod is the folder's go.mod: it requires the checkout, and for "no network" all that the checkout does.
func (f *Folder) goMod() ([]byte, error) {
	file := filepath.Join(f.Checkout, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("starter: %w: %w", ErrCheckout, err)
	}
	theirs, err := modfile.Parse(file, text, nil)
	if err != nil {
		return nil, fmt.Errorf("starter: %w: %w", ErrCheckout, err)
	}
	if theirs.Go == nil {
		return nil, fmt.Errorf("starter: %w: %s has no line with the version of Go", ErrCheckout, file)
	}
	var ours modfile.File
	if err := errors.Join(ours.AddModuleStmt(modulePath(f.Path)), ours.AddGoStmt(theirs.Go.Version),
		ours.AddReplace(Module, "", f.Checkout, "")); err != nil {
		return nil, fmt.Errorf("starter: go.mod: %w", err)
	}
	ours.AddNewRequire(Module, version, false)
	for _, r := range theirs.Require {
		ours.AddNewRequire(r.Mod.Path, r.Mod.Version, true)
	}
	ours.SetRequireSeparateIndirect(ours.Require)
	ours.Cleanup()
	return ours.Format()
}

// modulePath names the module of a folder. Paths below "example" are never those of Go's own packages.
func modulePath(folder string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, filepath.Base(folder))
	name = strings.Trim(name, "-")
	if name == "" {
		name = "notebooks"
	}
	return "example/" + name
}
