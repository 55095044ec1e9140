package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/peng-cde/pengcde-go/"

// topLevel are the folders at the top, from the ground up: each imports those before it alone.
var topLevel = []string{"internal", "stats", "figures", "xla", "dyngraph", "pengcde", "affinity", "datasets",
	"forecast", "experiments", "notebook", "bench", "cmd"}

// mostLayers is the longest path of imports between packages, internal left out.
const mostLayers = 7

// Packages import downward, and stay few layers high. Packages of internal that import one of these are for tests, but
// for doctor, which looks at backends.
func TestPackagesImportDownward(t *testing.T) {
	imports := make(map[string]map[string]bool)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		top, _, _ := strings.Cut(path, "/")
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata" || path == "build" ||
				path == "internal/starter/files" {
				return fs.SkipDir
			}
			return nil
		}
		if !slices.Contains(topLevel, top) || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if imported, ok := strings.CutPrefix(imported, modulePath); ok {
				below, _, _ := strings.Cut(imported, "/")
				if top == "internal" || below == top {
					continue
				}
				if slices.Index(topLevel, below) > slices.Index(topLevel, top) {
					t.Errorf("%s imports %s, which stands above it", path, imported)
				}
				if imports[top] == nil {
					imports[top] = make(map[string]bool)
				}
				imports[top][below] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var high func(top string) []string
	high = func(top string) (longest []string) {
		for below := range imports[top] {
			if path := high(below); below != "internal" && len(path) > len(longest) {
				longest = path
			}
		}
		return append(longest, top)
	}
	for _, top := range topLevel {
		if path := high(top); len(path) > mostLayers {
			t.Errorf("%d packages on top of each other, %s, want at most %d", len(path), strings.Join(path, " < "), mostLayers)
		}
	}
	if path := high("cmd"); len(path) < 3 || path[len(path)-1] != "cmd" {
		t.Errorf("packages below the command: %v", path)
	}
}
