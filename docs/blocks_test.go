package docs_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = ".."

// pages returns the paths of README, DEVELOPERS and the site's pages.
func pages(t *testing.T) []string {
	found, err := filepath.Glob("*.md")
	if err != nil || len(found) == 0 {
		t.Fatal("no pages", err)
	}
	return append(found, root+"/README.md", root+"/DEVELOPERS.md")
}

// goFiles returns the paths of the module's Go files, except in build and in folders whose name begins with a dot.
func goFiles(t *testing.T) (files []string) {
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || path == root+"/build"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// flush is the text without the indentation of its lines.
func flush(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}

// Every Go block of a page stands in a Go file of the module, which tests compile, or compiles by itself.
func TestGoBlocks(t *testing.T) {
	var code []string
	for _, file := range goFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, flush(string(text)))
	}
	fence := regexp.MustCompile("(?ms)^ *```go\n(.*?)^ *```$")
	folder := t.TempDir()
	overlay := map[string]string{}
	imports := importPaths(t)
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range fence.FindAllStringSubmatch(string(text), -1) {
			total++
			own := flush(block[1])
			if slices.ContainsFunc(code, func(file string) bool { return strings.Contains(file, own) }) {
				continue
			}
			if strings.HasSuffix(page, "README.md") {
				t.Errorf("Go block %d of the README is not the one of docs/readme_test.go or owndata_test.go", i+1)
			}
			name := fmt.Sprintf("%s_%d.go", strings.TrimSuffix(filepath.Base(page), ".md"), i)
			program, err := complete(block[1], imports)
			if err != nil {
				t.Errorf("%s, Go block %d: %v", page, i+1, err)
				continue
			}
			file := filepath.Join(folder, name)
			if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
				t.Fatal(err)
			}
			overlay[filepath.Join(absolute, "docs", "blocks", strings.TrimSuffix(name, ".go"), name)] = file
		}
	}
	if total == 0 {
		t.Error("no Go block was found")
	}
	if len(overlay) == 0 {
		return
	}
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, list, 0o666); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"build", "-buildvcs=false", "-overlay", file}
	for path := range maps.Keys(overlay) {
		arguments = append(arguments, filepath.Dir(path))
	}
	command := exec.Command("go", arguments...)
	command.Dir = absolute
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("Go blocks do not compile (block_n of a page counts from 0): %v\n%s", err, out)
	}
}

// given are the names that blocks use and earlier text explains.
const given = `
var (
	ctx     context.Context
	backend *xla.Backend
	series  *dyngraph.Series
	split   dyngraph.Split
	model   *pengcde.Model
)
`

// complete makes a file of a block: declarations as they are, statements in a function, with the imports of all names
// that nothing declares.
func complete(block string, imports map[string]string) (string, error) {
	if strings.HasPrefix(strings.TrimSpace(block), "package ") {
		return strings.Replace(block, "package main", "package block", 1), nil
	}
	block = strings.ReplaceAll(block, "\n...\n", "\n")
	body := "package block\n" + block
	if _, err := parser.ParseFile(token.NewFileSet(), "", body, 0); err != nil {
		statements := "package block\nfunc _() {\n" + block + "\n}\n"
		file, err := parser.ParseFile(token.NewFileSet(), "", statements, 0)
		if err != nil {
			return "", err
		}
		used := ""
		for _, statement := range file.Decls[0].(*ast.FuncDecl).Body.List {
			if assign, ok := statement.(*ast.AssignStmt); ok && assign.Tok == token.DEFINE {
				for _, left := range assign.Lhs {
					if name := left.(*ast.Ident).Name; name != "_" {
						used += "_ = " + name + "\n"
					}
				}
			}
		}
		body = "package block\nfunc _() {\n" + block + used + "}\n"
	}
	body += given
	file, err := parser.ParseFile(token.NewFileSet(), "", body, 0)
	if err != nil {
		return "", err
	}
	head := "package block\n"
	if strings.Contains(block, "*Node") {
		head += "import . \"github.com/gomlx/gomlx/core/graph\"\n"
	}
	seen := map[string]bool{}
	for _, name := range file.Unresolved {
		if path := imports[name.Name]; path != "" && !seen[name.Name] {
			head += fmt.Sprintf("import %q\n", path)
			seen[name.Name] = true
		}
	}
	return strings.Replace(body, "package block\n", head, 1), nil
}

// importPaths returns the packages that blocks may name, by name: all public ones of the module, and some others.
func importPaths(t *testing.T) map[string]string {
	paths := map[string]string{"must": "github.com/janpfeifer/must", "tensors": "github.com/gomlx/gomlx/core/tensors"}
	for _, std := range []string{"context", "errors", "fmt", "io", "log", "math", "os", "slices", "strings", "time"} {
		paths[std] = std
	}
	for _, file := range goFiles(t) {
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		folder = filepath.ToSlash(folder)
		if folder == "." || strings.HasPrefix(folder, "internal/") || strings.Contains(folder, "/internal/") {
			continue
		}
		paths[filepath.Base(folder)] = "github.com/peng-cde/pengcde-go/" + folder
	}
	return paths
}
