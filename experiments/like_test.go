package experiments

import (
	"strings"
	"testing"
)

// A run that another study has stored is copied from there unchanged, and shown as a run of this study.
func TestRunsOfAStudyThatPlansThemToo(t *testing.T) {
	results(t)
	first, o := toy(), options(t)
	made := run(t, first, o)
	second := toy()
	second.Name, second.Like, second.Execute = "toy-too", []string{"nothing", "toy"}, nil // its Execute would panic
	e, err := second.Estimate(t.Context(), o)
	if err != nil || e.Missing != 0 || e.Copied != toyRuns || !strings.Contains(e.String(), "to copy from a study") {
		t.Errorf("%+v, %v: %s, want %d copied", e, err, e, toyRuns)
	}
	taken := run(t, second, o)
	if stored, planned := taken.Count(); stored != toyRuns || planned != toyRuns {
		t.Fatalf("%d of %d runs are taken, want %d", stored, planned, toyRuns)
	}
	for i, r := range taken.Results {
		if r.Record.Study != "toy-too" || r.Facts().Scores["test"] != made.Results[i].Facts().Scores["test"] ||
			!r.Record.Ended.Equal(made.Results[i].Record.Ended) {
			t.Errorf("%v: %+v, want the record of toy", r.Run, r.Record)
		}
	}
}
