package paper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// pretended is a report on the runs of a profile with made-up facts; nil facts leave a run missing.
func pretended(t *testing.T, p experiments.Profile, facts func(experiments.Run, sampling) *experiments.Facts) (
	*Oversampling, *experiments.Report) {
	t.Helper()
	study := SIR()
	runs, err := study.Plan(experiments.Scope{Profile: p})
	if err != nil {
		t.Fatal(err)
	}
	r := &experiments.Report{Study: study.Study, Profile: p}
	for _, run := range runs {
		result := experiments.Result{Run: run}
		if f := facts(run, run.Spec.(diagnosis).sampling); f != nil {
			result.Record = &experiments.Record{Facts: f, Machine: experiments.Machine{System: "a", CPUs: 2}}
		}
		r.Results = append(r.Results, result)
	}
	r.All = r.Results
	return study, r
}

// scored has an accuracy and times.
func scored(share, ms float64) *experiments.Facts {
	return &experiments.Facts{Scores: map[string]float64{accuracy: share, batchTime: ms, singleTime: 2 * ms}}
}

// Every profile has the figure's places once each: all models take turns at one, in one order, seed by seed.
func TestSIRPlan(t *testing.T) {
	study := SIR()
	for _, p := range experiments.Profiles() {
		size := study.size(p)
		runs, err := study.Plan(experiments.Scope{Profile: p})
		if err != nil {
			t.Fatal(err)
		}
		places := len(size.observations) + len(size.shapes) + len(size.noises)*len(size.noisyAt)
		if want := size.seeds * places * len(size.models); len(runs) != want {
			t.Errorf("%s: %d runs, want %d", p, len(runs), want)
		}
		for i, run := range runs {
			at := run.Spec.(diagnosis)
			if first := runs[i-i%len(size.models)].Spec.(diagnosis); at.sampling != first.sampling {
				t.Errorf("%s: %v comes between models at %v", p, run, first.sampling)
			}
			if n := at.observations; at.shape != 0 && n != 20 || at.noise != 0 && !slices.Contains(size.noisyAt, n) {
				t.Errorf("%s: %v has %d observations", p, run, n)
			}
		}
	}
	if full := study.size(experiments.Full); full.perClass != 50 || full.training.BatchSize != 100 || full.hidden != 32 ||
		full.layers != 3 || full.step != 0.1 || full.seeds != 10 || full.training.Epochs != 2000 ||
		full.training.Patience != 200 || full.training.MinEpochs != 200 {
		t.Errorf("profile full is not the published protocol: %+v", full)
	}
}

