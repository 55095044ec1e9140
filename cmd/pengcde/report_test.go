package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// checkHTML reports parts of a page that need a network, are dead links, are duplicated or are not closed.
func checkHTML(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	ids, links := make(map[string]bool), []string{}
	level, style, figures, described := 0, false, 0, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page does not parse: %v", err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attributes := make(map[string]string)
		for _, a := range element.Attr {
			attributes[a.Name.Local] = a.Value
		}
		name := element.Name.Local
		switch {
		case name == "script" || name == "link" || name == "iframe" || name == "img":
			t.Errorf("the page has <%s>", name)
		case name == "style":
			style = true
		case name == "svg":
			figures++
			if attributes["role"] == "img" && attributes["aria-label"] != "" {
				described++
			}
		case len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6':
			if now := int(name[1] - '0'); now > level+1 {
				t.Errorf("a heading of level %d after one of level %d", now, level)
			} else {
				level = now
			}
		}
		if id := attributes["id"]; id != "" {
			if ids[id] {
				t.Errorf("two elements have the id %q", id)
			}
			ids[id] = true
		}
		if href := attributes["href"]; href != "" && !strings.HasPrefix(href, "data:") {
			links = append(links, href)
		}
		if src := attributes["src"]; src != "" {
			t.Errorf("the page loads %q", src)
		}
	}
	for _, link := range links {
		if !strings.HasPrefix(link, "#") || !ids[strings.TrimPrefix(link, "#")] {
			t.Errorf("a link to %q, which is not on the page", link)
		}
	}
	if external := regexp.MustCompile(`url\(|@import|https?://[^w]`).FindString(page); external != "" {
		t.Errorf("the page has %q", external)
	}
	if !style || described != figures || level == 0 {
		t.Errorf("style %t, %d of %d figures described", style, described, figures)
	}
}

// A report is made of the stored runs and says which are missing; without any stored run it is an error.
func TestReport(t *testing.T) {
	root, own := checkoutFolder(t), t.TempDir()
	out := filepath.Join(root, "report.html")
	call := func(want int, args ...string) string {
		t.Helper()
		code, _, said := in(t, root, own, args...)
		if code != want {
			t.Fatalf("%q: code %d, want %d: %s", args, code, want, said)
		}
		return said
	}
	if said := call(1, "report"); !strings.Contains(said, "nothing is stored of any study in profile medium") {
		t.Errorf("a report of nothing says %q", said)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a report of nothing is there")
	}
	call(exitUsage, "report", "--profile", "huge")
	call(0, "run", "epidemics", "--profile", "medium", "--models", "zero,ridge", "--only", "split=random")
	call(0, "report")
	content, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	checkHTML(t, page)
	for _, want := range []string{
		"<b>0</b> holds", "<b>19</b> not yet tested", `Wealth and opinion dynamics</a> <span class="soft">not run`,
		"Not run: of 444 planned runs of profile medium none is stored",
		"pengcde run table-wealth --profile medium --dry-run",
		">0.722 ± 1.145<", // of Table 1, as printed in the paper
		"0.716 ± 0.029",   // Table 3
		">9.15<",          // times of training
		">1.613<",         // Table 4
		">0.391 ± 0.069<", // Table 2, of tennis
		"Not reproduced: ", ">3.5 days</td>",
		"of 3713 planned runs that are stored.</p>",
		">unknown for 147 runs</td>", // in the cost of the runs
		"prefers-color-scheme: dark", "@media print",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	made := regexp.MustCompile(`>(\d+) of 3713</td>`).FindStringSubmatch(page)
	if made == nil || made[1] == "0" {
		t.Errorf("the runs of epidemics are not counted: %q", made)
	}
	before := page
	call(1, "report", "--shipped") // a checkout without archives
	if after, err := os.ReadFile(out); err != nil || string(after) != before {
		t.Errorf("a report that could not be made has changed the one before: %v", err)
	}
}

// A single run is enough for both pages.
func TestPagesOfOneRun(t *testing.T) {
	root, own := checkoutFolder(t), t.TempDir()
	for _, args := range [][]string{
		{"run", "contact", "--profile", "quick", "--models", "gn-ode", "--seeds", "0"},
		{"report", "--profile", "quick", "--out", filepath.Join(root, "report.html")},
		{"results", "page", "--profile", "quick", "--out", filepath.Join(root, "results.md")},
	} {
		if code, _, said := in(t, root, own, args...); code != 0 {
			t.Fatalf("%q: code %d: %s", args, code, said)
		}
	}
	page, err := os.ReadFile(filepath.Join(root, "report.html"))
	if err != nil || !strings.Contains(string(page), "Test error: by κ on community graphs, profile quick") {
		t.Errorf("the page has no figure of the run, %v", err)
	}
}
