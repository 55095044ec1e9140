package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/xla"
)

// uncomputable is a forecast that a test must not make.
type uncomputable string

func (u uncomputable) Name() string                     { return string(u) }
func (u uncomputable) Fit(_, _ []dyngraph.Window) error { return errors.New("made again") }
func (u uncomputable) Forecast(dyngraph.Window) ([]float64, error) {
	return nil, errors.New("made again")
}

// records returns the stored records, for comparison.
func records(r *Report) (all []*Record) {
	for _, result := range r.Results {
		all = append(all, result.Record)
	}
	return all
}

func TestRunsAreStoredAndFoundAgain(t *testing.T) {
	folder := results(t)
	o := options(t)
	empty := stored(t, toy(), o)
	if made, planned := empty.Count(); made != 0 || planned != toyRuns {
		t.Errorf("%d of %d runs before the first, want 0 of %d", made, planned, toyRuns)
	}
	if text := markdown(t, empty); !strings.Contains(text, "No result is stored.") {
		t.Errorf("that no run is stored does not show:\n%s", text)
	}
	r := run(t, toy(), o)
	facts := r.Results[1].Facts()
	if r.Results[1].Seed != 1 || facts.Training == nil || len(facts.Training.TrainLoss) != 3 ||
		!(facts.Scores["test"] > 0) || facts.Parameters == 0 || facts.Training.SecondsPerEpoch <= 0 {
		t.Errorf("run %+v", facts)
	}
	models := toy().mustPlan(t)
	for i, m := range models {
		if m.Untrained {
			models[i].New = func(*xla.Backend) (Learner, error) { return ForecastLearner{uncomputable(m.Name)}, nil }
		}
	}
	again := run(t, toy(models...), o)
	if diff := cmp.Diff(records(r), records(again)); diff != "" {
		t.Errorf("found again (-computed +found):\n%s", diff)
	}
	if all := files(t, folder, "*"); len(all) != toyRuns {
		t.Errorf("%d files, want the %d results alone", len(all), toyRuns)
	}
}

