package sir

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// pretended returns a report on the runs of a profile with made-up facts; nil facts leave a run missing.
func pretended(t *testing.T, p experiments.Profile, facts func(experiments.Run, sampling) *experiments.Facts) (
	*Oversampling, *experiments.Report) {
	t.Helper()
	study := SIR()
	runs, err := study.Plan(context.Background(), experiments.Scope{Profile: p})
	if err != nil {
		t.Fatal(err)
	}
	r := &experiments.Report{Study: study.Study, Profile: p}
	for _, run := range runs {
		result, at := experiments.Result{Run: run}, run.Spec.(sirRun)
		f := facts(run, at.sampling)
		if run.Model.ID == catalogue.InferenceID {
			clock := &experiments.Facts{Scores: make(map[string]float64)}
			for _, row := range at.timed {
				run.Model = row
				if f := facts(run, at.sampling); f != nil && f.Failure == "" {
					for _, name := range []string{batchTime, singleTime} {
						clock.Scores[timeOf(row.ID, name)] = f.Scores[name]
					}
				}
			}
			if f = clock; len(clock.Scores) == 0 {
				f = nil
			}
		}
		if f != nil {
			result.Record = &experiments.Record{Facts: f, Machine: experiments.Machine{System: "a", CPUs: 2}}
		}
		r.Results = append(r.Results, result)
	}
	r.All = r.Results
	return study, r
}

// scored returns facts with an accuracy and times.
func scored(share, ms float64) *experiments.Facts {
	return &experiments.Facts{Scores: map[string]float64{accuracy: share, batchTime: ms, singleTime: 2 * ms}}
}

// Every profile has each sampling of the figure once. All models run on a sampling in turn, in one order, seed by
// seed.
func TestSIRPlan(t *testing.T) {
	study := SIR()
	for _, p := range experiments.Profiles() {
		size := study.size(p)
		runs, err := study.Plan(context.Background(), experiments.Scope{Profile: p})
		if err != nil {
			t.Fatal(err)
		}
		// Models that see only the first state run without shape and noise.
		blind := 0
		for _, id := range blindIDs {
			if slices.Contains(size.models, id) {
				blind++
			}
		}
		varied := len(size.shapes) + len(size.noises)*len(size.noisyAt)
		settings := len(size.observations) + varied
		beside := 0 // samplings without the row that is compared under noise
		if slices.Contains(size.models, catalogue.PreciseID) {
			beside = settings - (1+len(size.noises))*len(size.noisyAt)
		}
		if slices.Contains(size.models, catalogue.SteadyID) {
			beside += len(size.noises) * len(size.noisyAt)
		}
		want := size.seeds * (settings*len(size.models) - varied*blind - beside + len(size.observations))
		if slices.Contains(size.models, catalogue.AffineID) { // with and without noise, two rows a remedy
			want += size.seeds * (1 + len(size.noises)) * len(size.noisyAt) * 2 * len(remedies)
		}
		if len(runs) != want {
			t.Errorf("%s: %d runs, want %d", p, len(runs), want)
		}
		changes := 1
		for i, run := range runs {
			at := run.Spec.(sirRun)
			if i > 0 && at.sampling != runs[i-1].Spec.(sirRun).sampling {
				changes++
			}
			if n := at.observations; at.shape != 0 && n != 20 || at.noise != 0 && !slices.Contains(size.noisyAt, n) {
				t.Errorf("%s: %v has %d observations", p, run, n)
			}
		}
		if changes != size.seeds*settings {
			t.Errorf("%s: other trajectories %d times, want %d: all models at a setting come one after the other", p, changes,
				size.seeds*settings)
		}
	}
	if full := study.size(experiments.Full); full.perClass != 50 || full.testPerClass != 50 ||
		full.training.BatchSize != 100 || full.hidden != 32 ||
		full.layers != 3 || full.step != 0.1 || full.seeds != 10 || full.training.Epochs != 2000 ||
		full.training.Patience != 200 || full.training.MinEpochs != 200 || full.training.Target != 0 {
		t.Errorf("profile full is not the published protocol: %+v", full)
	}
}

