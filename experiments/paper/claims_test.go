package paper

import (
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/stats"
)

// Without runs no claim is judged, each claim says what it lacks, and all name existing studies.
func TestClaimsWithoutRuns(t *testing.T) {
	quick := &experiments.Report{Profile: experiments.Quick, Results: experiments.Results{{
		Record: &experiments.Record{Facts: &experiments.Facts{}}}}}
	seen := make(map[string]bool)
	for _, c := range Claims() {
		if seen[c.ID] || c.Says == "" || c.Printed == "" {
			t.Errorf("claim %+v", c)
		}
		seen[c.ID] = true
		if c.Find == nil {
			t.Fatalf("claim %s has no finder", c.ID)
		}
		for _, name := range c.Studies {
			if _, err := ByName(name); err != nil {
				t.Errorf("%s: %v", c.ID, err)
			}
		}
		for _, e := range []judge.Evidence{{}, {Reports: map[string]*experiments.Report{"table1": quick}}} {
			j, err := c.Judge(e)
			if err != nil || j.Verdict != judge.Untested || len(j.Cases) == 0 {
				t.Errorf("%s of nothing: %s, %v, %v", c.ID, j.Verdict, j.Cases, err)
			}
			for _, f := range j.Cases {
				if f.Outcome != stats.NotTested || f.Note == "" || f.Name == "" {
					t.Errorf("%s of nothing: %+v", c.ID, f)
				}
			}
		}
	}
}

// The exhibits name existing studies, and the order contains each study once.
func TestExhibits(t *testing.T) {
	for _, x := range Exhibits() {
		if len(x.Studies) == 0 || x.Shows == "" {
			t.Errorf("%+v", x)
		}
		for _, name := range x.Studies {
			if _, err := ByName(name); err != nil {
				t.Errorf("%s: %v", x.Name, err)
			}
		}
		if x.Items == nil {
			continue
		}
		if _, err := x.Items(judge.Evidence{}); err != nil {
			t.Errorf("%s: %v", x.Name, err)
		}
	}
	var names []string
	for _, s := range InOrder() {
		names = append(names, s.Name)
	}
	want := "table1 sir epidemics twitter-tennis node-affinity table-wealth well-posed ablations contact " +
		"table1-as-published"
	if strings.Join(names, " ") != want {
		t.Errorf("order %q", names)
	}
}