// mustPlan returns the models of a study.
func (s Study) mustPlan(t *testing.T) (models []Row) {
	t.Helper()
	runs, err := s.Plan(context.Background(), Scope{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if !slices.ContainsFunc(models, func(m Row) bool { return m.ID == r.Model.ID }) {
			models = append(models, r.Model)
		}
	}
	return models
}

func TestDamagedResultIsNamed(t *testing.T) {
	folder, o := results(t), options(t)
	run(t, toy(), o)
	all := files(t, folder, "*.json")
	content, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(all[3])
	if err != nil {
		t.Fatal(err)
	}
	var spaced bytes.Buffer
	if err := json.Indent(&spaced, other, "", "  "); err != nil {
		t.Fatal(err)
	}
	for i, content := range [][]byte{content[:len(content)/2], []byte("{}"), other, spaced.Bytes()} {
		if err := os.WriteFile(all[i], content, 0o600); err != nil { // truncated, empty, of another run, the same run
			t.Fatal(err)
		}
	}
	r := stored(t, toy(), o)
	if failed := r.Results.failed(); len(failed) != 3 || !slices.ContainsFunc(failed, func(f Result) bool {
		return strings.Contains(f.Record.Error, all[0])
	}) {
		t.Errorf("%v, want three damaged results that are named", failed)
	}
	if text := strings.Join(r.Remarks(), "\n"); !strings.Contains(text, "error: of 3 runs, the first of which is ") ||
		!strings.Contains(text, " is damaged: ") || !strings.Contains(text, "--retry") {
		t.Errorf("remarks %q, want the reason of an error and what to do", text)
	}
	if text := markdown(t, r); !strings.Contains(text, "error, ") {
		t.Errorf("damaged results do not show:\n%s", text)
	}
	if _, err := toy().Run(context.Background(), o); err == nil {
		t.Error("damaged results are used")
	}
	o.Retry = true
	run(t, toy(), o)
}

// Altering any single byte of a result is detected.
func TestAlteredResult(t *testing.T) {
	folder, o := results(t), options(t)
	o.Models, o.Seeds = []string{"zero"}, []uint64{0}
	run(t, toy(), o)
	path := files(t, folder, "*.json")[0]
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(content)-2; i += 7 {
		changed := slices.Clone(content)
		changed[i] ^= 1
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if failed := stored(t, toy(), o).Results.failed(); len(failed) != 1 ||
			!strings.Contains(failed[0].Record.Error, path+" is damaged") {
			t.Errorf("byte %d altered: %v, want a damaged file", i, failed)
		}
	}
}

func TestInterruptedRunGoesOn(t *testing.T) {
	o := options(t)
	results(t)
	whole := run(t, toy(), o)
	folder := results(t)
	ctx, cancel := context.WithCancel(context.Background())
	epochs := 0
	o.Progress = func(_ float64, _ time.Duration, text string) {
		if strings.Contains(text, "epoch") {
			if epochs++; epochs == 5 { // in the second run
				cancel()
			}
		}
	}
	var planned *Report
	o.Planned = func(r *Report) {
		if planned = r; r.Kept() {
			t.Error("something is kept before the first run")
		}
	}
	if _, err := toy().Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
	if all := files(t, folder, "*.json"); len(all) != 1 || !planned.Kept() {
		t.Errorf("results %v, want that of the first run; kept is %t, want true", all, planned.Kept())
	}
	var heard []string
	o.Progress, o.Planned, o.Notice = nil, nil, func(s string) { heard = append(heard, s) }
	again := run(t, toy(), o)
	if said := strings.Join(heard, "\n"); !strings.Contains(said, "goes on in epoch 3") {
		t.Errorf("heard %q, want that training goes on", said)
	}
	for i, result := range whole.Results {
		if diff := cmp.Diff(result.Facts().Arrays, again.Results[i].Facts().Arrays); diff != "" {
			t.Errorf("%v (-whole +cut):\n%s", result.Run, diff)
		}
	}
}

// Seeds trained in one program give the same results as seeds trained separately, also after an interruption.
func TestSeedsTogether(t *testing.T) {
	models := []Row{NetworkRow("two", "Two", float64Toy(), toyTraining), BaselineRow("zero", baseline.Zero{})}
	o := options(t)
	results(t)
	one := run(t, toy(models...), o)
	results(t)
	o.SeedsTogether = true
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(_ float64, _ time.Duration, text string) {
		if strings.Contains(text, "epoch 2") {
			cancel()
		}
	}
	if _, err := toy(models...).Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
	var heard []string
	o.Progress = func(_ float64, _ time.Duration, text string) { heard = append(heard, text) }
	together := run(t, toy(models...), o)
	first := func(text string) int {
		return slices.IndexFunc(heard, func(s string) bool { return strings.Contains(s, text) })
	}
	if first("seed 1: epoch 3/3") > first("seed 0: test") {
		t.Errorf("one seed ended before the other's last epoch:\n%s", strings.Join(heard, "\n"))
	}
	for i, result := range one.Results {
		a, b := result.Facts(), together.Results[i].Facts()
		if x, y := a.Scores["test"], b.Scores["test"]; !(math.Abs(x-y) <= 1e-9*x) || a.Parameters != b.Parameters {
			t.Errorf("%v: %g alone, %g together", result.Run, x, y)
		}
	}
}

// One process takes all seeds of a program before it makes the first, so that processes do not split them. If another
// process holds one of them, the remaining seeds are made last, without it.
func TestSeedsAreTakenTogether(t *testing.T) {
	results(t)
	o := options(t)
	o.SeedsTogether, o.Seeds = true, []uint64{0, 1, 2}
	s := toy(NetworkRow("two", "Two", float64Toy(), toyTraining), NetworkRow("three", "Three", float64Toy(), toyTraining))
	held, err := stored(t, s, o).Results[1].slot.Take()
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	var order, taken []string
	whole := s.Execute
	s.Execute = func(ctx context.Context, m *RunContext, r Run) (*Facts, error) {
		order = append(order, r.String())
		switch len(order) {
		case 1:
			all, err := s.UnderWay(ctx, o)
			if err != nil {
				return nil, err
			}
			for _, c := range all {
				taken = append(taken, c.Run.String())
			}
		case 5:
			if err := held.Release(); err != nil {
				return nil, err
			}
		}
		return whole(ctx, m, r)
	}
	run(t, s, o)
	three := []string{"Three, early, seed 0", "Three, early, seed 1", "Three, early, seed 2"}
	want := slices.Concat(three, []string{"Two, early, seed 0", "Two, early, seed 2", "Two, early, seed 1"})
	if !slices.Equal(order, want) {
		t.Errorf("made in the order %q, want %q", order, want)
	}
	slices.Sort(taken)
	if want := append(three, "Two, early, seed 1"); !slices.Equal(taken, want) {
		t.Errorf("taken while the first is made %q, want %q", taken, want)
	}
}

// float64Toy returns toyConfig with float64 numbers.
func float64Toy() pengcde.Config {
	config := toyConfig
	config.Float64 = true
	return config
}

// A failure other than divergence is stored, does not stop the other runs, and is made again on request.
func TestErrorsAreStoredAndRetried(t *testing.T) {
	results(t)
	o, wrong := options(t), toyConfig
	wrong.Nodes = 5
	study := toy(NetworkRow("wrong", "Wrong", wrong, toyTraining), BaselineRow("zero", baseline.Zero{}))
	r, err := study.Run(context.Background(), o)
	if !errors.Is(err, ErrRuns) || !strings.Contains(err.Error(), "2 of 4 runs") {
		t.Errorf("error %v, want that 2 of 4 could not be made", err)
	}
	if made, planned := r.Count(); made != 2 || planned != 4 {
		t.Errorf("%d of %d runs, want 2 of 4", made, planned)
	}
	if text := markdown(t, r); !strings.Contains(text, "error, 2 of 2") {
		t.Errorf("errors do not show:\n%s", text)
	}
	called := 0
	o.Notice = func(string) { called++ }
	if _, err := study.Run(context.Background(), o); err == nil || called != 0 {
		t.Errorf("without retry: %v after %d tries", err, called)
	}
	o.Retry = true
	if e, err := study.Estimate(context.Background(), o); err != nil || e.Missing != 2 {
		t.Errorf("%d runs to make with retry, %v, want 2", e.Missing, err)
	}
	if _, err := study.Run(context.Background(), o); err == nil || called != 2 {
		t.Errorf("with retry: %v after %d tries, want 2", err, called)
	}
}

// Commands with one time for retries, such as the tasks of a job, make a run again once.
func TestErrorsAreRetriedOnce(t *testing.T) {
	folder, now := results(t), time.Now()
	o, wrong := options(t), toyConfig
	wrong.Nodes = 5
	study, tries := toy(NetworkRow("wrong", "Wrong", wrong, toyTraining)), 0
	o.Notice, o.Retry, o.RetryBefore = func(string) { tries++ }, true, now.Add(-time.Minute)
	_, _ = study.Run(context.Background(), o)
	for _, file := range files(t, folder, "*.json") {
		if err := os.Chtimes(file, now, now.Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	for task, want := range []int{2, 0} {
		tries = 0
		if e, err := study.Estimate(context.Background(), o); err != nil || e.Missing != want {
			t.Errorf("task %d counts %d runs to make, %v, want %d", task, e.Missing, err, want)
		}
		if _, err := study.Run(context.Background(), o); !errors.Is(err, ErrRuns) || tries != want {
			t.Errorf("task %d: %v after %d tries, want %d", task, err, tries, want)
		}
	}
}

// Diverging parameters are the model's fault: the run is stored as diverged, and not made again.
func TestDivergedParametersAreStored(t *testing.T) {
	results(t)
	training := toyTraining
	training.AdamW.LearningRate = 1e20
	study, o := toy(NetworkRow("wild", "Wild", toyConfig, training)), options(t)
	r := run(t, study, o)
	if text := markdown(t, r); r.Results[0].Facts().Failure == "" || !strings.Contains(text, "diverged, ") {
		t.Errorf("%+v, shown as\n%s", r.Results[0].Facts(), text)
	}
	o.Progress = func(_ float64, _ time.Duration, text string) { t.Errorf("made again: %s", text) }
	run(t, study, o)
}

func TestResultsFolderThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(ResultsEnv, filepath.Join(file, "below"))
	if _, err := toy().Run(context.Background(), options(t)); !errors.Is(err, ErrStore) ||
		!strings.Contains(err.Error(), ResultsEnv) {
		t.Errorf("error %v, want ErrStore and what to set", err)
	}
}

// The path of results may contain characters that are special in patterns: no file of a run is missed, and no file
// elsewhere is removed.
func TestFolderWithCharactersOfPatterns(t *testing.T) {
	root := t.TempDir()
	own, other := filepath.Join(root, "x[1]y"), filepath.Join(root, "x1y")
	t.Setenv(ResultsEnv, own)
	s, o := toy(BaselineRow("zero", baseline.Zero{})), options(t)
	of := run(t, s, o).Results[0].slot
	moved := of.LeaseFile() + ".ABC" // left by a killed process
	theirs := filepath.Join(other, "toy", filepath.Base(moved))
	if err := os.MkdirAll(filepath.Dir(theirs), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{moved, theirs} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, s, o)
	if _, err := os.Stat(moved); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left beside a result: %v", err)
	}
	if _, err := os.Stat(theirs); err != nil {
		t.Errorf("of another folder: %v", err)
	}
}

func TestChoiceOfRuns(t *testing.T) {
	results(t)
	count := func(o Options) int {
		t.Helper()
		o.Profile = Quick
		return len(stored(t, toyOn([]string{"early", "late"}), o).Results)
	}
	for name, c := range map[string]struct{ got, want int }{
		"all":         {count(Options{}), 2 * toyRuns},
		"a model":     {count(Options{Models: []string{"two"}}), 4},
		"seeds":       {count(Options{Seeds: []uint64{7, 3, 7}}), 2 * toyRuns},
		"model only":  {count(Options{Only: map[string][]string{"model": {"two"}}}), 4},
		"a half":      {count(Options{Only: map[string][]string{"half": {"late"}}}), toyRuns},
		"both halves": {count(Options{Only: map[string][]string{"half": {"late", "early"}}}), 2 * toyRuns},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d runs, want %d", name, c.got, c.want)
		}
	}
	if all := stored(t, toy(), Options{Profile: Quick, Models: []string{"two"}}).All; len(all) != toyRuns {
		t.Errorf("%d runs to compare with, want %d", len(all), toyRuns)
	}
	t.Setenv(ProfileEnv, "huge")
	for want, o := range map[string]Options{
		"huge": {}, `model "pong"`: {Profile: Quick, Models: []string{"pong"}},
		`model "pang"`: {Profile: Quick, Models: []string{"pang"}, Only: map[string][]string{"model": {"two"}}},
		"together":     {Profile: Quick, Models: []string{"two"}, Only: map[string][]string{"model": {"three"}}},
		`half "upper"`: {Profile: Quick, Only: map[string][]string{"half": {"upper"}}},
		`no key "wall" in profile quick, want one of model, half`: {Profile: Quick,
			Only: map[string][]string{"wall": {"high"}}},
	} {
		if _, err := toy().Stored(context.Background(), o); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error about %s", err, want)
		}
	}
	twice := NetworkRow("two", "Two", toyConfig, toyTraining)
	if _, err := toy(twice, twice).Stored(context.Background(), Options{Profile: Quick}); !errors.Is(err, ErrInput) ||
		!strings.Contains(err.Error(), "two runs of one identity") {
		t.Errorf("two runs of one identity: %v", err)
	}
}

