package worlds

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/experiments/store"
)

// identities returns the identities of a study's runs, in the form of result files.
func identities(t *testing.T, w *Worlds, p experiments.Profile) map[string]experiments.Run {
	t.Helper()
	runs, err := w.Plan(t.Context(), experiments.Scope{Profile: p})
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]experiments.Run)
	for _, run := range runs {
		identity, err := run.Identity()
		if err != nil {
			t.Fatal(err)
		}
		content, err := json.Marshal(identity)
		if err != nil {
			t.Fatal(err)
		}
		all[string(content)] = run
	}
	return all
}

// Profile full plans every run of medium, and table1 every run of the recommended row and no other.
func TestAblationsPlan(t *testing.T) {
	medium, full := identities(t, Ablations(), experiments.Medium), identities(t, Ablations(), experiments.Full)
	table1 := identities(t, Table1(), experiments.Medium)
	rows := len(ablations) + 1
	if len(medium) != rows*2*3 || len(full) != rows*2*3*len(catalogue.Families()) {
		t.Errorf("%d and %d runs, want %d rows, two dynamics and three seeds on one and on all families", len(medium),
			len(full), rows)
	}
	for identity, run := range medium {
		if _, known := full[identity]; !known || run.Keys["family"] != "community" {
			t.Errorf("%v is not in profile full, or not on communities", run)
		}
	}
	shared := 0
	for identity, run := range full {
		if _, known := table1[identity]; known != (run.Model.ID == "recommended") {
			t.Errorf("%v: table1 has it: %t", run, known)
		} else if known {
			shared++
		}
	}
	if want := 2 * 3 * len(catalogue.Families()); shared != want {
		t.Errorf("%d runs are shared with table1, want %d", shared, want)
	}
}

// Each row differs from the recommended one in the setting that its ID names, and in no other.
func TestAblationsChangeOneSetting(t *testing.T) {
	settings := make(map[string]map[string]any)
	for identity, run := range identities(t, Ablations(), experiments.Medium) {
		var all map[string]any
		if err := json.Unmarshal([]byte(identity), &all); err != nil {
			t.Fatal(err)
		}
		delete(all, "sets")
		delete(all, "seed")
		delete(all, "row")
		flat := make(map[string]any)
		flatten(flat, "", all)
		settings[run.Model.ID] = flat
	}
	recommended := settings["recommended"]
	for id, flat := range settings {
		var changed []string
		for name := range flat {
			if !reflect.DeepEqual(flat[name], recommended[name]) {
				changed = append(changed, name)
			}
		}
		for name := range recommended {
			if _, kept := flat[name]; !kept {
				changed = append(changed, name)
			}
		}
		slices.Sort(changed)
		kind, _, _ := strings.Cut(id, "-")
		want := map[string][]string{"recommended": nil, "path": {"model.Path"}, "layers": {"model.Layers"},
			"width": {"model.Hidden"}, "control": {"model.Control"}}
		if got := fmt.Sprint(changed); kind != "maps" && got != fmt.Sprint(want[kind]) {
			t.Errorf("%s changes %s, want %s", id, got, want[kind])
		} else if kind == "maps" && (len(changed) == 0 || slices.ContainsFunc(changed, func(name string) bool {
			return !strings.HasSuffix(name, "Maps") && !strings.HasSuffix(name, "LocalScale")
		})) {
			t.Errorf("%s changes %s, want maps and their scale", id, got)
		}
	}
}

// flatten adds the leaves of a value in JSON, by their path. Lists count as leaves.
func flatten(into map[string]any, at string, value any) {
	object, is := value.(map[string]any)
	if !is {
		into[at] = value
		return
	}
	for name, part := range object {
		flatten(into, strings.TrimPrefix(at+"."+name, "."), part)
	}
}

// A model of every row can be built, and its training planned.
func TestAblationsAreValid(t *testing.T) {
	t.Setenv(store.ResultsEnv, t.TempDir())
	plans, err := Ablations().PlanMemory(t.Context(), experiments.Options{Profile: experiments.Medium, Seeds: []uint64{0},
		Only: map[string][]string{"dynamics": {"heat"}}, Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ablationsSize(experiments.Medium).models {
		if plans[id] == nil || plans[id].DeviceBytes == 0 {
			t.Errorf("%s cannot be planned", id)
		}
	}
	if small, wide := plans["width-8"], plans["width-64"]; small != nil && wide != nil && small.Saves >= wide.Saves {
		t.Errorf("width 8 saves %d bytes, width 64 %d", small.Saves, wide.Saves)
	}
}

// Both figures of each of the dynamics have every row.
func TestFiguresOfAblations(t *testing.T) {
	var drawn catalogue.Drawn
	drawAblations(trainedReport(t, Ablations().Study, experiments.Medium), &drawn)
	if drawn.Err != nil {
		t.Fatal(drawn.Err)
	}
	var names []string
	for _, f := range drawn.All {
		names = append(names, f.Name)
		studytest.Draw(t, t.TempDir(), f.Name, f.Figure)
		if alt := f.Figure.Alt(); !strings.Contains(alt, "Recommended, width 64 ") || !strings.Contains(alt, " and 3 more") {
			t.Errorf("%s, of 19 rows: %s", f.Name, alt) // it names 16
		}
	}
	want := []string{"ablations-heat-errors", "ablations-heat-norms", "ablations-gene-errors", "ablations-gene-norms"}
	if !slices.Equal(names, want) {
		t.Errorf("figures %q, want %q", names, want)
	}
}

// Dynamics of which one row alone has all its runs have no figures: there is nothing to compare.
func TestNoFiguresOfOneSetting(t *testing.T) {
	r := trainedReport(t, Ablations().Study, experiments.Medium)
	for i, run := range r.Results {
		if run.Keys["dynamics"] == "heat" && run.Model.ID != r.Results[0].Model.ID {
			r.Results[i].Record = nil
		}
	}
	var drawn catalogue.Drawn
	drawAblations(r, &drawn)
	if drawn.Err != nil {
		t.Fatal(drawn.Err)
	}
	for _, f := range drawn.All {
		if strings.Contains(f.Name, "heat") {
			t.Errorf("%s, of one setting", f.Name)
		}
	}
	if len(drawn.All) != 2 {
		t.Errorf("%d figures, want both of genes", len(drawn.All))
	}
}
