package experiments

import "testing"

// A run that another study has stored is copied from there unchanged, and shown as a run of this study.
func TestRunsOfAStudyThatPlansThemToo(t *testing.T) {
	results(t)
	first, o := toy(), options(t)
	made := run(t, first, o)
	second := toy()
	second.Name, second.Like, second.Execute = "toy-too", []string{"nothing", "toy"}, nil // its Execute would panic
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
