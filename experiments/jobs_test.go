//go:build unix

package experiments

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// workerEnv makes the test program a worker, and names the folder of its signal files.
const workerEnv = "PENGCDE_TEST_WORKER"

// long returns a toy study that trains for a while.
func long() Study {
	training := toyTraining
	training.Epochs = 20
	return toy(NetworkRow("two", "Two", toyConfig, training), BaselineRow("zero", baseline.Zero{}))
}

// TestWorkerProcess is no test but the worker process of the tests below. Files in the folder of signals control it.
// A run named in a file "once" or "always" has its process killed at its end, once or always. While a file "wait"
// exists, the last two trained runs do not end. A file "alone" selects a study with a run that must be made alone.
func TestWorkerProcess(t *testing.T) {
	signs := os.Getenv(workerEnv)
	if signs == "" {
		t.Skip("for other tests")
	}
	study, o := long(), options(t)
	o.Seeds = jobSeeds
	if _, err := os.Stat(filepath.Join(signs, "lockless")); err == nil {
		o.leases = leases()
	}
	if _, err := os.Stat(filepath.Join(signs, "alone")); err == nil {
		study = withOneAlone(study)
	}
	whole := study.Execute
	study.Execute = func(ctx context.Context, m *RunContext, r Run) (*Facts, error) {
		facts, err := whole(ctx, m, r)
		for _, sign := range []string{"once", "always"} {
			name := filepath.Join(signs, sign)
			if text, found := os.ReadFile(name); found != nil || string(text) != r.String() {
				continue
			}
			if sign == "once" {
				if err := os.Rename(name, name+" again"); err != nil {
					return nil, err
				}
			}
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		if text, _ := os.ReadFile(filepath.Join(signs, "once again")); string(text) == r.String() {
			all, err := study.UnderWay(ctx, o)
			all = slices.DeleteFunc(all, func(c ActiveRun) bool { return syscall.Kill(c.Process, 0) != nil }) // leases stay
			if err != nil || len(all) != 1 {
				return nil, fmt.Errorf("%d under way (%w), want this one alone", len(all), err)
			}
		}
		for r.Model.ID == "two" && r.Seed >= 4 {
			if _, found := os.Stat(filepath.Join(signs, "wait")); found != nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		return facts, err
	}
	if err := study.Work(context.Background(), o, os.Stdin, os.Stdout); err != nil &&
		!errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

var jobSeeds = []uint64{0, 1, 2, 3, 4, 5}

// jobOptions returns the options of a process with two workers.
func jobOptions(t *testing.T, signs string) Options {
	o := options(t)
	o.Seeds, o.Jobs = jobSeeds, 2
	o.Worker = func() *exec.Cmd {
		c := exec.Command(os.Args[0], "-test.run=^TestWorkerProcess$")
		c.Env = append(os.Environ(), workerEnv+"="+signs)
		return c
	}
	return o
}

// alike compares the results of two folders.
var alike = []cmp.Option{cmpopts.IgnoreUnexported(Result{}), cmpopts.IgnoreFields(Run{}, "Model", "Identity"),
	cmpopts.IgnoreFields(Training{}, "SecondsPerEpoch"), cmpopts.IgnoreFields(Facts{}, "PeakBytes"),
	cmpopts.IgnoreFields(Record{}, "Seconds", "Ended", "Machine")}

// Two workers make the same runs as one process, and their progress is reported.
func TestJobs(t *testing.T) {
	results(t)
	alone := options(t)
	alone.Seeds = jobSeeds
	want := run(t, long(), alone).Results
	folder := results(t)
	wait := filepath.Join(t.TempDir(), "wait") // holds back the last two runs
	if err := os.WriteFile(wait, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := jobOptions(t, filepath.Dir(wait))
	latest, both := 0.0, false
	o.Progress = func(fraction float64, left time.Duration, text string) {
		if fraction < latest-1e-9 || fraction > 1 || left < 0 {
			t.Errorf("after %g heard %g, %v, %s", latest, fraction, left, text)
		}
		latest = fraction
		both = both || strings.HasPrefix(text, "2 under way, ") &&
			strings.Contains(text, " · Two, early, seed 5: epoch 20/20")
		if both {
			_ = os.Remove(wait)
		}
	}
	if diff := cmp.Diff(want, run(t, long(), o).Results, alike...); diff != "" {
		t.Errorf("results (-one process +two workers):\n%s", diff)
	}
	if !both {
		t.Error("two runs were never under way")
	}
	if all := files(t, folder, "*"); len(all) != len(want) {
		t.Errorf("files %v, want the %d results alone", all, len(want))
	}
}

// A run that must be made alone is made after the runs that may be made in parallel.
func TestRunMadeAlone(t *testing.T) {
	results(t)
	signs := t.TempDir()
	if err := os.WriteFile(filepath.Join(signs, "once again"), []byte("Two, early, seed 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(signs, "alone"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, withOneAlone(long()), jobOptions(t, signs)) // otherwise that run has an error
}

// withOneAlone returns the study with one run that must be made alone.
func withOneAlone(s Study) Study {
	planned := s.Plan
	s.Plan = func(ctx context.Context, scope Scope) ([]Run, error) {
		runs, err := planned(ctx, scope)
		for i, r := range runs {
			runs[i].Alone = r.Model.ID == "two" && r.Seed == 1
		}
		return runs, err
	}
	return s
}

// Workers are killed at ten random moments: no run is lost, no stored run is made again, and the results equal an
// undisturbed run's.
func TestWorkersKilledTenTimes(t *testing.T) {
	results(t)
	alone := options(t)
	alone.Seeds = jobSeeds
	want := run(t, long(), alone).Results
	folder, wait := results(t), filepath.Join(t.TempDir(), "wait")
	if err := os.WriteFile(wait, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := jobOptions(t, filepath.Dir(wait))
	o.CheckpointEvery = time.Millisecond
	made := func(before map[string]string) map[string]string {
		now := make(map[string]string)
		for _, file := range files(t, folder, "*.json") {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Error(err)
			}
			if !strings.Contains(string(content), `"Error":`) {
				now[file] = string(content)
			}
		}
		for file, content := range before {
			if now[file] != content {
				t.Errorf("%s was made again, or is gone", file)
			}
		}
		return now
	}
	var killer sync.WaitGroup
	defer killer.Wait()
	killer.Go(func() {
		before := map[string]string{}
		for killed := 0; killed < 10; {
			time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
			all, err := long().UnderWay(context.Background(), o)
			all = slices.DeleteFunc(all, func(c ActiveRun) bool { return c.Process == 0 || c.Process == os.Getpid() })
			if err != nil || len(all) == 0 {
				continue
			}
			if syscall.Kill(all[rand.IntN(len(all))].Process, syscall.SIGKILL) == nil {
				killed++
			}
			before = made(before)
		}
		if err := os.Remove(wait); err != nil {
			t.Error(err)
		}
	})
	o.Retry = true // one run was under way at two of the kills
	r, err := long().Run(context.Background(), o)
	for err != nil && r != nil && strings.Contains(err.Error(), "its process ended before it was done, twice") {
		r, err = long().Run(context.Background(), o)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.Results, alike...); diff != "" {
		t.Errorf("results (-whole +killed):\n%s", diff)
	}
	if all := files(t, folder, "*"); len(all) != len(want) {
		t.Errorf("files %v, want the %d results alone", all, len(want))
	}
}

// A run whose worker is killed, as for lack of memory, is made again with no other running. A run that always ends
// its process is stored as an error; the other runs are made, and a retry makes it.
func TestRunsThatEndTheirProcess(t *testing.T) {
	t.Run("locks", func(t *testing.T) { runsThatEndTheirProcess(t, t.TempDir(), nil) })
	t.Run("leases", func(t *testing.T) {
		signs := t.TempDir()
		if err := os.WriteFile(filepath.Join(signs, "lockless"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		runsThatEndTheirProcess(t, signs, leases())
	})
}

func runsThatEndTheirProcess(t *testing.T, signs string, leases *store.Leases) {
	folder := results(t)
	for sign, run := range map[string]string{"once": "Two, early, seed 1", "always": "Two, early, seed 3"} {
		if err := os.WriteFile(filepath.Join(signs, sign), []byte(run), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := jobOptions(t, signs)
	o.leases = leases
	var heard []string
	o.Notice = func(text string) { heard = append(heard, text) }
	r, err := long().Run(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "1 of 12 runs of toy could not be made, the first: Two, early, seed 3") ||
		!strings.Contains(err.Error(), "signal: killed, as for lack of memory") {
		t.Fatalf("error %v, want that of one run\n%s", err, strings.Join(heard, "\n"))
	}
	if made, _ := r.Count(); made != 11 {
		t.Errorf("%d runs made, want 11", made)
	}
	if said := strings.Join(heard, "\n"); strings.Count(said, "made again when the others are") != 2 {
		t.Errorf("heard %q, want that two are made again", said)
	}
	if err := os.Remove(filepath.Join(signs, "always")); err != nil {
		t.Fatal(err)
	}
	o.Retry = true
	run(t, long(), o)
	if all := files(t, folder, "*"); len(all) != 12 {
		t.Errorf("files %v, want 12 results alone", all)
	}
}

// An error that keeps workers from making runs ends the study, with the workers' message.
func TestWorkersThatFail(t *testing.T) {
	results(t)
	o := options(t)
	o.Jobs = 2
	if _, err := long().Run(context.Background(), o); !errors.Is(err, ErrInput) {
		t.Errorf("without a command: %v, want ErrInput", err)
	}
	o.Worker = func() *exec.Cmd { return exec.Command("sh", "-c", "echo the plugin is gone >&2; exit 3") }
	if _, err := long().Run(context.Background(), o); err == nil || !strings.Contains(err.Error(),
		"two workers ended before they took a run: exit status 3; it said last: the plugin is gone") {
		t.Errorf("a command that ends: %v", err)
	}
	o.Worker = func() *exec.Cmd { // with another call
		return exec.Command("sh", "-c", `echo "a library's line"; echo '{"Error": "no room", "Kinds": ["store"]}'; cat`)
	}
	if _, err := long().Run(context.Background(), o); !errors.Is(err, ErrStore) || !strings.Contains(err.Error(), "no room") {
		t.Errorf("a worker that cannot store: %v, want ErrStore", err)
	}
	o.Worker = func() *exec.Cmd { return exec.Command("true") } // such as a command with other options
	if _, err := long().Run(context.Background(), o); err == nil || !strings.Contains(err.Error(),
		"two workers ended before they took a run: it ended of itself") {
		t.Errorf("workers that find no run: %v", err)
	}
}

// Runs that another process holds are left to it, and made when it releases them.
func TestWorkersWait(t *testing.T) {
	results(t)
	o := jobOptions(t, t.TempDir())
	o.Seeds = []uint64{0, 1}
	held := stored(t, long(), o).Results[0].slot
	lease, err := held.Take()
	if err != nil || lease == nil {
		t.Fatal(lease, err)
	}
	var let sync.Once
	o.Progress = func(fraction float64, _ time.Duration, text string) {
		if fraction >= 0.5 { // the other trained run is at its end
			let.Do(func() {
				if err := lease.Release(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	run(t, long(), o)
}

func TestShare(t *testing.T) {
	results(t)
	o := options(t)
	run(t, long(), o)
	s := long()
	record := func(bytes int64) Record {
		return Record{Facts: &Facts{PeakBytes: bytes, Training: &Training{}, Scores: map[string]float64{"test": 1}}}
	}
	r := stored(t, s, o)
	for i, bytes := range []int64{3 << 30, 2 << 30} {
		if err := r.Results.Where("model", "two")[i].slot.Save(record(bytes)); err != nil {
			t.Fatal(err)
		}
	}
	o.Seeds = []uint64{10, 11, 12, 13} // 4 trained runs and 4 others are missing
	const gib = 1 << 30
	for name, c := range map[string]struct {
		jobs, cores int
		available   int64
		want        Share
		why         string
	}{
		"as asked":         {2, 8, 64 * gib, Share{Jobs: 2, Cores: 4, Asked: 2}, ""},
		"one a core":       {0, 3, 64 * gib, Share{Jobs: 3, Cores: 1, Asked: 3}, ""},
		"more than cores":  {4, 2, 64 * gib, Share{Jobs: 4, Cores: 1, Asked: 4}, ""},
		"few runs":         {16, 16, 64 * gib, Share{Jobs: 8, Cores: 1, Asked: 16}, "no more to make"},
		"memory":           {8, 8, 7 * gib, Share{Jobs: 2, Cores: 1, Asked: 8}, "7.0 GiB of memory are available"},
		"too little":       {2, 2, gib, Share{Jobs: 1, Cores: 1, Asked: 2}, "up to 3.0 GiB"},
		"memory not known": {8, 8, 0, Share{Jobs: 8, Cores: 1, Asked: 8}, ""},
	} {
		o.Jobs = c.jobs
		got, err := s.share(context.Background(), o, c.cores, c.available)
		why := got.Why
		got.Why = ""
		if err != nil || got != c.want || !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s: %+v because %q (%v), want %+v because %q", name, got, why, err, c.want, c.why)
		}
	}
	o.Jobs = -1
	if _, err := s.Share(context.Background(), o); !errors.Is(err, ErrInput) {
		t.Errorf("-1 jobs: %v, want ErrInput", err)
	}
}
