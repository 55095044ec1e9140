package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every message that docs/troubleshooting.md quotes as a heading is one that the code has.
func TestTroubleshootingQuotesMessages(t *testing.T) {
	page, err := os.ReadFile("troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := regexp.MustCompile("(?m)^### `(.+)`$").FindAllStringSubmatch(string(page), -1)
	if len(headings) < 20 {
		t.Errorf("%d quoted messages, want those of the page", len(headings))
	}
	known := messages(t)
	for _, heading := range headings {
		if !strings.Contains(known, heading[1]) {
			t.Errorf("docs/troubleshooting.md quotes %q, which no message of the code holds", heading[1])
		}
	}
}

// verb is what stands for a value in a message of Go or of a shell.
var verb = regexp.MustCompile(`%[+#]?[.\d*]*[a-zA-Z]|\$\([A-Z]+\);?`)

// messages are the strings of the Go files, each on a line of its own, and the texts of make and of its scripts.
func messages(t *testing.T) string {
	var all strings.Builder
	for _, path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text, ok := literal(e)
			if ok {
				all.WriteString(verb.ReplaceAllString(text, "…") + "\n")
			}
			return !ok
		})
	}
	scripts, err := filepath.Glob(root + "/tools/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(scripts, root+"/Makefile") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(verb.ReplaceAllString(string(text), "…") + "\n")
	}
	return all.String()
}

// literal is the text of a string, or of strings joined by +.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text, true
		}
	case *ast.BinaryExpr:
		left, ok := literal(e.X)
		right, also := literal(e.Y)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}