func TestMatrix(t *testing.T) {
	result := func(model, half string, seed uint64, facts *Facts) Result {
		return Result{Run: Run{Model: Row{ID: model}, Keys: map[string]string{"half": half}, Seed: seed},
			Record: &Record{Facts: facts}}
	}
	score := func(v float64) *Facts { return &Facts{Scores: map[string]float64{"test": v}} }
	got := Results{result("a", "early", 0, score(1)), result("a", "early", 1, score(2)), result("b", "early", 0, score(3)),
		result("b", "early", 1, &Facts{Failure: "loss NaN"})}.Matrix("test")
	want := Matrix{Blocks: []string{"early, seed 0", "early, seed 1"}, Models: []string{"a", "b"},
		Values: [][]float64{{1, 3}, {2, math.NaN()}}}
	equalNaN := cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
	if diff := cmp.Diff(want, got, equalNaN); diff != "" {
		t.Errorf("matrix (-want +got):\n%s", diff)
	}
}

// Gaps are named in one order everywhere, and a run that ended no epoch does not count as fast.
func TestGapsAndCosts(t *testing.T) {
	made := func(f Facts) Result { return Result{Record: &Record{Facts: &f}} }
	fast := made(Facts{Training: &Training{TrainLoss: []float64{1}, SecondsPerEpoch: 7},
		Scores: map[string]float64{"test": 1}})
	diverged := made(Facts{Failure: "loss NaN", Training: &Training{}})
	failed, stale := Result{Record: &Record{Error: "no memory"}}, Result{Stale: true}
	for want, r := range map[string]Results{
		"": {fast, fast}, "diverged, 1 of 2": {fast, diverged},
		"missing, 1 of 3; diverged, 1 of 3":                               {fast, diverged, Result{}},
		"error, 1 of 4; stale, 1 of 4; missing, 1 of 4; diverged, 1 of 4": {failed, stale, Result{}, diverged},
	} {
		if got := r.Gap(); got != want {
			t.Errorf("gap %q, want %q", got, want)
		}
	}
	if diff := cmp.Diff(figures.Number(7), (Results{fast, diverged}).Cost()[0], cmp.AllowUnexported(figures.Cell{}),
		cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })); diff != "" {
		t.Errorf("seconds an epoch (-want +got):\n%s", diff)
	}
}

