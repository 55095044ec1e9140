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
	for _, items := range []func(judge.Evidence) ([]figures.Item, error){WeightsTable, EpochsTable} {
		if _, err := items(e); err != nil {
			t.Error(err)
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
