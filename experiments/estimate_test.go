package experiments

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// An estimate counts the runs that Run would make. It uses stored runs of the same model and keys, of the same model,
// or of another profile, and says if there are none.
func TestEstimate(t *testing.T) {
	t.Setenv(ResultsEnv, t.TempDir())
	t.Chdir(t.TempDir())
	backend := xlatest.Backend(t)
	study := toy()
	estimate := func(o Options, want ...string) Estimate {
		t.Helper()
		o.Backend = backend
		e, err := study.Estimate(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(e.String(), part) {
				t.Errorf("%+v: %q, want %q in it", o, e, part)
			}
		}
		return e
	}
	estimate(Options{Profile: Medium}, "8 of 8 runs to make; how long they take is not known")
	estimate(Options{Profile: Medium, Models: []string{"zero"}}, "2 of 2 runs to make, none of which is trained")

	made := Options{Profile: Medium, Models: []string{"two"}, Seeds: []uint64{0}, Backend: backend}
	report, err := study.Run(t.Context(), made)
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*b }
	took, trained := report.Results[0].Record.Seconds, report.Results[0].Record.Cost()
	e := estimate(Options{Profile: Medium}, "7 of 8 runs to make; about ", "2 more have none to judge by", "CPU")
	peak := report.Results[0].Facts().PeakBytes
	if e.Trained != 3 || e.Programs != 3 || e.Estimated != 1 || !near(e.Seconds, took) || e.PeakBytes != peak {
		t.Errorf("%+v, want 1 of 3 trained runs judged by one of %g s and %d bytes", e, took, peak)
	}
	text, err := e.Table().Text(80)
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{"Two 1 of 2 0 " + hours(trained) + " " + hours(took),
		"Three 0 of 2 0 – unknown for 2 runs"} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if total := e.Total(); total.Stored() != "1 of 8" || total.Missing != 7 || total.Unknown != 6 ||
		total.Taken != trained || !near(total.Seconds, took) {
		t.Errorf("total %+v, want 1 of 8 runs stored and 6 without an estimate", total)
	}
	estimate(made, "nothing to make")
	if e := estimate(Options{Profile: Medium, SeedsTogether: true}); e.Trained != 3 || e.Programs != 2 {
		t.Errorf("%d runs by %d programs, want 3, of which 2 are trained together", e.Trained, e.Programs)
	}
	both := toyOn([]string{"early", "late"})
	e, err = both.Estimate(context.Background(), Options{Profile: Medium, Models: []string{"two"},
		Only: map[string][]string{"half": {"late"}}}) // no run of this half is made, so the model's other run counts
	if err != nil || e.Estimated != 2 || !near(e.Seconds, 2*took) {
		t.Errorf("%+v, %v, want 2 runs judged by one of %g s", e, err, took)
	}
	estimate(Options{Profile: Medium, Models: []string{"two"}, Fresh: true, Stale: true}, "1 of 2 runs to make; about ")
	if _, err := study.Estimate(context.Background(), Options{Models: []string{"tow"}}); err == nil ||
		!strings.Contains(err.Error(), "want one of two, three, zero, last") {
		t.Errorf("an unknown model: %v", err)
	}
}

