package starter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/peng-cde/pengcde-go/internal/moduleroot"
)

// version is the one that stands for a checkout.
const version = "v0.0.0"

// goMod is the folder's go.mod: it requires the checkout, and for "no network" all that the checkout does.
func (f *Folder) goMod() ([]byte, error) {
	file := filepath.Join(f.Checkout, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("starter: %w: %w", moduleroot.ErrCheckout, err)
	}
	theirs, err := modfile.Parse(file, text, nil)
	if err != nil {
		return nil, fmt.Errorf("starter: %w: %w", moduleroot.ErrCheckout, err)
	}
	if theirs.Go == nil {
		return nil, fmt.Errorf("starter: %w: %s has no line with the version of Go", moduleroot.ErrCheckout, file)
	}
	var ours modfile.File
	if err := errors.Join(ours.AddModuleStmt(modulePath(f.Path)), ours.AddGoStmt(theirs.Go.Version),
		ours.AddReplace(moduleroot.Module, "", f.Checkout, "")); err != nil {
		return nil, fmt.Errorf("starter: go.mod: %w", err)
	}
	ours.AddNewRequire(moduleroot.Module, version, false)
	for _, r := range theirs.Require {
		ours.AddNewRequire(r.Mod.Path, r.Mod.Version, true)
	}
	ours.SetRequireSeparateIndirect(ours.Require)
	ours.Cleanup()
	return ours.Format()
}

// modulePath names the module of a folder. Go's own packages never have paths below "example".
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
