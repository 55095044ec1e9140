// Package studytest contains test helpers for the studies. They draw figures, judge claims, and compare the numbers
// of small runs with stored ones.
package studytest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// GoOptions returns options for quick runs in pure Go.
func GoOptions(t *testing.T) experiments.Options {
	return experiments.Options{Fresh: true, Profile: experiments.Quick, Backend: xlatest.Go(t)}
}

// Draw writes a figure next to the folder's other files, to be inspected with -v.
func Draw(t *testing.T, folder, name string, f *figures.Figure) {
	t.Helper()
	path := filepath.Join(folder, name+".png")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() < 2000 {
		t.Errorf("%s is empty", path)
	}
}

// Expect judges the claim with an ID, and looks for texts in the list of its cases.
func Expect(t *testing.T, finders map[string]judge.Finder, id string, e judge.Evidence, want judge.Verdict,
	says ...string) {
	t.Helper()
	j, err := judge.Claim{ID: id, Find: finders[id]}.Judge(e)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	var text strings.Builder
	for _, c := range j.Lists() {
		text.WriteString(c.Says() + " " + c.Names + " (" + c.Why + ")\n")
	}
	for _, c := range j.Cases {
		text.WriteString(c.Group + "/" + c.Name + ": " + c.Says() + "; " + c.Note + "\n")
	}
	text.WriteString("left out " + strings.Join(j.Left, ", "))
	if j.Verdict != want {
		t.Errorf("%s %s, want %s:\n%s", id, j.Verdict, want, &text)
	}
	for _, s := range says {
		if !strings.Contains(text.String(), s) {
			t.Errorf("%s: no %q in\n%s", id, s, &text)
		}
	}
}

// ShownItem returns the only item of an exhibit as text, with single spaces.
func ShownItem(t *testing.T, items func(judge.Evidence) ([]figures.Item, error), e judge.Evidence) string {
	t.Helper()
	all, err := items(e)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d items, want one: %v", len(all), err)
	}
	return strings.Join(strings.Fields(all[0].(fmt.Stringer).String()), " ")
}