// An estimate from another profile's epochs is rough, and leaves out pauses and memory.
func TestEstimateByAnotherProfile(t *testing.T) {
	run := func(epochs int) Result {
		m := NetworkRow("two", "Two", toyConfig, toyTraining)
		m.Train.Epochs = epochs
		return Result{Run: Run{Model: m}}
	}
	stored := run(200) // it stopped after half of its epochs: 10 s beside them, and of 6 epochs 3 of half a second
	stored.Record = &Record{Seconds: 60, Machine: Machine{System: "linux/amd64", CPUs: 1, Backend: "cpu"},
		Facts: &Facts{Training: &Training{TrainLoss: make([]float64, 100), SecondsPerEpoch: 0.5}, PeakBytes: 3 << 30}}
	paused := stored
	paused.Record = &Record{Seconds: 6000, Machine: stored.Record.Machine, Facts: stored.Record.Facts}
	for _, c := range []struct {
		of, by Profile
		want   string
	}{
		{Quick, Medium, "; roughly 12 s in one process by the seconds of an epoch in profile medium, made on " +
			"linux/amd64 with 1 CPU (cpu)"},
		{Full, Medium, "; roughly 12 s in one process by"},
		{Medium, Medium, "; about 60 s in one process by stored runs of these models"},
	} {
		e, row := Estimate{Planned: 1, Missing: 1, Trained: 1, profile: c.of}, RowEstimate{Missing: 1, Unknown: 1}
		judged := e.add(run(6), &row, source{profile: c.by, paces: pacesOf(Results{paused, stored}), growth: 1})
		e.Rows = []RowEstimate{row}
		if !judged || !strings.Contains(e.String(), c.want) {
			t.Errorf("%s by %s: %q, want %q", c.of, c.by, e, c.want)
		}
		if row.Seconds != e.Seconds || row.Unknown != 0 || row.rough != (c.of != c.by) {
			t.Errorf("%s by %s: row %+v, want %g s", c.of, c.by, row, e.Seconds)
		}
		if known := e.PeakBytes > 0; known != (c.of == c.by) { // their graphs have other sizes
			t.Errorf("%s by %s: %d bytes", c.of, c.by, e.PeakBytes)
		}
	}
	e := Estimate{profile: Quick}
	stored.Record.Facts.Training.TrainLoss = nil
	from := source{profile: Medium, paces: pacesOf(Results{stored}), growth: 1}
	if e.add(run(6), new(RowEstimate), from) || e.Estimated != 0 {
		t.Error("judged by a run that diverged in its first epoch")
	}
}

// The times of another profile are multiplied by the median growth of the models that have runs in both.
func TestEstimateGrows(t *testing.T) {
	result := func(id string, secondsPerEpoch float64) Result {
		r := Result{Run: Run{Model: NetworkRow(id, id, toyConfig, toyTraining)}}
		r.Model.Train.Epochs = 200
		if secondsPerEpoch > 0 {
			r.Record = &Record{Facts: &Facts{Training: &Training{TrainLoss: make([]float64, 100),
				SecondsPerEpoch: secondsPerEpoch}}}
		}
		return r
	}
	full := &Report{Profile: Full,
		Results: Results{result("a", 2), result("b", 6), result("c", 40), result("d", 0)}}
	medium := &Report{Profile: Medium,
		Results: Results{result("a", 1), result("b", 2), result("c", 4), result("d", 5)}}
	e := full.Estimate(medium)
	if e.Estimated != 1 || math.Abs(e.Seconds-1500) > 1e-6 {
		t.Errorf("%+v, want 1500 s: half of the epochs, 5 s each, times three", e)
	}
	want := "seconds of an epoch in profile medium times 3 (models with runs in both: 3)"
	if !strings.Contains(e.String(), want) {
		t.Errorf("%q, want %q in it", e, want)
	}
	for i := range full.Results {
		full.Results[i].Record = nil
	}
	e = full.Estimate(medium)
	if e.Estimated != 4 || math.Abs(e.Seconds-1200) > 1e-6 || strings.Contains(e.String(), "times") {
		t.Errorf("%+v, %s, want 1200 s with no factor", e, e)
	}
}

// Where nothing is missing, failed and stale runs are counted apart, with the flag that makes each again.
func TestEstimateOfRunsLeft(t *testing.T) {
	result := func(r Result) Result {
		r.Run = Run{Model: NetworkRow("two", "Two", toyConfig, toyTraining)}
		return r
	}
	r := &Report{Profile: Quick, Results: Results{result(Result{Record: &Record{Error: "full"}}),
		result(Result{Record: &Record{Error: "full"}}), result(Result{Stale: true})}}
	e, err := r.estimate(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "nothing to make, 2 failed (--retry makes them again), 1 stale (--stale replaces them)"
	if got := e.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	text, err := e.Table().Text(80)
	if err != nil || !strings.Contains(text, "2 failed, 1 stale") {
		t.Errorf("%v, want a row of the runs in\n%s", err, text)
	}
	e, err = r.estimate(r.Results[:1], func(Profile) (Results, error) { return nil, nil })
	if row := e.Rows[0]; err != nil || row.Missing != 1 || row.Failed != 1 || row.Stale != 1 {
		t.Errorf("%v: %+v, want one failed run to make, one failed and one stale left", err, row)
	}
}