// The identity of a run contains everything that decides it.
func TestSIRIdentity(t *testing.T) {
	runs, err := SIR().Plan(context.Background(), experiments.Scope{Profile: experiments.Full, Seeds: []uint64{3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model string
		at    sampling
		want  []string
	}{
		{"peng", sampling{observations: 20, shape: 25}, []string{`"Observations":20`, `"Shape":25`, `"noise":0,`, `"seed":3`,
			`"Output":"class"`, `"Outputs":2`, `"Control":"normalised"`, `"Step":0.1`, `"Hidden":32`, `"BatchSize":100`,
			`"Graphs":50`, `"Horizon":1`, `"DynamicsParameters":[0.25,0.7]`, `"DynamicsParameters":[0.3,0.3]`,
			`"Low":0.5`, `"WeightDecay":0.0001`, `"Seed":31234`, `"Seed":31734`, `"Seed":32734`}},
		{"dcrnn", sampling{observations: 100, noise: 0.05}, []string{`"noise":0.05`, `"Inputs":100`, `"Control":"raw"`,
			`\"Order\":3`, `\"Layers\":3`}},
		{catalogue.RatioID, sampling{observations: 200}, []string{`"Threshold":0.5`, `"Observations":200`}},
	} {
		i := slices.IndexFunc(runs, func(r experiments.Run) bool {
			return r.Model.ID == c.model && r.Spec.(sirRun).sampling == c.at
		})
		identity, err := runs[i].Identity()
		if err != nil {
			t.Fatal(err)
		}
		content, err := json.Marshal(identity)
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %s in %s", runs[i], want, text)
			}
		}
	}
}

// smallSIR returns a study that trains in seconds.
func smallSIR() *Oversampling {
	o := *SIR()
	o.size = func(p experiments.Profile) sirSize {
		s := sirSizes(experiments.Quick)
		s.observations, s.shapes, s.noises, s.perClass, s.testPerClass, s.hidden, s.step = []int{20}, []float64{3},
			[]float64{0.2}, 1, 2, 2, 1
		s.dcrnn, s.training = catalogue.Width{Hidden: 2, Layers: 1}, train.Config{Epochs: 2, EvaluateEvery: 1, BatchSize: 2}
		return s
	}
	return o.complete()
}

// Runs are made, stored and shown: with logits, the accuracies that follow from them, and times where they are shown.
func TestSIRIsRunStoredAndShown(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks over 20 observations of 100 nodes")
	}
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	o, options := smallSIR(), studytest.GoOptions(t)
	r, err := o.Run(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	if stored, planned := r.Count(); stored != 10 || planned != 10 {
		t.Fatalf("%d of %d runs, want 10 of 10", stored, planned)
	}
	for _, result := range r.Results {
		facts := result.Facts()
		if result.Model.ID == catalogue.InferenceID {
			for _, row := range []string{catalogue.RatioID, "peng", "dcrnn"} {
				for _, name := range []string{batchTime, singleTime} {
					name = timeOf(row, name)
					if len(facts.Arrays[name][0]) != repeats || facts.Scores[name] <= 0 || facts.Scores[firstCall+name] <= 0 {
						t.Errorf("%s: %v, median %g", name, facts.Arrays[name], facts.Scores[name])
					}
				}
			}
			continue
		}
		if facts.Failure != "" || len(facts.Arrays["logits"]) != 4 {
			t.Fatalf("%v: %+v", result.Run, facts)
		}
		right := 0.0
		for i, logits := range facts.Arrays["logits"] {
			if (logits[1] > logits[0]) == (facts.Arrays["labels"][0][i] == 1) {
				right += 0.25
			}
		}
		if facts.Scores[accuracy] != right {
			t.Errorf("%v: accuracy %g, of the logits %g", result.Run, facts.Scores[accuracy], right)
		}
		_, loss := facts.Scores[crossEntropy]
		if trained := !result.Model.Untrained; loss != trained {
			t.Errorf("%v: cross-entropy %t", result.Run, loss)
		}
		if result.Model.ID == catalogue.RatioID && result.Key("noise") == "0" && facts.Scores[accuracy] != 1 {
			t.Errorf("%v: the ratio does not tell the classes apart: %v", result.Run, facts.Arrays["logits"])
		}
	}
	if _, err := r.Items(); err != nil {
		t.Error(err)
	}
}

