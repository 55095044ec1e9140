// Command apidoc writes the reference of the public packages as Markdown pages for the site, from the comments in the
// source, with an index of all identifiers:
//
//	go run ./tools/apidoc docs/api
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/peng-cde/pengcde-go"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: apidoc FOLDER")
	}
	if err := write(".", os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// write makes the pages anew of the module in a folder.
func write(root, out string) error {
	packages, err := packagesIn(root)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	names := identifiers(packages)
	index, err := json.MarshalIndent(names, "", " ")
	if err != nil {
		return err
	}
	files := map[string][]byte{"index.json": index, "index.md": overview(packages)}
	for _, p := range packages {
		files[page(p.path)+".md"] = p.markdown(packages)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// documented is a public package.
type documented struct {
	path  string // below the module
	files *token.FileSet
	*doc.Package
}

// packagesIn returns the packages that others can import, sorted by path.
func packagesIn(root string) (all []*documented, err error) {
	err = filepath.WalkDir(root, func(folder string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); folder != root && (strings.HasPrefix(name, ".") || slices.Contains([]string{"internal", "cmd",
			"tools", "testdata", "build", "docs", "notebooks"}, name)) {
			return fs.SkipDir
		}
		p, err := packageIn(root, folder)
		if p != nil {
			all = append(all, p)
		}
		return err
	})
	return all, err
}

// packageIn returns nil for a folder without a package that can be imported.
func packageIn(root, folder string) (*documented, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if file.Name.Name == "main" || strings.HasSuffix(file.Name.Name, "_test") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		parsed = append(parsed, file)
	}
	if len(parsed) == 0 {
		return nil, nil
	}
	below, err := filepath.Rel(root, folder)
	if err != nil {
		return nil, err
	}
	at := filepath.ToSlash(below)
	p, err := doc.NewFromFiles(files, parsed, path.Join(module, at))
	if err != nil {
		return nil, err
	}
	return &documented{at, files, p}, nil
}

// page is the name of a package's page, and the start of its targets.
func page(path string) string { return strings.ReplaceAll(path, "/", "-") }

// target names the place of an identifier, "api-pengcde-ode.Solver.Run", or of a package, "api-pengcde-ode". Sphinx
// does not tell upper from lower case, so the dot keeps paper.SIR apart from package paper/sir.
func target(path, name string) string { return strings.TrimSuffix("api-"+page(path)+"."+name, ".") }

// identifiers returns the targets of exported names, by "package.Name" or "package.Type.Method", with the last word of
// the package's path. A word of two packages stands for the shorter path.
func identifiers(packages []*documented) map[string]string {
	names, of := make(map[string]string), make(map[string]string)
	add := func(p *documented, name string) {
		word := p.Name + "." + name
		if first, twice := of[word]; !twice || len(p.path) < len(first) {
			names[word], of[word] = target(p.path, name), p.path
		}
	}
	for _, p := range packages {
		for _, name := range p.exported() {
			add(p, name)
		}
	}
	return names
}

// exported lists the names of functions, types, methods, constants and variables.
func (p *documented) exported() (all []string) {
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			all = append(all, v.Names...)
		}
	}
	functions := func(fs []*doc.Func, of string) {
		for _, f := range fs {
			all = append(all, of+f.Name)
		}
	}
	values(p.Consts)
	values(p.Vars)
	functions(p.Funcs, "")
	for _, t := range p.Types {
		all = append(all, t.Name)
		values(t.Consts)
		values(t.Vars)
		functions(t.Funcs, "")
		functions(t.Methods, t.Name+".")
	}
	return slices.DeleteFunc(all, func(name string) bool { return !ast.IsExported(name[strings.LastIndex(name, ".")+1:]) })
}

// overview is the page that leads to all packages.
func overview(packages []*documented) []byte {
	var b bytes.Buffer
	b.WriteString("# API reference\n\nThe public packages, from the comments in their source. Names in the other pages " +
		"lead here.\n\n| package | what it does |\n|---|---|\n")
	for _, p := range packages {
		what := strings.TrimPrefix(p.Synopsis(p.Doc), "Package "+p.Name+" ")
		fmt.Fprintf(&b, "| [%s](%s.md) | %s |\n", p.path, page(p.path), strings.ReplaceAll(what, "|", `\|`))
	}
	b.WriteString("\n```{toctree}\n:hidden:\n\n")
	for _, p := range packages {
		b.WriteString(page(p.path) + "\n")
	}
	b.WriteString("```\n")
	return b.Bytes()
}

// markdown is the page of a package.
func (p *documented) markdown(packages []*documented) []byte {
	var b bytes.Buffer
	printer := p.Printer()
	printer.HeadingLevel = 2
	printer.HeadingID = func(*comment.Heading) string { return "" }
	printer.DocLinkURL = func(l *comment.DocLink) string {
		at := p
		if l.ImportPath != "" {
			k := slices.IndexFunc(packages, func(p *documented) bool { return p.ImportPath == l.ImportPath })
			if k < 0 {
				return l.DefaultURL("https://pkg.go.dev/")
			}
			at = packages[k]
		}
		name := strings.TrimPrefix(l.Recv+"."+l.Name, ".")
		if exported := at.exported(); !slices.Contains(exported, name) { // a field, or a method of an interface
			name = l.Recv
		}
		return "#" + target(at.path, name)
	}
	text := func(doc string) {
		if doc != "" {
			b.Write(printer.Markdown(p.Parser().Parse(doc)))
			b.WriteString("\n")
		}
	}
	code := func(node any) {
		b.WriteString("```go\n")
		_ = format.Node(&b, p.files, node) // a buffer does not fail, and the node was parsed
		b.WriteString("\n```\n\n")
	}
	heading := func(level int, title string, targets ...string) {
		for _, name := range targets {
			fmt.Fprintf(&b, "(%s)=\n", target(p.path, name))
		}
		fmt.Fprintf(&b, "%s %s\n\n", strings.Repeat("#", level), title)
	}
	values := func(level int, title string, vs []*doc.Value) {
		for _, v := range vs {
			exported := slices.DeleteFunc(slices.Clone(v.Names), func(n string) bool { return !ast.IsExported(n) })
			if len(exported) > 0 {
				heading(level, title+" "+strings.Join(exported, ", "), exported...)
				code(v.Decl)
				text(v.Doc)
			}
		}
	}
	functions := func(level int, fs []*doc.Func, of string) {
		for _, f := range fs {
			title := "func " + f.Name
			if of != "" {
				title = fmt.Sprintf("func (%s) %s", of, f.Name)
			}
			heading(level, title, strings.TrimPrefix(of+"."+f.Name, "."))
			f.Decl.Body, f.Decl.Doc = nil, nil
			code(f.Decl)
			text(f.Doc)
		}
	}
	heading(1, p.path, "")
	fmt.Fprintf(&b, "```go\nimport %q\n```\n\n", p.ImportPath)
	text(p.Doc)
	values(2, "const", p.Consts)
	values(2, "var", p.Vars)
	functions(2, p.Funcs, "")
	for _, t := range p.Types {
		heading(2, "type "+t.Name, t.Name)
		t.Decl.Doc = nil
		code(t.Decl)
		text(t.Doc)
		values(3, "const", t.Consts)
		values(3, "var", t.Vars)
		functions(3, t.Funcs, "")
		functions(3, t.Methods, t.Name)
	}
	return b.Bytes()
}