// A run belongs to the backend that the process computes with.
func TestBackendOfRuns(t *testing.T) {
	results(t)
	if kind := (Options{Backend: xlatest.Go(t)}).kind(); kind != "go" {
		t.Errorf("kind %q, want go", kind)
	}
}

// A study that plans nothing says so.
func TestNoRuns(t *testing.T) {
	results(t)
	s := toy()
	s.Plan = func(context.Context, Scope) ([]Run, error) { return nil, nil }
	if _, err := s.Stored(context.Background(), Options{Profile: Quick, Models: []string{"two"}}); !errors.Is(err, ErrInput) {
		t.Errorf("got %v, want ErrInput", err)
	}
}

// Data files reach every study that takes them; a study that takes none refuses them.
func TestData(t *testing.T) {
	results(t)
	s, asked := toy(), []string{"spain.json", "wales.json"}
	if _, err := s.Stored(context.Background(), Options{Profile: Quick, Data: asked}); !errors.Is(err, ErrInput) ||
		!strings.Contains(err.Error(), "takes no files of data") {
		t.Errorf("a study without files: %v, want ErrInput that says so", err)
	}
	plan := s.Plan
	s.TakesData = true
	s.Plan = func(_ context.Context, scope Scope) ([]Run, error) {
		if !slices.Equal(scope.Data, asked) {
			t.Errorf("plans for %q, want %q", scope.Data, asked)
		}
		return plan(context.Background(), scope)
	}
	o := Options{Profile: Quick, Data: asked, Models: []string{"two"}, Only: map[string][]string{"half": {"early"}}}
	if _, err := s.Stored(context.Background(), o); err != nil {
		t.Error(err)
	}
	if _, err := s.Estimate(context.Background(), o); err != nil {
		t.Error(err)
	}
}

