package worlds

import (
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/figures"
)

// Without runs the weights are the printed ones.
func TestPublishedWeights(t *testing.T) {
	text := studytest.ShownItem(t, WeightsTable, judge.Evidence{})
	for _, want := range []string{"| identity | 1.613 | 0.959 | 1.075 | 0.910 |",
		"| total on diagonal | −2.00×10⁻⁴ | −1.00×10⁻⁴ | 0.036 | 0.009 |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Exhibits show measured numbers next to the printed ones.
func TestExhibitsOfWorlds(t *testing.T) {
	e := onWorlds(func(string, string, int) float64 { return 1 })
	for name, c := range map[string]struct {
		items func(judge.Evidence) ([]figures.Item, error)
		want  []string
	}{
		"weights": {WeightsTable, []string{"| identity | 1.010 | 1.613 | 1.010 | 0.959 |",
			"| row sums on rows | −0.540 ± 0.099 | 0.775 |"}},
		"epochs": {EpochsTable, []string{"| – | 9.15 |"}},
	} {
		text := studytest.ShownItem(t, c.items, e)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
	}
	items, err := EpochsTable(judge.Evidence{EpochMachine: "x",
		EpochSeconds: map[string]map[int]float64{"peng": {529: 0.284}}})
	if err != nil || len(items) != 1 {
		t.Fatal(items, err)
	}
	text := strings.Join(strings.Fields(items[0].(interface{ String() string }).String()), " ")
	for _, want := range []string{"529 nodes | 529 nodes, paper", "| 0.28 | 0.57 |", "| – | 9.15 |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
