package errs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestIn(t *testing.T) {
	sentinel := errors.New("invalid input")
	for text, want := range map[string]string{
		"pengcde/path: knot 2":    "pengcde: window 0: knot 2: EOF",
		"pengcde: knot 2":         "pengcde: window 0: knot 2: EOF",
		"dyngraph: knot 2":        "pengcde: window 0: knot 2: EOF",
		"datasets/pgt: knot 2":    "pengcde: window 0: knot 2: EOF",
		"experiments: knot 2":     "pengcde: window 0: knot 2: EOF",
		"forecast: knot 2":        "pengcde: window 0: knot 2: EOF",
		"starter: knot 2":         "pengcde: window 0: knot 2: EOF",
		"stats: knot 2":           "pengcde: window 0: knot 2: EOF",
		"knot 2":                  "pengcde: window 0: knot 2: EOF",
		"pengcde/my file: broken": "pengcde: window 0: pengcde/my file: broken: EOF",
	} {
		err := In("pengcde: window 0", fmt.Errorf("%s: %w", text, io.EOF), sentinel)
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
		if !errors.Is(err, io.EOF) || !errors.Is(err, sentinel) {
			t.Errorf("%v wraps EOF: %v, the sentinel: %v", err, errors.Is(err, io.EOF), errors.Is(err, sentinel))
		}
	}
}

// An error does not end in the words of its sentinel, and wraps it beside what its format wraps.
func TestNew(t *testing.T) {
	sentinel := errors.New("invalid input")
	err := New(sentinel, "pengcde: %d nodes: %w", 3, io.EOF)
	if err.Error() != "pengcde: 3 nodes: EOF" || !errors.Is(err, sentinel) || !errors.Is(err, io.EOF) {
		t.Errorf("%v wraps EOF: %v, the sentinel: %v", err, errors.Is(err, io.EOF), errors.Is(err, sentinel))
	}
}

// In leaves out the name of every top-level package that makes errors.
func TestTopLevel(t *testing.T) {
	folders, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		sources, err := filepath.Glob(filepath.Join("../..", folder.Name(), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		name := folder.Name()
		if len(sources) > 0 && name != "docs" && name != "notebooks" && !slices.Contains(topLevel, name) {
			t.Errorf("package %s is not in %v", name, topLevel)
		}
	}
}