// Facts that JSON cannot represent become the error of their run; the other runs continue.
func TestFactsThatAreNotFinite(t *testing.T) {
	results(t)
	s := toy(BaselineRow("zero", baseline.Zero{}))
	whole := s.Execute
	s.Execute = func(ctx context.Context, m *RunContext, r Run) (*Facts, error) {
		facts, err := whole(ctx, m, r)
		if r.Seed == 0 {
			facts.Scores["test"] = math.NaN()
		}
		return facts, err
	}
	r, err := s.Run(context.Background(), options(t))
	if err == nil || !strings.Contains(err.Error(), `score "test" is NaN`) {
		t.Errorf("error %v, want one that names the score", err)
	}
	if made, _ := r.Count(); made != 1 {
		t.Errorf("%d runs made, want the other one", made)
	}
}

// A panic in one run of a group neither trains the others again nor stores them incompletely.
func TestPanicInAGroup(t *testing.T) {
	results(t)
	s, o := toy(NetworkRow("two", "Two", float64Toy(), toyTraining)), options(t)
	want := run(t, s, o).Results.Scores("test")
	results(t)
	o.SeedsTogether = true
	whole := s.Execute
	s.Execute = func(ctx context.Context, m *RunContext, r Run) (*Facts, error) {
		facts, err := whole(ctx, m, r)
		if r.Seed == 0 {
			panic("seed 0")
		}
		return facts, err
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_, _ = s.Run(context.Background(), o)
	}()
	s.Execute = whole
	for i, score := range run(t, s, o).Results.Scores("test") {
		if !(math.Abs(score-want[i]) <= 1e-9*want[i]) {
			t.Errorf("seed %d: %g, want %g", i, score, want[i])
		}
	}
}