// Values with diverged or missing runs, or with times of another machine, are left open, and without data nothing is
// drawn.
func TestSIRPanels(t *testing.T) {
	folder := t.TempDir()
	study, r := pretended(t, experiments.Medium, func(run experiments.Run, s sampling) *experiments.Facts {
		switch {
		case run.Model.ID == "gn-ode", run.Model.ID == "peng" && s.observations == 40 && run.Seed == 1:
			return nil
		case run.Model.ID == "dcrnn" && s.observations == 60:
			return &experiments.Facts{Failure: "diverged"}
		}
		return scored(0.8+0.1*float64(run.Seed), float64(s.observations))
	})
	for i, run := range r.Results {
		if run.Model.ID == catalogue.InferenceID && run.Key("observations") == "200" {
			r.Results[i].Record.Machine.CPUs = 64
		}
	}
	for _, c := range []struct{ panel, says, not string }{
		{"observations", "PENG-CDE begins at 0.9", "GN-ODE"}, {"observations", "PENG-CDE begins at 0.9", "DCRNN"},
		{"observations-discrete", "ASTGCN begins at 0.9", "PENG"}, {"inference", "PENG-CDE begins at 20", "ends at 200"},
		{"inference-alone-discrete", "DCRNN begins at 40", "PENG"},
		{"shape", "3 to 100", "GN-ODE"}, {"noise-20", "0 to 0.2", "GN-ODE"},
	} {
		f, err := study.Draw(r, c.panel)
		if err != nil {
			t.Fatal(err)
		}
		if alt := f.Alt(); !strings.Contains(alt, c.says) || strings.Contains(alt, c.not) ||
			!strings.Contains(alt, "Removed") {
			t.Errorf("%s: %s", c.panel, alt)
		}
		studytest.Draw(t, folder, c.panel, f)
	}
	notes := strings.Join(study.notes(r), "\n")
	const missing = "Times of 3 settings on another system, or with another number of CPUs, show as missing"
	if !strings.Contains(notes, missing) ||
		!strings.Contains(notes, "7.5") ||
		!strings.Contains(notes, "gamma") {
		t.Errorf("notes: %s", notes)
	}
	line, found := study.panels(r)[0].series("peng")
	if !found || !math.IsNaN(line.Y[1]) || math.IsNaN(line.Y[2]) || line.Upper[0] != 1 {
		t.Errorf("%+v", line)
	}
	for name, want := range map[string]error{"noise-7": experiments.ErrInput, "": experiments.ErrInput} {
		if _, err := study.Draw(r, name); !errors.Is(err, want) {
			t.Errorf("panel %q: %v", name, err)
		}
	}
	empty, none := pretended(t, experiments.Quick, func(experiments.Run, sampling) *experiments.Facts { return nil })
	if _, err := empty.Draw(none, "shape"); !errors.Is(err, experiments.ErrNotStored) {
		t.Errorf("a figure of nothing: %v", err)
	}
	items, err := empty.Show(none)
	if text := items[0].(interface{ String() string }).String(); err != nil ||
		!strings.Contains(text, "No result is stored.") {
		t.Errorf("%v, a table of nothing:\n%s", err, text)
	}
}

