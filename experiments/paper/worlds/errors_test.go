package worlds

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
)

// Each of the dynamics has a figure with a panel for each family. A row has its mean only if all seeds are stored; a
// model that always diverged keeps its row, a model without a run has none, and the paper's error is beside each if the
// number of nodes is the paper's.
func TestErrorsInAllWorlds(t *testing.T) {
	small, err := drawErrorsOf(trainedReport(t, Table1().Study, experiments.Medium), dynamicsIn("heat"))
	if err != nil || strings.Contains(small.Alt(), "the paper") {
		t.Errorf("%v, errors of 400 nodes stand beside those of 100: %s", err, small.Alt())
	}
	r := trainedReport(t, Table1().Study, experiments.Full)
	r.Results = slices.DeleteFunc(r.Results, func(run experiments.Result) bool { return run.Model.ID == "dcrnn" })
	for i, run := range r.Results {
		switch run.Model.ID {
		case "adjacency":
			r.Results[i].Record = nil
		case "original":
			r.Results[i].Record = &experiments.Record{Facts: &experiments.Facts{Failure: "diverged"}}
		case "gn-ode":
			if run.Keys["family"] == "grid" {
				r.Results[i].Record = nil
			}
		}
	}
	var drawn catalogue.Drawn
	Table1().drawErrors(r, &drawn)
	if drawn.Err != nil || len(drawn.All) != 2 || drawn.All[0].Name != "table1-heat-errors" {
		t.Fatalf("%+v, want a figure for heat and one for genes", drawn)
	}
	folder, heat := t.TempDir(), drawn.All[0].Figure
	studytest.Draw(t, folder, "heat", heat)
	panels := strings.Split(heat.Alt(), "Lowest: ")
	if len(panels) != 5 || !strings.Contains(panels[0], "community: ") || !strings.Contains(panels[1], "grid: ") {
		t.Fatalf("panels %q, want the four families", panels)
	}
	for _, c := range []struct {
		panel int
		says  string
	}{
		{0, "GN-ODE 0.500 (the paper, with 400 nodes: 0.237)"},
		{0, "PENG-CDE diverged, 1 of 1 (the paper"}, // see trainedReport
		{0, "Original GN-CDE diverged, 1 of 1 (the paper"},
		{1, "GN-ODE missing, 1 of 1 (the paper, with 400 nodes: 1)"},
		{1, "PENG-CDE 0.500 (the paper"},
	} {
		if !strings.Contains(panels[c.panel], c.says) {
			t.Errorf("%q is not in panel %d: %s", c.says, c.panel, panels[c.panel])
		}
	}
	if strings.Contains(heat.Alt(), "Adjacency") || strings.Contains(heat.Alt(), "Linear law 0") {
		t.Errorf("a model without a run, or an untrained one, has a row: %s", heat.Alt())
	}
	if !strings.HasSuffix(heat.Alt(), "of another order: Linear law.") {
		t.Errorf("the figure does not name what it leaves out: %s", heat.Alt())
	}
	for i := range r.Results {
		r.Results[i].Record = nil
	}
	if _, err := drawErrorsOf(r, dynamicsIn("heat")); !errors.Is(err, experiments.ErrNotStored) {
		t.Errorf("error %v of no run", err)
	}
}
