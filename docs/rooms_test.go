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

// rooms are the folders at the top, from the ground up: each imports those before it alone.
var rooms = []string{"internal", "stats", "figures", "xla", "dyngraph", "pengcde", "affinity", "datasets", "forecast",
	"experiments", "notebook", "bench", "cmd"}

// mostFloors is the longest path of imports between rooms, internal left out.
const mostFloors = 7

// Rooms import downward, and stay few floors high. Packages of internal that import a room are for tests, but for
// doctor, which looks at backends.
func TestRoomsImportDownward(t *testing.T) {
	floors := make(map[string]map[string]bool)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		room, _, _ := strings.Cut(path, "/")
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata" || path == "build" ||
				path == "internal/starter/files" {
				return fs.SkipDir
			}
			return nil
		}
		if !slices.Contains(rooms, room) || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
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
				if room == "internal" || below == room {
					continue
				}
				if slices.Index(rooms, below) > slices.Index(rooms, room) {
					t.Errorf("%s imports %s, which stands above it", path, imported)
				}
				if floors[room] == nil {
					floors[room] = make(map[string]bool)
				}
				floors[room][below] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var high func(room string) []string
	high = func(room string) (longest []string) {
		for below := range floors[room] {
			if path := high(below); below != "internal" && len(path) > len(longest) {
				longest = path
			}
		}
		return append(longest, room)
	}
	for _, room := range rooms {
		if path := high(room); len(path) > mostFloors {
			t.Errorf("%d rooms on top of each other, %s, want at most %d", len(path), strings.Join(path, " < "), mostFloors)
		}
	}
	if path := high("cmd"); len(path) < 3 || path[len(path)-1] != "cmd" {
		t.Errorf("rooms below the command: %v", path)
	}
}
