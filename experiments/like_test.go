package experiments

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A run that another study has stored, or that came with the module, is shown and not made again. It stays there:
// nothing is copied, and nothing is shipped twice.
func TestRunsOfAStudyThatPlansThemToo(t *testing.T) {
	_, results := inCheckout(t)
	first, o := waves(t), Options{Profile: Quick}
	made := runAll(t, first, o)
	second := waves(t)
	second.Name, second.Like, second.Execute = "waves-too", []string{"nothing", "waves"}, nil // its Execute would panic
	shown := func(when string) {
		t.Helper()
		e, err := second.Estimate(t.Context(), o)
		if err != nil || e.Missing != 0 {
			t.Errorf("%s: %+v, %v, want none missing", when, e, err)
		}
		states, err := second.States(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if stored, planned := states[Quick].Count(); stored != 4 || planned != 4 {
			t.Errorf("%s: states of %d runs of %d, want 4 of 4", when, stored, planned)
		}
		for i, r := range runAll(t, second, o).Results {
			if r.Record == nil || r.Record.Study != "waves" ||
				r.Facts().Scores["test"] != made.Results[i].Facts().Scores["test"] {
				t.Errorf("%s: %v: %+v, want the record of waves", when, r.Run, r.Record)
			}
		}
		for _, r := range storedOf(t, second, Options{}).Results { // as workers look for runs that others have stored
			files, err := r.slot.Files()
			exists, listed := r.slot.Exists(), files.Record(r.slot)
			if want := when == "stored"; err != nil || exists != want || listed != want {
				t.Errorf("%s: %v: exists %t, listed %t, %v, want %t", when, r.Run, exists, listed, err, want)
			}
		}
		if files, _ := os.ReadDir(filepath.Join(results, "waves-too")); len(files) > 0 {
			t.Errorf("%s: %v, want no copies", when, files)
		}
		if wrote, err := second.Ship(t.Context(), o); !errors.Is(err, ErrInput) {
			t.Errorf("%s: shipped %+v, %v, want ErrInput as no run is its own", when, wrote, err)
		}
	}
	shown("stored")
	if _, err := first.Ship(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(results, "waves")); err != nil {
		t.Fatal(err)
	}
	shown("shipped")
	if stored, _ := storedOf(t, second, Options{Fresh: true}).Count(); stored != 0 {
		t.Errorf("%d runs with Fresh, want none", stored)
	}

	second.Execute = waves(t).Execute
	runAll(t, second, Options{Seeds: []uint64{2}})
	o.Seeds = []uint64{0, 1, 2}
	if wrote, err := second.Ship(t.Context(), o); err != nil || wrote.Runs != 2 || wrote.Missing != 0 {
		t.Errorf("shipped %+v, %v, want its own 2 runs, none missing", wrote, err)
	}
}
