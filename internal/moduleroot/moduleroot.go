// Package moduleroot finds the checkout of this library that contains a folder.
package moduleroot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// Module is the path of this library's module.
const Module = "github.com/peng-cde/pengcde-go"

// ErrCheckout is wrapped when no checkout of this library is found.
var ErrCheckout = errors.New("no checkout of " + Module)

// Find returns the nearest checkout of this library that contains the first folder that is in a checkout. It wraps
// [ErrCheckout] if none is. A checkout is a folder whose go.mod names the module.
func Find(folders ...string) (string, error) {
	for _, folder := range folders {
		folder, err := filepath.Abs(folder)
		if err != nil {
			return "", err
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
	return "", fmt.Errorf("%w at or above %s", ErrCheckout, strings.Join(folders, " or "))
}
