package experiments_test

import (
	"os"
	"strings"
	"testing"
)

// The example in docs/adding-a-study.md is the code that a test runs.
func TestDocumentedStudy(t *testing.T) {
	code, err := os.ReadFile("study_example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/adding-a-study.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(code), "\n)\n\n")
	study, _, found := strings.Cut(rest, "\nfunc ExampleStudy")
	if !found || !strings.Contains(string(page), "```go\n"+strings.TrimSpace(study)+"\n```\n") {
		t.Error("docs/adding-a-study.md has another study than study_example_test.go: copy it there")
	}
}
