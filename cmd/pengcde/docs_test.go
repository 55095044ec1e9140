package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// Every pengcde command in README and docs is accepted by the command line.
func TestDocumentedCommands(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile("(?m)^ {4,}(?:bin/)?pengcde ([^#\n]*)")
	inline := regexp.MustCompile("`(?:bin/)?pengcde ([a-z][^`]*)`")
	count := 0
	for _, page := range append(pages, "../../README.md", "../../DEVELOPERS.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		joined := strings.ReplaceAll(string(text), "\\\n", " ") // continued lines
		for _, match := range append(line.FindAllStringSubmatch(joined, -1), inline.FindAllStringSubmatch(joined, -1)...) {
			args := strings.Fields(match[1])
			if bare := len(args) == 1 && match[0][0] == '`'; bare || strings.Contains(match[1], "...") {
				args = append(args[:1], "--help") // only names a command
			}
			count++
			var c commands
			parser, err := kong.New(&c, kong.Name("pengcde"), kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard),
				names())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(args); err != nil && args[len(args)-1] != "--help" {
				t.Errorf("%s has %q: %v", filepath.Base(page), strings.TrimSpace(match[0]), err)
			}
		}
	}
	if count < 20 {
		t.Errorf("%d commands were found in the pages", count)
	}
}
