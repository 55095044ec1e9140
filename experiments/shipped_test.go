package experiments

import (
	"bytes"
	stdcmp "cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/moduleroot"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// waves returns a study of two forecasts without a model on 12 snapshots of 3 nodes: four runs, and one on request.
func waves(t *testing.T) Study {
	t.Helper()
	pattern, _, err := dyngraph.NewPattern(3, []int{0, 1}, []int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	series := &dyngraph.Series{Name: "waves", Pattern: pattern, FeatureSize: 1, TargetSize: 1}
	for i := range 12 {
		row := make([]float64, 3)
		for node := range row {
			row[node] = math.Sin(float64(i + node))
		}
		series.Times = append(series.Times, float64(i))
		series.Weights = append(series.Weights, []float64{1, 2})
		series.Features, series.Targets = append(series.Features, row), append(series.Targets, row)
	}
	s := Study{Name: "waves", Title: "Waves"}
	s.Plan = func(_ context.Context, scope Scope) (runs []Run, err error) {
		for _, model := range []Row{BaselineRow("zero", baseline.Zero{}), BaselineRow("mean", &baseline.TrainingMean{})} {
			for _, seed := range scope.SeedsOr(2) {
				runs = append(runs, Run{Model: model, Keys: map[string]string{"split": "random"}, Seed: seed,
					Identity: func() (any, error) {
						identity := map[string]any{"seed": seed, "data": Digest(series), "row": model.ID}
						return identity, model.Identity(identity)
					}})
			}
		}
		return runs, nil
	}
	s.Execute = func(ctx context.Context, m *RunContext, r Run) (*Facts, error) {
		split, err := series.Windows(3, 1).Split(0.6, 0.2, r.Seed)
		if err != nil {
			return nil, err
		}
		learner, err := m.Learner(r.Seed)
		if err != nil {
			return nil, err
		}
		facts, err := m.Fit(ctx, learner, split.Train, split.Validation)
		if err != nil {
			return facts, err
		}
		forecasts, err := learner.Forecast(ctx, split.Test)
		facts.Arrays = map[string][][]float64{"test forecasts": forecasts}
		facts.Scores = map[string]float64{"test": forecasts[0][0] + float64(r.Seed), "test*": 1}
		return facts, err
	}
	s.Show = func(r *Report) ([]figures.Item, error) {
		return []figures.Item{r.Table(Pivot{Columns: "split", Score: "test"}, r.Results)}, nil
	}
	return s
}

// inCheckout makes an empty checkout the working folder, with results in a separate folder, and returns both.
func inCheckout(t *testing.T) (root, results string) {
	t.Helper()
	root, results = t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module "+moduleroot.Module+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	t.Setenv(ResultsEnv, results)
	return root, results
}

func runAll(t *testing.T, s Study, o Options) *Report {
	t.Helper()
	o.Profile = stdcmp.Or(o.Profile, Quick)
	r, err := s.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func storedOf(t *testing.T, s Study, o Options) *Report {
	t.Helper()
	o.Profile = Quick
	r, err := s.Stored(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func shippedCount(r *Report) (count int) {
	for _, result := range r.Results {
		if result.Shipped {
			count++
		}
	}
	return count
}

// rewrite changes the file of a stored run, and gives it a valid checksum.
func rewrite(t *testing.T, file string, change func(*Record)) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.DecodeRecord(content)
	if err != nil {
		t.Fatal(err)
	}
	change(r)
	if content, err = r.Encode(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(content, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

func recordFiles(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "waves", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Shipped runs are found, marked and not made again. Own runs and Options.Fresh take precedence over them.
func TestShippedRuns(t *testing.T) {
	root, results := inCheckout(t)
	s := waves(t)
	own := runAll(t, s, Options{})
	wrote, err := s.Ship(context.Background(), Options{Profile: Quick})
	if want := filepath.Join(root, "results", "waves.jsonl.zst"); err != nil || wrote.File != want || wrote.Runs != 4 ||
		wrote.Missing != 0 || wrote.Bytes == 0 {
		t.Fatalf("shipped %+v, %v, want 4 runs in %s", wrote, err, want)
	}
	if left, _ := os.ReadDir(filepath.Dir(wrote.File)); len(left) != 1 {
		t.Errorf("results holds %v, want the archive alone", left)
	}

	if r := storedOf(t, s, Options{}); shippedCount(r) != 0 {
		t.Errorf("%d shipped runs, want own ones", shippedCount(r))
	}
	kept := recordFiles(t, results)[1]
	files := slices.DeleteFunc(recordFiles(t, results), func(f string) bool { return f == kept })
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(t, kept, func(r *Record) { r.Facts.Scores["test"] = 77 })
	r := storedOf(t, s, Options{})
	if stored, _ := r.Count(); stored != 4 || shippedCount(r) != 3 || !slices.Contains(r.Results.Scores("test"), 77) {
		t.Errorf("%d stored, %d shipped, scores %v, want 4, 3, and the own 77", stored, shippedCount(r),
			r.Results.Scores("test"))
	}
	for i, result := range r.Results {
		want := own.Results[i].Record
		if result.Record.Name() != want.Name() {
			t.Errorf("%v found as %s, want %s", result.Run, result.Record.Name(), want.Name())
		}
		if diff := cmp.Diff(want, result.Record); result.Shipped && diff != "" {
			t.Errorf("%v (-own +shipped):\n%s", result.Run, diff)
		}
	}
	text := markdown(t, r)
	if strings.Count(text, "zero ‡")+strings.Count(text, "mean ‡") != 2 ||
		!strings.Contains(text, "‡ with runs that came with the module (3,") || !strings.Contains(text, "--fresh") {
		t.Errorf("shipped rows without mark or remark:\n%s", text)
	}

	runAll(t, s, Options{})
	if left := recordFiles(t, results); !slices.Equal(left, []string{kept}) {
		t.Errorf("shipped runs were made again: %v", left)
	}
	if stored, _ := storedOf(t, s, Options{Fresh: true}).Count(); stored != 1 {
		t.Errorf("%d stored with Fresh, want the own one", stored)
	}
	runAll(t, s, Options{Fresh: true})
	if left := recordFiles(t, results); len(left) != 4 {
		t.Errorf("made %v with Fresh, want all 4", left)
	}

	t.Chdir(t.TempDir())
	t.Setenv(ResultsEnv, t.TempDir())
	if stored, _ := storedOf(t, s, Options{}).Count(); stored != 0 {
		t.Errorf("%d stored outside a checkout, want none", stored)
	}
	if _, err := s.Ship(context.Background(), Options{Profile: Quick}); !errors.Is(err, ErrInput) {
		t.Errorf("shipped outside a checkout: %v, want ErrInput", err)
	}
}

// Ship takes only the selected runs, keeps the runs that only the archive holds, and writes no empty archive.
func TestShip(t *testing.T) {
	_, results := inCheckout(t)
	s := waves(t)
	if _, err := s.Ship(context.Background(), Options{Profile: Quick}); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), results) {
		t.Errorf("nothing to ship: %v, want ErrInput and the folder", err)
	}
	runAll(t, s, Options{Seeds: []uint64{0, 1, 9}})
	if r, err := s.Ship(context.Background(), Options{Profile: Quick}); err != nil || r.Runs != 4 {
		t.Errorf("%+v, %v, want the 4 runs of the profile", r, err)
	}
	if err := os.RemoveAll(filepath.Join(results, "waves")); err != nil {
		t.Fatal(err)
	}
	runAll(t, s, Options{Fresh: true, Models: []string{"zero"}})
	first, err := s.Ship(context.Background(), Options{Profile: Quick})
	if err != nil || first.Runs != 4 || first.Missing != 0 {
		t.Errorf("%+v, %v, want own and shipped runs", first, err)
	}
	was, err := os.ReadFile(first.File)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ship(context.Background(), Options{Profile: Quick}); err != nil {
		t.Fatal(err)
	}
	if is, err := os.ReadFile(first.File); err != nil || !bytes.Equal(was, is) {
		t.Errorf("the same runs make another archive, %v", err)
	}
	if r, err := s.Ship(context.Background(), Options{Profile: Quick, Fresh: true}); err != nil || r.Runs != 2 || r.Missing != 2 {
		t.Errorf("%+v, %v, want the own runs", r, err)
	}
}

// An altered archive is named with advice, and none of its runs is used.
func TestDamagedArchive(t *testing.T) {
	_, results := inCheckout(t)
	s := waves(t)
	runAll(t, s, Options{})
	wrote, err := s.Ship(context.Background(), Options{Profile: Quick})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(wrote.File)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(results, "waves")); err != nil {
		t.Fatal(err)
	}
	bad := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(wrote.File, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Stored(context.Background(), Options{Profile: Quick}); !errors.Is(err, ErrStore) ||
			!strings.Contains(err.Error(), wrote.File) || !strings.Contains(err.Error(), "--fresh") {
			t.Errorf("%s: %v, want ErrStore, the file, and what to do", name, err)
		}
		if _, err := s.Stored(context.Background(), Options{Profile: Quick, Fresh: true}); err != nil {
			t.Errorf("%s: with Fresh: %v", name, err)
		}
	}
	pack, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for length := 0; length < len(whole); length += 131 {
		bad("cut off", whole[:length])
	}
	for i := 7; i < len(whole); i += 97 {
		changed := slices.Clone(whole)
		changed[i] ^= 4
		bad("altered", changed)
	}
	bad("foreign", []byte("PK\x03\x04 another format"))
	bad("other content", pack.EncodeAll([]byte("a text\n"), nil))
	if _, err := store.WriteArchive(wrote.File, "tides", map[string][]byte{"a": []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	bad("of another study", must(os.ReadFile(wrote.File)))

	if err := os.WriteFile(wrote.File, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := storedOf(t, s, Options{}); shippedCount(r) != 4 {
		t.Errorf("%d shipped runs of the archive as it was, want 4", shippedCount(r))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// If an archive cannot be written, the existing one stays.
func TestShipWithoutRoom(t *testing.T) {
	if !alone(t) {
		return
	}
	_, results := inCheckout(t)
	s := waves(t)
	runAll(t, s, Options{})
	wrote, err := s.Ship(context.Background(), Options{Profile: Quick})
	if err != nil {
		t.Fatal(err)
	}
	was := must(os.ReadFile(wrote.File))
	large(t, recordFiles(t, results)[0])
	withoutRoom(t, func() { _, err = s.Ship(context.Background(), Options{Profile: Quick}) })
	if !errors.Is(err, ErrStore) {
		t.Errorf("shipped without room: %v, want ErrStore", err)
	}
	if is := must(os.ReadFile(wrote.File)); !bytes.Equal(was, is) {
		t.Error("the archive was altered")
	}
	if left, _ := os.ReadDir(filepath.Dir(wrote.File)); len(left) != 1 {
		t.Errorf("left %v, want the archive alone", left)
	}
}

// large turns a stored run into half a megabyte that cannot be compressed.
func large(t *testing.T, file string) {
	t.Helper()
	rewrite(t, file, func(r *Record) {
		random := rand.New(rand.NewPCG(1, 2))
		row := make([]float64, 50_000)
		for i := range row {
			row[i] = random.NormFloat64()
		}
		r.Facts.Arrays["large"] = [][]float64{row}
	})
}

// merged merges folders into another folder and checks the counts.
func merged(t *testing.T, into string, want store.MergeReport, from ...string) store.MergeReport {
	t.Helper()
	got, err := store.Merge(context.Background(), into, from)
	if err != nil {
		t.Fatal(err)
	}
	if got.Added != want.Added || got.Same != want.Same || len(got.Conflicts) != len(want.Conflicts) ||
		len(got.Left) != len(want.Left) {
		t.Errorf("merged %+v, want counts as of %+v", got, want)
	}
	return got
}

func TestMerge(t *testing.T) {
	_, first := inCheckout(t)
	s := waves(t)
	runAll(t, s, Options{})
	into, second := t.TempDir(), t.TempDir()
	merged(t, into, store.MergeReport{Added: 4}, first)
	merged(t, into, store.MergeReport{Same: 4}, first)
	merged(t, into, store.MergeReport{Same: 4}, into)
	for _, file := range recordFiles(t, first) {
		if !bytes.Equal(must(os.ReadFile(file)), must(os.ReadFile(filepath.Join(into, "waves", filepath.Base(file))))) {
			t.Errorf("%s was altered", file)
		}
	}

	// Values that differ in every run make no conflict; scores do.
	merged(t, second, store.MergeReport{Added: 4}, first)
	files := recordFiles(t, second)
	rewrite(t, files[0], func(r *Record) {
		r.Seconds, r.Ended, r.Machine.CPUs, r.Versions["go"], r.Facts.PeakBytes = 7, time.Now().UTC(), 64, "go9", 1<<30
	})
	rewrite(t, files[1], func(r *Record) { r.Facts.Scores["test"] += 1e-9 })
	want := store.MergeReport{Same: 3, Conflicts: []string{"1"}}
	conflict := merged(t, into, want, second).Conflicts[0]
	if filepath.Dir(conflict) != filepath.Join(into, "waves", "conflicts") {
		t.Errorf("conflict kept as %s", conflict)
	}
	same := func(a, b string) bool { return bytes.Equal(must(os.ReadFile(a)), must(os.ReadFile(b))) }
	kept := filepath.Join(into, "waves", filepath.Base(files[1]))
	if !same(conflict, files[1]) || !same(kept, recordFiles(t, first)[1]) {
		t.Error("a conflict has not both records")
	}
	if again := merged(t, into, want, second); again.Conflicts[0] != conflict {
		t.Errorf("the same conflict is kept again as %s", again.Conflicts[0])
	}
	rewrite(t, files[1], func(r *Record) { r.Facts.Scores["test"] += 1 })
	if other := merged(t, into, want, second); other.Conflicts[0] == conflict {
		t.Error("a third outcome took the place of the second")
	}
	t.Setenv(ResultsEnv, into)
	if r := storedOf(t, s, Options{}); len(r.Remarks()) != 0 {
		t.Errorf("conflicts are read as results: %+v, %q", r.Results, r.Remarks())
	}
	// A folder's conflicts are merged too; a conflict that equals the outcome here is none.
	third := t.TempDir()
	merged(t, third, store.MergeReport{Added: 4, Conflicts: []string{"1", "2"}}, into)
	merged(t, second, store.MergeReport{Same: 4, Conflicts: []string{"1", "2"}}, into)
}

// Archives are merged like folders.
func TestMergeArchives(t *testing.T) {
	root, _ := inCheckout(t)
	s := waves(t)
	runAll(t, s, Options{})
	wrote, err := s.Ship(context.Background(), Options{Profile: Quick})
	if err != nil {
		t.Fatal(err)
	}
	into := t.TempDir()
	merged(t, into, store.MergeReport{Added: 4}, wrote.File)
	merged(t, into, store.MergeReport{Same: 4}, filepath.Join(root, "results"))
	if err := os.WriteFile(wrote.File, must(os.ReadFile(wrote.File))[:200], 0o600); err != nil {
		t.Fatal(err)
	}
	r := merged(t, into, store.MergeReport{Left: []string{"1"}}, wrote.File)
	if !strings.Contains(r.Left[0], wrote.File) {
		t.Errorf("left %q, want the archive's name", r.Left)
	}
}

// Links to a results folder and to the folder of a study are followed; a link to nothing is reported.
func TestMergeLinks(t *testing.T) {
	_, first := inCheckout(t)
	runAll(t, waves(t), Options{})
	root := t.TempDir()
	link := func(name, to string) string {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, path); err != nil {
			t.Skip(err)
		}
		return path
	}
	merged(t, t.TempDir(), store.MergeReport{Added: 4}, link("results", first))
	study := filepath.Dir(link("linked/waves", filepath.Join(first, "waves")))
	merged(t, t.TempDir(), store.MergeReport{Added: 4}, study)
	link("linked/gone", filepath.Join(root, "none"))
	merged(t, t.TempDir(), store.MergeReport{Added: 4, Left: []string{"1"}}, study)
}

// Records that cannot be read or are locked are reported and left; errors are replaced by runs that were made.
func TestMergeLeaves(t *testing.T) {
	_, from := inCheckout(t)
	s, into := waves(t), t.TempDir()
	runAll(t, s, Options{})
	files := recordFiles(t, from)
	content := must(os.ReadFile(files[0]))
	here := func(i int) string { return filepath.Join(into, "waves", filepath.Base(files[i])) }
	for _, err := range []error{
		os.WriteFile(files[0], content[:len(content)/2], 0o600),
		os.WriteFile(files[1], content, 0o600), // of another run
		os.Mkdir(filepath.Dir(here(0)), 0o755),
		os.WriteFile(here(2), []byte("{}"), 0o600),
		os.WriteFile(filepath.Join(from, "waves", "."+filepath.Base(files[0])+"12"), content, 0o600), // unfinished
		os.WriteFile(filepath.Join(from, "notes.txt"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r := merged(t, into, store.MergeReport{Added: 1, Left: []string{"1", "2", "3"}}, from)
	for i, name := range []string{files[0], files[1], here(2)} {
		if !strings.Contains(r.Left[i], name) {
			t.Errorf("left %q, want %s named", r.Left[i], name)
		}
	}
	if string(must(os.ReadFile(here(2)))) != "{}" || !bytes.Equal(must(os.ReadFile(files[1])), content) {
		t.Error("a damaged file was touched")
	}

	rewrite(t, files[3], func(r *Record) { r.Error, r.Facts = "no memory", nil })
	merged(t, into, store.MergeReport{Same: 1, Left: []string{"1", "2", "3"}}, from) // a run that was made stays
	rewrite(t, here(3), func(r *Record) { r.Error, r.Facts = "no memory", nil })
	merged(t, into, store.MergeReport{Same: 1, Left: []string{"1", "2", "3"}}, from)
	rewrite(t, files[3], func(r *Record) { r.Error, r.Facts = "", &Facts{Scores: map[string]float64{"test": 1}} })

	record := must(store.DecodeRecord(must(os.ReadFile(files[3]))))
	held := must(store.In(filepath.Dir(here(3)), "waves", nil).Slot(record.Identity, record.Generation, record.Backend))
	lease := must(held.Take())
	if lease == nil {
		t.Fatal("another process has it")
	}
	merged(t, into, store.MergeReport{Left: []string{"1", "2", "3", "held"}}, from)
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	merged(t, into, store.MergeReport{Added: 1, Left: []string{"1", "2", "3"}}, from)
	if must(store.DecodeRecord(must(os.ReadFile(here(3))))).Error != "" {
		t.Error("an error stays where a run was made")
	}
}

func TestMergeStops(t *testing.T) {
	_, from := inCheckout(t)
	runAll(t, waves(t), Options{})
	_, err := store.Merge(context.Background(), "", []string{filepath.Join(from, "nowhere")})
	if !errors.Is(err, ErrInput) {
		t.Errorf("a source that does not exist: %v, want ErrInput", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	into := t.TempDir()
	if r, err := store.Merge(ctx, into, []string{from}); !errors.Is(err, context.Canceled) || r.Added != 0 {
		t.Errorf("%+v, %v, want canceled", r, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = store.Merge(context.Background(), filepath.Join(file, "below"), []string{from})
	if !errors.Is(err, ErrStore) {
		t.Errorf("into a folder that cannot be: %v, want ErrStore", err)
	}
	merged(t, into, store.MergeReport{Left: []string{"no archive"}}, file)
	merged(t, into, store.MergeReport{Added: 4}, from)
}

// If the disk is full, every file is unchanged or complete.
func TestMergeWithoutRoom(t *testing.T) {
	if !alone(t) {
		return
	}
	_, from := inCheckout(t)
	runAll(t, waves(t), Options{})
	into := t.TempDir()
	merged(t, into, store.MergeReport{Added: 4}, from)
	large(t, recordFiles(t, from)[0])
	empty := t.TempDir()
	for _, folder := range []string{into, empty} {
		var err error
		withoutRoom(t, func() { _, err = store.Merge(context.Background(), folder, []string{from}) })
		if !errors.Is(err, ErrStore) {
			t.Errorf("without room: %v, want ErrStore", err)
		}
	}
	for _, file := range recordFiles(t, empty) {
		if strings.HasSuffix(file, ".json") {
			t.Errorf("%s is of no room", file)
		}
	}
	for _, file := range recordFiles(t, into) {
		if strings.HasSuffix(file, ".json") {
			if _, err := store.DecodeRecord(must(os.ReadFile(file))); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if left, _ := os.ReadDir(filepath.Join(into, "waves", "conflicts")); len(left) != 0 {
		t.Errorf("half a conflict: %v", left)
	}
}

// A process that is killed while writing leaves a temporary file, which is not read and is removed later.
func TestKilledWhileMerging(t *testing.T) {
	_, from := inCheckout(t)
	s, into := waves(t), t.TempDir()
	runAll(t, s, Options{})
	name := filepath.Base(recordFiles(t, from)[0])
	begun := filepath.Join(into, "waves", "."+name+"123")
	if err := os.Mkdir(filepath.Dir(begun), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(begun, []byte(`{"Checksum":"12`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(ResultsEnv, into)
	if stored, _ := storedOf(t, s, Options{}).Count(); stored != 0 {
		t.Errorf("%d stored, want none", stored)
	}
	merged(t, into, store.MergeReport{Added: 4}, from)
	if _, err := os.Stat(begun); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", begun, err)
	}
	for _, file := range recordFiles(t, into) {
		if !json.Valid(must(os.ReadFile(file))) {
			t.Errorf("%s is no record", file)
		}
	}
}

// A process that is killed during a merge leaves whole records; the next merge does the rest.
func TestKilledMerge(t *testing.T) {
	const fromEnv, intoEnv = "PENGCDE_TEST_FROM", "PENGCDE_TEST_INTO"
	if from := os.Getenv(fromEnv); from != "" { // the process to be killed
		if _, err := store.Merge(context.Background(), os.Getenv(intoEnv), []string{from}); err != nil {
			t.Error(err)
		}
		return
	}
	const runs = 200
	_, from := inCheckout(t)
	seeds := Scope{}.SeedsOr(runs / 2)
	runAll(t, waves(t), Options{Seeds: seeds})
	into := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledMerge$")
	child.Env = append(os.Environ(), fromEnv+"="+from, intoEnv+"="+into)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); len(recordFiles(t, into)) < 20 && time.Since(begun) < 10*time.Second; {
		time.Sleep(time.Millisecond)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // the error says that it was killed
	whole := 0
	for _, file := range recordFiles(t, into) {
		if strings.HasSuffix(file, ".json") {
			if _, err := store.DecodeRecord(must(os.ReadFile(file))); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			whole++
		}
	}
	if whole == 0 || whole == runs {
		t.Logf("killed with %d of %d runs merged", whole, runs)
	}
	merged(t, into, store.MergeReport{Added: runs - whole, Same: whole}, from)
	if left := recordFiles(t, into); len(left) != runs {
		t.Errorf("%d files, want the %d records alone", len(left), runs)
	}
}

// Shipping a profile keeps the shipped runs of another profile; runs that no profile plans any more are removed.
func TestShipKeepsOtherProfiles(t *testing.T) {
	_, results := inCheckout(t)
	s := waves(t)
	plan, old := s.Plan, uint64(7)
	s.Plan = func(ctx context.Context, scope Scope) ([]Run, error) {
		if scope.Profile == Medium && len(scope.Seeds) == 0 {
			scope.Seeds = []uint64{1, 5, old} // the other profile has one of them
		}
		return plan(ctx, scope)
	}
	ctx := context.Background()
	shipped := func(profile Profile) (stored int) {
		t.Helper()
		r, err := s.Stored(ctx, Options{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		stored, _ = r.Count()
		return stored
	}
	ship := func(o Options) {
		t.Helper()
		if _, err := s.Ship(ctx, o); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(results, "waves")); err != nil {
			t.Fatal(err)
		}
	}
	runAll(t, s, Options{Profile: Medium})
	ship(Options{Profile: Medium})
	old = 8 // seed 7 is no longer planned
	runAll(t, s, Options{Profile: Quick, Models: []string{"zero"}, Fresh: true})
	ship(Options{Profile: Quick})
	if quick, medium := shipped(Quick), shipped(Medium); quick != 3 || medium != 4 { // both have seed 1 of mean
		t.Errorf("%d runs of quick are shipped, %d of medium, want 3 and 4", quick, medium)
	}
	old = 7
	if medium := shipped(Medium); medium != 4 {
		t.Errorf("%d runs of medium are shipped, want 4 as what was planned no more is gone", medium)
	}
	runAll(t, s, Options{Profile: Quick, Models: []string{"mean"}, Fresh: true})
	ship(Options{Profile: Quick, Fresh: true})
	if quick, medium := shipped(Quick), shipped(Medium); quick != 2 || medium != 3 { // both profiles had seed 1 of zero
		t.Errorf("%d runs of quick are shipped afresh, %d of medium, want 2 and 3", quick, medium)
	}
}

// Shipping keeps the records of the selected runs by other backends, unless it is fresh, and none of another
// generation.
func TestShipKeepsOtherBackends(t *testing.T) {
	inCheckout(t)
	s, ctx := waves(t), context.Background()
	runAll(t, s, Options{})
	wrote, err := s.Ship(ctx, Options{Profile: Quick})
	if err != nil {
		t.Fatal(err)
	}
	own, err := store.Shipped(s.Name)
	if err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(own)
	add := func(content []byte, change func(*Record)) (name string) {
		t.Helper()
		r, err := store.DecodeRecord(content)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		if all[r.Name()], err = r.Encode(); err != nil {
			t.Fatal(err)
		}
		return r.Name()
	}
	one := own[slices.Sorted(maps.Keys(own))[0]]
	others := []string{add(one, func(r *Record) { r.Backend = "go" }),
		add(one, func(r *Record) { r.Backend = "xla:cuda" })}
	add(one, func(r *Record) { r.Generation-- })
	for _, c := range []struct {
		fresh bool
		want  []string
	}{{false, append(slices.Collect(maps.Keys(own)), others...)}, {true, slices.Collect(maps.Keys(own))}} {
		if _, err := store.WriteArchive(wrote.File, s.Name, all); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Ship(ctx, Options{Profile: Quick, Fresh: c.fresh}); err != nil {
			t.Fatal(err)
		}
		left, err := store.Shipped(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, slices.Sorted(maps.Keys(left))); diff != "" {
			t.Errorf("fresh %t (-want +got):\n%s", c.fresh, diff)
		}
	}
}
