package worlds

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

// The plan has every κ on communities and one κ on all families, with the rates of events of these worlds.
func TestContactPlan(t *testing.T) {
	for profile, want := range map[experiments.Profile]struct {
		worlds, runs, nodes, epochs int
	}{
		experiments.Quick:  {2, 2 * 3, 100, 6},
		experiments.Medium: {7, 7*len(contactModels)*3 + 5*len(decisive)*3, 100, 2000},
		experiments.Full:   {7, 7 * len(contactModels) * 3, 400, 2000},
	} {
		runs, err := Contact().Plan(t.Context(), experiments.Scope{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		worlds := make(map[string]bool)
		for _, run := range runs {
			at := run.Spec.(world)
			key := fmt.Sprintf("%s, κ %s", run.Keys["family"], run.Keys[kappaKey])
			worlds[key] = true
			if key != fmt.Sprintf("%s, κ %g", at.family.Name(), at.task.Dynamics.Parameters[1]) ||
				run.Keys["dynamics"] != "contact" {
				t.Errorf("keys %v of data on %s with parameters %v", run.Keys, at.family.Name(), at.task.Dynamics.Parameters)
			}
			epochs := want.epochs
			if run.Model.Untrained {
				epochs = 0
			}
			if at.sets[0].Nodes != want.nodes || run.Model.Train.Epochs != epochs {
				t.Errorf("%s: %d nodes, %d epochs, want %d and %d", profile, at.sets[0].Nodes, run.Model.Train.Epochs, want.nodes,
					want.epochs)
			}
		}
		if len(runs) != want.runs || len(worlds) != want.worlds {
			t.Errorf("%s: %d runs in worlds %v, want %d in %d", profile, len(runs), worlds, want.runs, want.worlds)
		}
	}
}

// Identities of runs contain everything that decides their data.
func TestContactIdentity(t *testing.T) {
	runs, err := Contact().Plan(t.Context(), experiments.Scope{Profile: experiments.Medium, Seeds: []uint64{2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		identity, err := run.Identity()
		if err != nil {
			t.Fatal(err)
		}
		var described []json.RawMessage
		if err := json.Unmarshal(identity.(map[string]any)["sets"].(store.Canonical), &described); err != nil {
			t.Fatal(err)
		}
		var sets []string
		for i, set := range described {
			text := string(set)
			want := fmt.Sprintf(`"Dynamics":"contact","DynamicsParameters":[0.1,%s],"Channels":1,"Nodes":100,`+
				`"Graphs":4,"Ticks":100,"Events":12,"Horizon":5,"Amplitude":{"Low":25,"High":40},`+
				`"EventProbability":0.002,"Step":0.01,"Seed":%d,"AsPublished":false}`, run.Keys[kappaKey], []int{21234, 21734,
				22734}[i])
			if !strings.HasSuffix(text, want) {
				t.Errorf("%v: %s, want it to end in %s", run, text, want)
			}
			sets = append(sets, text)
		}
		if len(sets) != 3 {
			t.Errorf("%d sets, want 3", len(sets))
		}
	}
}

// contactReport returns runs of profile medium with the errors of a function; 0 means a missing run, below 0 a
// diverged run.
func contactReport(t *testing.T, errorOf func(model, kappa, family string, seed uint64) float64) *experiments.Report {
	t.Helper()
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	r, err := Contact().Stored(t.Context(), experiments.Options{Fresh: true, Profile: experiments.Medium})
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range r.Results {
		e := errorOf(run.Model.ID, run.Keys[kappaKey], run.Keys["family"], run.Seed)
		facts := &experiments.Facts{Scores: map[string]float64{"test": e}}
		if e < 0 {
			facts = &experiments.Facts{Failure: "diverged"}
		}
		if e != 0 {
			r.Results[i].Record = &experiments.Record{Facts: facts}
		}
	}
	return r
}

// The tables are: by κ on communities, by families at contactKappa, and of pairs.
func TestContactTables(t *testing.T) {
	r := contactReport(t, func(model, kappa, family string, seed uint64) float64 {
		e := 2 + 0.1*float64(seed)
		switch {
		case model == "adjacency":
			return 0
		case model == "original" && kappa == "0.3" && seed == 1:
			return -1
		case model == "law" && kappa == "0":
			return e * (1 + 0.01*float64(seed))
		case model == "law":
			return e / 2
		}
		return e
	})
	items, err := Contact().Show(r)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, item := range items {
		if table, ok := item.(*figures.Table); ok {
			text, err := table.Markdown()
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
	}
	if len(texts) != 2 {
		t.Fatalf("%d tables, want 2:\n%s", len(texts), strings.Join(texts, "\n"))
	}
	for i, want := range [][]string{
		{"contact, by κ on community graphs: test error, profile medium", "| model | 0 | 0.1 | 0.2 | 0.3 |"},
		{"contact, by graphs at κ 0.2: test error, profile medium", "| model | community | grid | power law | small world |"},
	} {
		for _, want := range want {
			if !strings.Contains(strings.Join(strings.Fields(texts[i]), " "), want) {
				t.Errorf("no %q in\n%s", want, texts[i])
			}
		}
		if strings.Contains(texts[i], "less than Original") || strings.Contains(texts[i], "(NaN") {
			t.Errorf("what the paper prints stands beside ours:\n%s", texts[i])
		}
	}
	verdict, _, _, err := Contact().Verdict(r)
	if !strings.HasPrefix(verdict, "All graphs, κ 0.2: PENG-CDE recommended is ") {
		t.Errorf("%q does not begin with how the study's subject compares", verdict)
	}
	if err != nil || !strings.Contains(verdict, "Linear law has the lowest mean error in 6 of 7 worlds") {
		t.Errorf("%q, %v", verdict, err)
	}
	m, err := Contact().matrix(r)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"community, κ 0", "community, κ 0.1", "community, κ 0.2", "community, κ 0.3", "grid, κ 0.2",
		"power law, κ 0.2", "small world, κ 0.2", "all graphs, κ 0.2", "κ 0.2 and more"}
	if diff := cmp.Diff(want, m.Cases); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
	at := slices.IndexFunc(m.Lines, func(l judge.Line) bool { return l.Row == "Linear law" && l.Rival == "GN-ODE" })
	for i, f := range m.Lines[at].Findings {
		wantOutcome := stats.Better
		if i == 0 {
			wantOutcome = stats.NotShown
		}
		if f.Outcome != wantOutcome || i > 0 && change(f.Difference, 0) != "2 times lower" {
			t.Errorf("%s: %+v", m.Cases[i], f)
		}
	}
	for _, l := range m.Lines {
		switch {
		case l.Rival == "Adjacency GN-CDE":
			t.Errorf("a row without runs is shown: %+v", l)
		case l.Row == "Linear law" && l.Rival == "Original GN-CDE":
			if f := l.Findings[3]; f.Outcome != stats.NotTested || !strings.Contains(f.Note, "diverged, 1 of 3") {
				t.Errorf("%+v", f)
			}
			if f := l.Findings[8]; f.Outcome != stats.Better || !strings.Contains(f.Note, "1 where one of the two diverged") {
				t.Errorf("%+v", f)
			}
		}
	}
}

// Without runs the page compares nothing.
func TestContactWithoutRuns(t *testing.T) {
	r := contactReport(t, func(string, string, string, uint64) float64 { return 0 })
	part, err := r.Part()
	if err != nil {
		t.Fatal(err)
	}
	if len(part.Tables) != 2 || len(part.Figures) != 0 || part.Verdict != "" {
		t.Errorf("%d tables, %d figures, verdict %q", len(part.Tables), len(part.Figures), part.Verdict)
	}
	notes := strings.Join(part.Notes, "\n")
	if strings.Count(notes, "All of it is ours") != 1 || strings.Contains(notes, "the paper prints is for") {
		t.Errorf("notes:\n%s", notes)
	}
}

// Figures are drawn with every number of rows from 1.
func TestContactOfFewRows(t *testing.T) {
	for rows, few := range contactModels {
		r := contactReport(t, func(model, _, _ string, _ uint64) float64 {
			if !slices.Contains(contactModels[:rows+1], model) {
				return 0
			}
			return 1
		})
		var drawn catalogue.Drawn
		Contact().opening(r, &drawn)
		if drawn.Err != nil {
			t.Fatal(drawn.Err)
		}
		for _, f := range drawn.All {
			if _, err := f.HTML(); err != nil {
				t.Errorf("%d rows, the last %s: %v", rows+1, few, err)
			}
		}
	}
}

// Runs are made and stored, and figures show one world.
func TestContactIsRun(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(experiments.ResultsEnv, folder)
	w, o := *Contact(), studytest.GoOptions(t)
	w.size = func(experiments.Profile) worldsSize {
		return worldsSize{nodes: 16, seeds: 1, epochs: 2, families: catalogue.Families("community"), evaluateEvery: 1,
			patience: 100,
			models:   []string{"constant", "peng", catalogue.LawID}, kappas: []float64{0, contactKappa}}
	}
	contact := w.complete()
	r, err := contact.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"constant", "peng"} {
		scores := r.Results.Where("model", id).Scores("test")
		if len(scores) != 2 || !(scores[0] > 0) || !(scores[1] > 0) || scores[0] == scores[1] {
			t.Errorf("%s has errors %v with two κ", id, scores)
		}
	}
	page, err := contact.Page(r)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range page.Figures {
		names = append(names, f.Name)
		studytest.Draw(t, folder, f.Name, f.Figure)
	}
	want := []string{"contact-by-kappa", "contact-contact-kappa-errors", "contact-contact-errors",
		"contact-contact-over-time", "contact-contact-weights"}
	if diff := cmp.Diff(want, names); diff != "" || page.Pictures != 3 {
		t.Errorf("%d pictures, want 3; figures (-want +got):\n%s", page.Pictures, diff)
	}
	if _, err := contact.LossOverTime(r, "contact", "community"); !errors.Is(err, experiments.ErrInput) ||
		!strings.Contains(err.Error(), "kappa 0, 0.2") {
		t.Errorf("a figure of two worlds: %v", err)
	}
	if _, err := contact.Law(r, "contact"); !errors.Is(err, experiments.ErrInput) {
		t.Errorf("the law of two worlds: %v", err)
	}
	for kappa, same := range map[string]bool{"0": false, "0.2": true} {
		o.Only = map[string][]string{kappaKey: {kappa}}
		one, err := contact.Stored(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		law, err := contact.Law(one, "contact")
		if err != nil {
			t.Fatal(err)
		}
		text, err := law.Markdown()
		if err != nil || strings.Contains(text, "row sums on diagonal of the change of A") != (kappa != "0") ||
			!strings.Contains(text, fmt.Sprintf("the other %d terms", 1+2*8-1-len(law.Rows))) {
			t.Errorf("κ %s: a law of %d rows, error %v:\n%s", kappa, len(law.Rows), err, text)
		}
		figure, err := contact.LossOverTime(one, "contact", "community")
		if err != nil {
			t.Fatal(err)
		}
		if (figure.Alt() == page.Figures[3].Alt()) != same {
			t.Errorf("κ %s is that of the page: %t, want %t", kappa, !same, same)
		}
	}
}
