package main

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/pages"
)

// The committed pages are generated from the shipped runs, so they cannot go stale or be edited by hand.
func TestResultsPage(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	t.Chdir(filepath.Join("..", ".."))
	document, err := pages.Collect(t.Context(), experiments.Medium)
	if err != nil {
		t.Fatal(err)
	}
	all, drawn, err := document.Markdown("results.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	var named, files []string
	for i, page := range all {
		path := filepath.Join("docs", page.Path)
		committed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[page.Path] = page.Text
		lines, want := strings.Split(string(committed), "\n"), strings.Split(page.Text, "\n")
		for k := range max(len(lines), len(want)) {
			if k >= len(lines) || k >= len(want) || lines[k] != want[k] {
				t.Fatalf("%s, line %d, is not what stored runs give. %s\nfile: %s\nruns: %s", path, k+1, staleAdvice,
					slices.Concat(lines, make([]string, len(want)))[k], slices.Concat(want, make([]string, len(lines)))[k])
			}
		}
		for _, match := range regexp.MustCompile(`\]\(([a-z0-9/-]+\.svg)\)`).FindAllStringSubmatch(page.Text, -1) {
			named = append(named, filepath.Join(filepath.Dir(path), match[1]))
		}
		if i > 0 {
			files = append(files, path)
			if !strings.Contains(all[0].Text, "]("+page.Path+"#profile-") {
				t.Errorf("the opening page does not lead to %s", page.Path)
			}
		}
	}
	table1 := texts["results/table1.md"]
	full, own := strings.Index(table1, "\n## Profile full\n"), strings.Index(table1, "\n## Profile medium\n")
	if full < 0 || own < full || strings.Contains(texts["results/epidemics.md"], "## Profile full") {
		t.Errorf("the published size of table1 is at %d, the smaller one at %d: want it first, and none of epidemics, "+
			"whose runs of profile full medium has too", full, own)
	}
	if len(named) != 1+len(drawn) || len(named) < 5 {
		t.Fatalf("the pages name %d figures, want an opening one and %d", len(named), len(drawn))
	}
	opening, named := named[0], named[1:]
	if opening != named[0] {
		t.Errorf("the pages open with %s, want the first picture of the first study, %s", opening, named[0])
	}
	for _, path := range named {
		files = append(files, path)
		svg, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		if err := xml.Unmarshal(svg, new(struct{})); err != nil || len(svg) > 200_000 {
			t.Errorf("%s of %d bytes: %v", path, len(svg), err)
		}
	}
	there, err := filepath.Glob("docs/results/*")
	if err != nil || len(there) != len(files) {
		t.Errorf("docs/results holds %q, want %q alone: %v", there, files, err)
	}
	for _, figure := range drawn {
		path := filepath.Join("docs", "results", figure.Name+".svg")
		got, err := os.ReadFile(path)
		want, err2 := figure.Figure.SVG()
		if err := errors.Join(err, err2, samePicture(got, want)); err != nil {
			t.Errorf("%s is not what stored runs give: %v", path, err)
		}
	}
	report, err := document.Report() // made of the same parts
	if err != nil {
		t.Fatal(err)
	}
	checkHTML(t, string(report))
	for _, figure := range drawn {
		if !strings.Contains(string(report), html.EscapeString(figure.Title())+"</text>") {
			t.Errorf("the report lacks the figure %q", figure.Title())
		}
	}
}

// staleAdvice never writes a page that lacks runs.
const staleAdvice = "Run go test ./experiments/paper -run TestShippedRunsAreFound: if it fails, undo what changed " +
	"the identities; if it passes, text, numbers or drawing changed, and where that is wanted: make results"

// A page is made of the stored runs, and says which are missing.
func TestPageOfFewRuns(t *testing.T) {
	root, own := checkoutFolder(t), t.TempDir()
	out := filepath.Join(t.TempDir(), "page.md")
	call := func(want int, args ...string) string {
		t.Helper()
		code, _, said := in(t, root, own, args...)
		if code != want {
			t.Fatalf("%q: code %d, want %d: %s", args, code, want, said)
		}
		return said
	}
	if said := call(1, "results", "page", "--out", out); !strings.Contains(said, "nothing is stored") {
		t.Errorf("a page of nothing says %q", said)
	}
	call(0, "run", "epidemics", "--profile", "medium", "--models", "zero,ridge", "--only", "split=rolling-origin")
	call(0, "results", "page", "--out", out)
	opening, err := os.ReadFile(out)
	study, err2 := os.ReadFile(filepath.Join(strings.TrimSuffix(out, ".md"), "epidemics.md"))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	text := string(opening) + string(study)
	for _, want := range []string{"](page/epidemics.md#profile-medium)", "part of the [results](../page.md)",
		"136 of 3713 planned runs",
		"PENG-CDE                         |  0 of 147 |        0 |            – | unknown for 147 runs",
		"Not run yet in this profile: table1, sir, twitter-tennis, node-affinity, table-wealth, well-posed, " +
			"ablations, contact, table1-as-published.", "| missing, "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on the pages:\n%s", want, text)
		}
	}
	if strings.Contains(text, "\n  - ") {
		t.Error("a verdict without a trained model")
	}
	if _, err := pages.Collect(canceled(), experiments.Medium); err == nil {
		t.Error("a canceled context makes a page")
	}
	call(exitUsage, "results", "page", "--profile", "huge", "--out", out)
	call(1, "results", "page", "--out", filepath.Join(root, "go.mod", "page.md"))
	bare := filepath.Join(root, "bare")
	if said := call(exitUsage, "results", "page", "--out", bare); !strings.Contains(said, "bare.md") {
		t.Errorf("a page without an extension: %s", said)
	}
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// samePicture compares drawings: the same marks and texts at the same places, to a hundredth of a point.
func samePicture(got, want []byte) error {
	number := regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?`)
	marks := func(svg []byte) string { return number.ReplaceAllString(string(svg), "#") }
	if marks(got) != marks(want) {
		return errors.New("other marks or texts")
	}
	numbers := number.FindAll(got, -1)
	for i, text := range number.FindAll(want, -1) {
		x, err := strconv.ParseFloat(string(numbers[i]), 64)
		y, err2 := strconv.ParseFloat(string(text), 64)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if !(math.Abs(x-y) <= 0.01) {
			return fmt.Errorf("number %d is %s, want %s", i, numbers[i], text)
		}
	}
	return nil
}
