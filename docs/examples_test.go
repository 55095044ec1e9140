package docs_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/examples.md anew")

// example is a line of the index.
// cutOff is how a sentence ends that leads to a formula below it, which the page does not have.
var cutOff = regexp.MustCompile(`,? of the form$|:$|,$`)

type example struct{ folder, name, sentence, file string }

// docs/examples.md lists every Example of the public packages: go test ./docs -run TestExamplesPage -update writes it.
func TestExamplesPage(t *testing.T) {
	want := examplesPage(examples(t))
	if *update {
		if err := os.WriteFile("examples.md", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("examples.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/examples.md does not list the examples that there are; write it anew with\n" +
			"\tgo test ./docs -run TestExamplesPage -update")
	}
}

// examples returns the examples of the public packages, sorted by folder and by name.
func examples(t *testing.T) (found []example) {
	folders := map[string][]*ast.File{}
	fset := token.NewFileSet()
	for _, path := range goFiles(t) {
		folder := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), root+"/"))
		if strings.HasPrefix(folder, "internal") || strings.Contains(folder, "/internal/") {
			continue
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		folders[folder] = append(folders[folder], file)
	}
	for folder, files := range folders {
		p, err := doc.NewFromFiles(fset, files, "github.com/peng-cde/pengcde-go/"+folder)
		if err != nil {
			continue // a folder with test files alone, such as docs
		}
		documented := map[string]string{}
		add := func(prefix string, funcs []*doc.Func) {
			for _, f := range funcs {
				documented[prefix+f.Name] = p.Synopsis(f.Doc)
			}
		}
		add("", p.Funcs)
		for _, typ := range p.Types {
			documented[typ.Name] = p.Synopsis(typ.Doc)
			add("", typ.Funcs)
			add(typ.Name+"_", typ.Methods)
		}
		for _, e := range doc.Examples(files...) {
			sentence := p.Synopsis(e.Doc)
			if sentence == "" { // then the doc comment of its subject says more than nothing
				sentence = documented[strings.TrimSuffix(e.Name, "_"+e.Suffix)]
			}
			found = append(found, example{folder, "Example" + e.Name, sentence, fset.Position(e.Code.Pos()).Filename})
		}
	}
	slices.SortFunc(found, func(a, b example) int {
		return strings.Compare(a.folder+"\x00"+a.name, b.folder+"\x00"+b.name)
	})
	return found
}

func examplesPage(all []example) string {
	var b strings.Builder
	b.WriteString("# All examples\n\nEach runs as a test, and `go doc -all` shows it with its package. This page is " +
		"written by\n`go test ./docs -run TestExamplesPage -update`.\n")
	folder := ""
	for _, e := range all {
		if e.folder != folder {
			folder = e.folder
			fmt.Fprintf(&b, "\n## %s\n\n| example | what it shows |\n|---|---|\n", folder)
		}
		text := strings.NewReplacer("|", `\|`, "[", "", "]", "").Replace(e.sentence)
		text = cutOff.ReplaceAllString(text, ".")
		fmt.Fprintf(&b, "| [%s](%s) | %s |\n", strings.ReplaceAll(e.name, "_", `\_`), filepath.ToSlash(e.file), text)
	}
	return b.String()
}
