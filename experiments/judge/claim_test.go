package judge

import (
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/stats"
)

// Groups with the same cases are named once.
func TestByGroup(t *testing.T) {
	cases := []Case{{Group: "heat", Name: "A"}, {Group: "heat", Name: "B"}, {Group: "gene", Name: "A"},
		{Group: "gene", Name: "B"}, {Group: "opinion", Name: "B"}}
	got := strings.Join(byGroup(cases, nil), "; ")
	all := strings.Join(byGroup(cases, map[string]int{"heat": 2, "gene": 2, "opinion": 2}), "; ")
	if got != "heat and gene: A, B; opinion: B" || all != "heat and gene: all 2; opinion: B" {
		t.Errorf("%q, %q", got, all)
	}
}

// The outcomes of cases give the verdict.
func TestVerdictsOfCases(t *testing.T) {
	of := func(outcomes ...stats.Outcome) (all []Case) {
		for i, o := range outcomes {
			all = append(all, Case{Group: []string{"heat", "gene"}[i%2], Name: string(rune('A' + i)),
				Finding: Finding{Outcome: o}})
		}
		return all
	}
	left := of(stats.Better, stats.Better)
	left[1].Left = []string{"C diverged, 1 of 3"}
	other := of(stats.Better, stats.NotTested)
	other[0].Substitute = true
	beside := append(of(stats.Better), Case{Name: "B", Finding: Finding{Outcome: stats.Worse}, Substitute: true,
		Left: []string{"a run"}})
	for _, c := range []struct {
		name  string
		cases []Case
		want  Verdict
		first string
		words string
	}{
		{"all", of(stats.Better, stats.Better, stats.Better), Holds, "heat: all 2; gene: B",
			"holds"},
		{"a run is left out", left, HoldsOnlyWhere, "heat: A; gene: B",
			"holds in 2 of 2 cases: heat: A; gene: B; runs are missing or diverged"},
		{"one is against", of(stats.Better, stats.Better, stats.Worse), HoldsOnlyWhere, "heat: A; gene: B",
			"holds in 2 of 3 cases: heat: A; gene: B (1 against it)"},
		{"one shows nothing", of(stats.Better, stats.NotShown), HoldsOnlyWhere, "heat: A",
			"holds in 1 of 2 cases: heat: A (1 not shown either way)"},
		{"one is missing", of(stats.Better, stats.NotTested), HoldsOnlyWhere, "heat: A",
			"holds in 1 of 2 cases: heat: A (1 not yet tested)"},
		{"none, one against", of(stats.NotTested, stats.NotShown, stats.Worse), DoesNotHold, "heat: C",
			"does not hold: against it in 1 of 3 cases (1 not shown either way, 1 not yet tested)"},
		{"none shows anything", of(stats.NotTested, stats.NotShown), Open, "gene: B",
			"not shown either way in 1 of 2 cases (1 not yet tested)"},
		{"shown on other data", other, Untested, "heat: A", "not yet tested"},
		{"against it on other data", beside, Holds, "heat: A", "holds"},
		{"missing", of(stats.NotTested, stats.NotTested), Untested, "heat: A; gene: B", "not yet tested"},
		{"nothing", nil, Untested, "", "not yet tested"},
	} {
		j, err := Claim{Find: func(Evidence) ([]Case, error) { return c.cases, nil }}.Judge(Evidence{})
		if err != nil || j.Verdict != c.want {
			t.Errorf("%s: %s, want %s, %v", c.name, j.Verdict, c.want, err)
		}
		if got := j.InWords(); got != c.words {
			t.Errorf("%s: in words %q, want %q", c.name, got, c.words)
		}
		if cases := j.Lists(); len(cases) > 0 != (c.first != "") || len(cases) > 0 && cases[0].Names != c.first {
			t.Errorf("%s: cases %+v, want first %q", c.name, cases, c.first)
		}
	}
}

// Tests are corrected for all cases of a claim, whether or not their runs exist, and whatever their order.
func TestCasesAreCorrected(t *testing.T) {
	of := func(mean, p float64) Case {
		return Case{Finding: Finding{Note: "x", Difference: mean, Raw: p}, Tested: true}
	}
	findings := []Case{of(1, 0.01), of(-1, 0.001), Missing("", "", "no run"), of(-1, 0.03), {Substitute: true}}
	if err := CorrectCases(findings); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		outcome stats.Outcome
		numbers string
	}{{stats.Worse, "x, corrected p 0.030"}, {stats.Better, "x, corrected p 0.004"}, {stats.NotTested, "no run"},
		{stats.NotShown, "x, corrected p 0.060"}, {stats.NotTested, ""}} {
		if f := findings[i]; f.Outcome != want.outcome || f.Note != want.numbers {
			t.Errorf("case %d: %s, %q, want %s, %q", i, f.Outcome, f.Note, want.outcome, want.numbers)
		}
	}
}
