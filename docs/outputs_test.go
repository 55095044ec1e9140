package docs_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// number is one in a printed text; U+2212 is the minus sign of tables.
var number = regexp.MustCompile(`[-\x{2212}]?[0-9]+(\.[0-9]+)?`)

// compareNumbers compares what a program printed with what a page shows: the words are the same, and each number is
// within one unit of the last digit that the page has. Spaces do not count, since tables fit their columns to them.
func compareNumbers(got, want string) error {
	words := func(s string) string { return strings.Join(strings.Fields(number.ReplaceAllString(s, "# ")), " ") }
	if words(got) != words(want) {
		return fmt.Errorf("words differ: got\n%s\nthe page has\n%s", got, want)
	}
	numbers := number.FindAllString(got, -1)
	var all []error
	for i, text := range number.FindAllString(want, -1) {
		value := func(text string) float64 {
			x, err := strconv.ParseFloat(strings.Replace(text, "\u2212", "-", 1), 64)
			if err != nil {
				panic(err) // the pattern lets numbers alone through
			}
			return x
		}
		_, decimals, _ := strings.Cut(text, ".")
		if unit := math.Pow10(-len(decimals)); !(math.Abs(value(numbers[i])-value(text)) <= 1.01*unit) {
			all = append(all, fmt.Errorf("number %d: got %s, the page has %s", i+1, numbers[i], text))
		}
	}
	return errors.Join(all...)
}

func TestCompareNumbers(t *testing.T) {
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{"a 0.28 b", "a 0.28  b", true},
		{"a 0.29 b", "a 0.28 b", true},
		{"a 0.30 b", "a 0.28 b", false},
		{"a 12 b", "a 14 b", false},
		{"a \u22120.5", "a 0.5", false},
		{"a 0.28 c", "a 0.28 b", false},
		{"a 0.28", "a 0.28 0.3", false},
	} {
		if err := compareNumbers(c.got, c.want); (err == nil) != c.same {
			t.Errorf("%q and %q: %v", c.got, c.want, err)
		}
	}
}

// shown returns the lines of a page from the first that begins with a text on, as far as they are indented or empty,
// without their indentation.
func shown(t *testing.T, page, start string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^ {4}` + regexp.QuoteMeta(start) + `.*\n(?: {4}.*\n|\n)*`).FindString(string(text))
	if found == "" {
		t.Fatalf("%s shows no output that begins with %q", page, start)
	}
	return strings.TrimSpace(flush(found))
}

// checkShown compares what was printed with what a page shows, see [shown].
func checkShown(t *testing.T, page, start, printed string) {
	t.Helper()
	if err := compareNumbers(strings.TrimSpace(flush(printed)), shown(t, page, start)); err != nil {
		t.Errorf("%s: %v", page, err)
	}
}

// goRun runs a package of this module in a folder and returns what it writes to standard output.
func goRun(t *testing.T, folder, pkg string, args ...string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, pkg)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command := exec.Command(binary, args...)
	command.Dir = folder
	var told strings.Builder
	command.Stderr = &told
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, told.String())
	}
	return string(out)
}

// The program of the first page prints what the page says.
func TestProgramOfGettingStarted(t *testing.T) {
	text, err := os.ReadFile("getting-started.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?ms)^```go\n(package main\n.*?)^```$").FindSubmatch(text)
	if block == nil {
		t.Fatal("no program")
	}
	// In a folder of this module, so that it finds it.
	folder, err := os.MkdirTemp(".", "program-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, "main.go"), block[1], 0o666); err != nil {
		t.Fatal(err)
	}
	checkShown(t, "getting-started.md", "go run .", "go run .\n"+goRun(t, t.TempDir(), "./"+folder))
}

// The command that README and own-data show prints the table of own-data.
func TestFitOfOwnData(t *testing.T) {
	command := shown(t, "own-data.md", "bin/pengcde fit")
	command = strings.ReplaceAll(command, "\\\n", " ")
	readme := strings.ReplaceAll(shown(t, "../README.md", "make pengcde"), "\\\n", " ")
	if !strings.Contains(strings.Join(strings.Fields(readme), " "), strings.Join(strings.Fields(command), " ")) {
		t.Errorf("README and own-data.md show other commands:\n%s\n%s", readme, command)
	}
	args := strings.Fields(command)[1:]
	for i, arg := range args {
		if strings.HasPrefix(arg, "notebooks/") {
			path, err := filepath.Abs(filepath.Join(root, arg))
			if err != nil {
				t.Fatal(err)
			}
			args[i] = path
		}
	}
	folder := t.TempDir()
	checkShown(t, "own-data.md", "Errors on", goRun(t, folder, "../cmd/pengcde", args...))
	checkShown(t, "own-data.md", "cases of 129 nodes", goRun(t, folder, "../cmd/pengcde", "forecast",
		"cases-forecast/model.pengcde", "--edges", args[2], "--nodes", args[4], "--out", "new-forecasts.csv"))
}