// What decides a run is in its identity.
func TestSIRIdentity(t *testing.T) {
	runs, err := SIR().Plan(experiments.Scope{Profile: experiments.Full, Seeds: []uint64{3}})
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
		{ratioID, sampling{observations: 200}, []string{`"Threshold":0.5`, `"Observations":200`}},
	} {
		i := slices.IndexFunc(runs, func(r experiments.Run) bool {
			return r.Model.ID == c.model && r.Spec.(diagnosis).sampling == c.at
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

// Stored runs are found by the identities that are planned now: a change of defaults, or of how they are written, would
// lose them all. Where the protocol is meant to change, take the new number.
func TestSIRIdentitiesAreKept(t *testing.T) {
	for p, want := range map[experiments.Profile]string{
		experiments.Medium: "34f3acaa8fe683f8",
		experiments.Full:   "9f9a98e0dabc5208",
	} {
		runs, err := SIR().Plan(experiments.Scope{Profile: p})
		if err != nil {
			t.Fatal(err)
		}
		hash := sha256.New()
		for _, run := range runs {
			identity, err := run.Identity()
			if err != nil {
				t.Fatal(err)
			}
			if err := json.NewEncoder(hash).Encode(identity); err != nil {
				t.Fatal(err)
			}
		}
		if got := hex.EncodeToString(hash.Sum(nil)[:8]); got != want {
			t.Errorf("%s: the identities of %d runs are %s, were %s", p, len(runs), got, want)
		}
	}
}

// smallSIR trains in seconds.
func smallSIR() *Oversampling {
	o := *SIR()
	o.size = func(p experiments.Profile) sirSize {
		s := sirSizes(experiments.Quick)
		s.observations, s.shapes, s.noises, s.perClass, s.tests, s.hidden, s.step = []int{20}, []float64{3}, []float64{0.2},
			1, 2, 2, 1
		s.dcrnn, s.training = width{2, 1}, train.Config{Epochs: 2, EvaluateEvery: 1, BatchSize: 2}
		return s
	}
	return o.complete()
}

// Runs are made, stored and shown: with logits, accuracies that they give, and times where they are shown.
func TestSIRIsRunStoredAndShown(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks over 20 observations of 100 nodes")
	}
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	o, options := smallSIR(), goOptions(t)
	r, err := o.Run(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	if stored, planned := r.Count(); stored != 9 || planned != 9 {
		t.Fatalf("%d of %d runs, want 9 of 9", stored, planned)
	}
	for _, result := range r.Results {
		facts := result.Facts()
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
		_, timed := facts.Scores[batchTime]
		trained := !result.Model.Untrained
		if clean := result.Key("shape") == "" && result.Key("noise") == "0"; loss != trained || timed != (clean && trained) {
			t.Errorf("%v: cross-entropy %t, times %t", result.Run, loss, timed)
		}
		if timed && (len(facts.Arrays[singleTime][0]) != repeats || facts.Scores[singleTime] <= 0) {
			t.Errorf("%v: times %v", result.Run, facts.Arrays[singleTime])
		}
		if result.Model.ID == ratioID && result.Key("noise") == "0" && facts.Scores[accuracy] != 1 {
			t.Errorf("%v: the ratio does not tell the classes apart: %v", result.Run, facts.Arrays["logits"])
		}
	}
	if _, err := r.Items(); err != nil {
		t.Error(err)
	}
}

// Diverged and missing runs leave a place open, times of another machine too, and nothing is drawn of nothing.
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
		if run.Model.ID == "original" && run.Record != nil {
			r.Results[i].Record.Machine.CPUs = 64
		}
	}
	for _, c := range []struct{ panel, says, not string }{
		{"observations", "PENG-CDE begins at 0.9", "GN-ODE"},
		{"inference", "PENG-CDE begins at 20", "Original"},
		{"inference-alone", "DCRNN begins at 40", "Original"},
		{"shape", "3 to 100", "GN-ODE"}, {"noise-20", "0 to 0.2", "GN-ODE"},
	} {
		f, err := study.Draw(r, c.panel)
		if err != nil {
			t.Fatal(err)
		}
		if alt := f.Alt(); !strings.Contains(alt, c.says) || strings.Contains(alt, c.not) ||
			strings.Contains(alt, "Removed") != strings.Contains(c.panel, "s") {
			t.Errorf("%s: %s", c.panel, alt)
		}
		draw(t, folder, c.panel, f)
	}
	notes := strings.Join(study.notes(r), "\n")
	if !strings.Contains(notes, "runs of other machines show as missing") || !strings.Contains(notes, "7.5") ||
		!strings.Contains(notes, "gamma") {
		t.Errorf("notes: %s", notes)
	}
	line, found := study.panels(r)[0].line("peng")
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
	if text := items[0].(interface{ String() string }).String(); err != nil || !strings.Contains(text, "missing, 1 of 1") {
		t.Errorf("%v, a table of nothing:\n%s", err, text)
	}
}

// The verdict is made of the numbers.
func TestSIRVerdict(t *testing.T) {
	study, r := pretended(t, experiments.Medium, func(run experiments.Run, s sampling) *experiments.Facts {
		part, wobble := float64(s.observations-20)/180, 0.001*float64(run.Seed)
		switch run.Model.ID {
		case ratioID:
			return scored(1-s.noise, 0)
		case "dcrnn":
			return scored(0.95-0.4*part+wobble, 1+9*part+wobble)
		case "astgcn":
			return scored(0.6+0.3*part+wobble, 1+wobble)
		case "stidgcn":
			return scored(0.9+part*(float64(run.Seed)-1), 1+wobble) // as many seeds rise as fall
		case "stg-ncde":
			return nil
		}
		return scored(0.9+wobble, 2+0.1*part+wobble)
	})
	lines := study.Verdict(r)
	for _, want := range []string{"The paper says that from 20 to 200 observations controlled equations (PENG-CDE, " +
		"Original GN-CDE, STG-NCDE) keep their accuracy, which is so here for 2 of 2, and the time of an inference (2 of 2, " +
		"in a batch), while networks in discrete steps (DCRNN, ASTGCN, STIDGCN) lose accuracy (1 of 3) and take longer (1 " +
		"of 3). In accuracy the trivial classifier, which learns nothing, has 1.00 to 1.00, and at 0 of 10 places",
		"DCRNN falls (mean 0.75, change -0.40 ± 0.00)", "ASTGCN rises (mean 0.75, change +0.30 ± 0.00)",
		"STIDGCN not clear (mean 0.90, change +0.00 ± 2.48)", "PENG-CDE level (mean 0.90, change +0.00 ± 0.00)",
		"DCRNN rises (9.99-fold", "not judged: STG-NCDE (missing, 30 of 30)", "has 0.80 to 1.00, and at 3 of 4 places"} {
		if text := strings.Join(lines, "\n"); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	page, err := study.Page(r)
	if err != nil || page.Verdict == "" || len(page.Figures) != 5 {
		t.Errorf("%+v, %v", page, err)
	}
	few := *r
	few.Results = r.Results.Where("observations", "20")
	if lines := study.Verdict(&few); lines != nil {
		t.Errorf("a verdict on one number of observations: %q", lines)
	}
	for p, facts := range map[experiments.Profile]*experiments.Facts{experiments.Quick: scored(1, 1),
		experiments.Medium: nil} {
		study, r := pretended(t, p, func(experiments.Run, sampling) *experiments.Facts { return facts })
		if lines := study.Verdict(r); lines != nil {
			t.Errorf("%s: a verdict on nothing: %q", p, lines)
		}
	}
}

// The facts beside the figure hold: the largest eigenvalue of the grid, and that both classes grow at first and the one
// with the higher recovery rate less.
func TestSIRFacts(t *testing.T) {
	const n = sirSide * sirSide
	graph, err := graphs.Draw(graphs.Grid{}, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := mat.NewSymDense(n, nil)
	for e, from := range graph.From {
		a.SetSym(int(from), int(graph.To[e]), 1)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(a, false) || math.Abs(eigen.Values(nil)[n-1]-7.5) > 0.05 {
		t.Errorf("the largest eigenvalue is %g, want 7.5", eigen.Values(nil)[n-1])
	}
	p, err := outbreaks(context.Background(), 50, 1)
	if err != nil {
		t.Fatal(err)
	}
	var last [2]float64
	for c, states := range p.infected {
		begin := stat.Mean(states[0], nil)
		if early := stat.Mean(states[5], nil); early <= begin {
			t.Errorf("class %d falls from %g to %g at first", c, begin, early)
		}
		last[c] = stat.Mean(states[49], nil)
	}
	if last[0] >= last[1] || !slices.Equal(p.infected[0][0], p.infected[1][0]) {
		t.Errorf("from the same start %g are infected where it dies out, %g where it spreads", last[0], last[1])
	}
	if _, err := OutbreakMaps(context.Background(), 1); err != nil {
		t.Error(err)
	}
	if _, err := OutbreakCurves(context.Background(), 1); err != nil {
		t.Error(err)
	}
}

// The trivial classifier meets gamma, and refuses what is no epidemic.
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
		return dyngraph.Window{Series: s, Length: len(features)}
	}
	// I is 0.5 and then 0.3: its integral is 0.4, and R grows by 0.24.
	scores, err := removedRatio{0.5}.Forecast(window([]float64{0.5, 0.5, 0}, []float64{0.46, 0.3, 0.24}))
	if err != nil || math.Abs(scores[0]-0.1) > 1e-12 || scores[1] != -scores[0] {
		t.Errorf("scores %v, %v, want 0.6 less 0.5", scores, err)
	}
	for name, w := range map[string]dyngraph.Window{
		"nobody infected": window([]float64{1, 0, 0}, []float64{1, 0, 0}),
		"two features":    window([]float64{1, 0}, []float64{1, 0}),
		"one observation": window([]float64{0.5, 0.5, 0}),
	} {
		if _, err := (removedRatio{0.5}).Forecast(w); !errors.Is(err, synthetic.ErrTrajectory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
