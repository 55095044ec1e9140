package notebook

import (
	"errors"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/peng-cde/pengcde-go/figures"
)

// Items are in order, notes once and last, and an error names its item.
func TestPage(t *testing.T) {
	table := &figures.Table{Columns: []figures.Column{{Title: "a"}}, Notes: []string{"of seeds", "of days"}}
	parts, err := page([]figures.Item{figures.NoteList{"of seeds", "of all"}, table, mustLines(t, figures.Axes{}), table})
	if err != nil || len(parts) != 4 || !strings.Contains(parts[0], "<table") || !strings.Contains(parts[1], "<svg") {
		t.Fatalf("%v, parts %.80q", err, parts)
	}
	all := strings.Join(parts, "")
	for _, note := range []string{"of seeds", "of all", "of days", "<details"} {
		if strings.Count(all, note) != 1 || !strings.Contains(parts[3], note) {
			t.Errorf("%q is not once and last:\n%s", note, all)
		}
	}
	if parts, err := page([]figures.Item{mustLines(t, figures.Axes{})}); err != nil || len(parts) != 1 {
		t.Errorf("%v, a figure without notes has %d parts", err, len(parts))
	}
	if _, err := page([]figures.Item{table, &figures.Table{}}); !errors.Is(err, figures.ErrInput) ||
		!strings.Contains(err.Error(), "item 2 of 2") {
		t.Errorf("a table without columns: %v", err)
	}
}

func TestShowOutsideNotebook(t *testing.T) {
	if gonbui.IsNotebook {
		t.Skip("runs in a notebook")
	}
	slider, err := figures.NewSlider(figures.Frame{Name: "a", Figure: mustLines(t, figures.Axes{})})
	if err != nil {
		t.Fatal(err)
	}
	if err := Show(slider); err != nil {
		t.Error(err)
	}
}

func mustLines(t *testing.T, axes figures.Axes) *figures.Figure {
	t.Helper()
	f, err := figures.Lines(axes, figures.Series{Name: "s", Y: []float64{1, 3, 2}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
