// Package moduleroot finds the checkout of this library that a folder lies in.
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

// Find returns the nearest checkout of this library that holds one of the folders; the first that is in one counts. It
// wraps [ErrCheckout] where none is. A checkout is a folder whose go.mod names the module.
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