// The verdict follows from the numbers.
func TestSIRVerdict(t *testing.T) {
	study, r := pretended(t, experiments.Medium, func(run experiments.Run, s sampling) *experiments.Facts {
		part, wobble := float64(s.observations-20)/180, 0.001*float64(run.Seed)
		switch run.Model.ID {
		case catalogue.RatioID:
			return scored(1-s.noise, 1+wobble)
		case "dcrnn":
			return scored(0.95-0.4*part+wobble, math.Pow(9, part)+wobble)
		case "astgcn":
			return scored(0.6+0.3*part+wobble, 1+wobble)
		case "stidgcn":
			return scored(0.8+0.2*(part-0.5)*(float64(run.Seed)-1), 1+wobble) // as many seeds rise as fall
		case "stg-ncde":
			return nil
		case "original", "gn-ode":
			return scored(0.5+0.01*(float64(run.Seed)-1), 2+0.1*part+wobble)
		case catalogue.PreciseID:
			return scored(0.9-2*s.noise+wobble, 1)
		}
		return scored(0.9+wobble, 2+0.1*part+wobble)
	})
	text, matrix, details := study.Verdict(r)
	for _, want := range []string{"Accuracy against observations stays level for Constant, PENG-CDE, PENG-CDE " +
		"affine and PENG-CDE affine with constant steps (mean 0.90); rises for ASTGCN (by 0.30); " +
		"falls for DCRNN (by 0.40); is undecided for STIDGCN (mean 0.80). " +
		"Accuracy under noise with 20 observations stays level for ", "; falls for PENG-CDE with adaptive steps (by 0.40). " +
		"Removed ratio, which learns nothing, has a mean accuracy of 1.00 and 0.91 in these two. " +
		"Over all levels of noise PENG-CDE affine has a mean accuracy of 0.90; 0.90 with smoothing, ",
		"Over all levels of noise DCRNN has a mean accuracy of 0.95; 0.90 with smoothing, "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	shown, err := matrix.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`title="DCRNN falls (mean 0.75, change -0.40 ± 0.00, lowest point -0.40 ± 0.00)">falls</span>`,
		`>level</span>`, `>not judged</span>`} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	for _, want := range []string{"DCRNN falls (mean 0.75, change -0.40 ± 0.00, lowest point -0.40 ± 0.00)",
		"STG-NCDE not judged (missing, 30 of 30)", "after Holm for 10 models", // with STG-NCDE
		"ASTGCN rises (mean 0.75, change +0.30 ± 0.00", "Original GN-CDE not clearly better than a guess (mean 0.50 ± 0.02)",
		"STIDGCN too few seeds to decide (mean 0.80, change +0.00 ± 0.50", "DCRNN rises (8.99-fold",
		"PENG-CDE level (mean 0.90, change +0.00 ± 0.00"} {
		if text := strings.Join(details, "\n"); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	page, err := study.Page(r)
	if err != nil || page.Verdict == "" || len(page.Figures) != 12 {
		t.Errorf("%+v, %v", page, err)
	}
	few := *r
	few.Results = r.Results.Where("observations", "20")
	if text, matrix, details := study.Verdict(&few); text != "" || matrix != nil || details != nil {
		t.Errorf("a verdict on one number of observations: %q, %q", text, details)
	}
	for p, facts := range map[experiments.Profile]*experiments.Facts{experiments.Quick: scored(1, 1),
		experiments.Medium: nil} {
		study, r := pretended(t, p, func(experiments.Run, sampling) *experiments.Facts { return facts })
		if text, matrix, details := study.Verdict(r); text != "" || matrix != nil || details != nil {
			t.Errorf("%s: a verdict on nothing: %q, %q", p, text, details)
		}
	}
}

// The directions that intervals allow.
func TestSIRDirections(t *testing.T) {
	for _, c := range []struct {
		mean, change, lowest judge.Interval
		want                 direction
	}{
		{about(0.9, 0.1), about(0, 0.04), judge.Interval{}, staysLevel},
		{about(0.9, 0.1), about(0.01, 0.04), about(-0.05, 0.1), staysLevel},
		{about(0.9, 0.1), about(0.03, 0.04), judge.Interval{}, isUndecided},
		{about(0.9, 0.1), about(-0.04, 0.03), about(-0.04, 0.03), isUndecided}, // less, but not by the margin
		{about(0.9, 0.1), about(0.03, 0.06), judge.Interval{}, tooFewSeeds},
		{about(0.9, 0.1), about(0.1, 0.06), judge.Interval{}, rises},
		{about(0.9, 0.1), about(-0.1, 0.06), about(-0.1, 0.06), falls},
		{about(0.55, 0.06), about(-0.1, 0.06), about(-0.1, 0.06), falls}, // from better than a guess to a guess
		{about(0.55, 0.06), about(0.01, 0.06), about(-0.1, 0.06), isAGuess},
		{about(0.5, 0), about(0, 0), judge.Interval{}, isAGuess},
		{about(0.55, 0.04), about(0, 0), judge.Interval{}, staysLevel},
		{about(0.9, 0.1), about(0, 0), about(-0.4, 0.1), dips},
		{about(0.9, 0.1), about(0, 0), about(-0.06, 0.1), isUndecided},
	} {
		if got := (change{mean: c.mean, change: c.change, lowest: c.lowest, margin: 0.05}).direction(); got != c.want {
			t.Errorf("%v, %v, %v: %s, want %s", c.mean, c.change, c.lowest, got, c.want)
		}
	}
	if got := (change{change: about(0, 0.01), margin: 0.05, times: true}).direction(); got != staysLevel {
		t.Errorf("times: %s, want level", got)
	}
}

// A straight line does not hide a dip, and a diverged run counts as a guess.
func TestSIRDips(t *testing.T) {
	study, r := pretended(t, experiments.Medium, func(run experiments.Run, s sampling) *experiments.Facts {
		wobble := 0.001 * float64(run.Seed)
		switch between := s.observations == 100 || s.observations == 120; {
		case run.Model.ID == "original" && between:
			return scored(0.6+wobble, 1)
		case run.Model.ID == "peng" && s.observations == 200:
			return &experiments.Facts{Failure: "diverged"}
		}
		return scored(1-wobble, 1+wobble)
	})
	_, _, details := study.Verdict(r)
	for _, want := range []string{"Original GN-CDE lower in between (mean 0.92", "lowest point -0.40", "PENG-CDE falls",
		"lowest point -0.50 ± 0.00, 3 diverged)", "STG-NCDE level"} {
		if !strings.Contains(details[0], want) {
			t.Errorf("no %q in %s", want, details[0])
		}
	}
}

// The displayed pair differs only in its rates.
func TestEpidemicPair(t *testing.T) {
	p, err := simulatePair(context.Background(), 50, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	dies, spreads := p.infected[0], p.infected[1]
	if !slices.Equal(dies[0], spreads[0]) || stat.Mean(dies[49], nil) >= stat.Mean(spreads[49], nil) {
		t.Errorf("from %v and %v, at the end %v and %v", dies[0], spreads[0], dies[49], spreads[49])
	}
	if want := []string{"dies out: beta 0.25, gamma 0.7", "spreads: beta 0.3, gamma 0.3"}; !slices.Equal(p.classes, want) {
		t.Errorf("classes %q, want %q", p.classes, want)
	}
	if _, err := EpidemicMaps(context.Background(), 1); err != nil {
		t.Error(err)
	}
	if _, err := EpidemicCurves(context.Background(), 10, 1); err != nil {
		t.Error(err)
	}
}

// The removed ratio finds gamma, and refuses windows without an epidemic.
func TestRemovedRatio(t *testing.T) {
	pattern, _, err := dyngraph.NewPattern(1, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	window := func(features ...[]float64) dyngraph.Window {
		s := &dyngraph.Series{Name: "one", Pattern: pattern, FeatureSize: 3, TargetSize: 1}
		for k, row := range features {
			s.Times, s.Weights, s.Features = append(s.Times, float64(k)), append(s.Weights, nil), append(s.Features, row)
		}
		return s.Whole()
	}
	// I is 0.5 and then 0.3: its integral is 0.4, and R grows by 0.24.
	scores, err := RemovedRatio{0.5}.Forecast(window([]float64{0.5, 0.5, 0}, []float64{0.46, 0.3, 0.24}))
	if err != nil || !(math.Abs(scores[0]-0.1) <= 1e-12) || scores[1] != -scores[0] {
		t.Errorf("scores %v, %v, want 0.6 less 0.5", scores, err)
	}
	for name, w := range map[string]dyngraph.Window{
		"nobody infected": window([]float64{1, 0, 0}, []float64{1, 0, 0}),
		"two features":    window([]float64{1, 0}, []float64{1, 0}),
		"one observation": window([]float64{0.5, 0.5, 0}),
		"no channels": {Series: &dyngraph.Series{Times: []float64{0, 1}, Features: [][]float64{nil, nil}}, Length: 2,
			Whole: true},
	} {
		if _, err := (RemovedRatio{0.5}).Forecast(w); !errors.Is(err, synthetic.ErrTrajectory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func about(mean, half float64) judge.Interval { return judge.Interval{Mean: mean, Half: half} }
