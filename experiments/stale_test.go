package experiments

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// another sets the previous generation until the test ends or back is called.
func another(t *testing.T) (back func()) {
	t.Helper()
	generation = Generation - 1
	back = func() { generation = Generation }
	t.Cleanup(back)
	return back
}

// pair returns toy with a network, an untrained model and one seed: two runs.
func pair(t *testing.T) (Study, Options) {
	o := options(t)
	o.Seeds = []uint64{0}
	return toy(NetworkRow("two", "Two", toyConfig, toyTraining), BaselineRow("zero", baseline.Zero{})), o
}

// Runs of another generation show as stale, are made again only on request, and are removed once replaced.
func TestStaleRuns(t *testing.T) {
	folder := results(t)
	s, o := pair(t)
	back := another(t)
	old := run(t, s, o)
	back()
	before := files(t, folder, "*")
	shown := stored(t, s, o)
	text := markdown(t, shown)
	if made, _ := shown.Count(); made != 0 || shown.Results.Stale() != 2 || strings.Count(text, "stale, 1 of 1") < 2 ||
		!strings.Contains(text, "--stale") {
		t.Errorf("%d runs are used, %d stale, shown as\n%s", made, shown.Results.Stale(), text)
	}
	var said []string
	o.Notice = func(s string) { said = append(said, s) }
	again := run(t, s, o)
	if again.Results.Stale() != 2 || !slices.Equal(files(t, folder, "*"), before) ||
		!strings.Contains(strings.Join(said, "\n"), "of 2 runs only another generation") {
		t.Errorf("without Stale: %d stale, files %v, said %q, want them left and told of", again.Results.Stale(),
			files(t, folder, "*"), said)
	}
	o.Stale = true
	again = run(t, s, o)
	if made, _ := again.Count(); made != 2 || again.Results.Stale() != 0 || len(again.Remarks()) != 0 {
		t.Errorf("with Stale: %d runs, %d stale, %q", made, again.Results.Stale(), again.Remarks())
	}
	for _, name := range files(t, folder, "*") {
		if !strings.Contains(name, "-g2-") || !strings.HasSuffix(name, ".json") {
			t.Errorf("left behind: %s", name)
		}
	}
	if again.Results[0].Facts().Scores["test"] != old.Results[0].Facts().Scores["test"] {
		t.Error("made again, the run is another, though nothing but the number changed")
	}
}

// Runs of another backend are shown, marked, and made again for the backend that computes.
func TestRunsOfAnotherBackend(t *testing.T) {
	folder := results(t)
	s, o := pair(t)
	run(t, s, o)
	other := o
	renamed := *o.Backend
	renamed.Device = "cuda"
	other.Backend = &renamed
	shown := stored(t, s, other)
	text := markdown(t, shown)
	if made, _ := shown.Count(); made != 2 || !strings.Contains(text, "Two †") ||
		!strings.Contains(text, "† with runs that go computed (1), not cuda") {
		t.Errorf("%d runs, shown as\n%s", made, text)
	}
	made := 0
	other.Progress = func(_ float64, _ time.Duration, text string) {
		if strings.Contains(text, "epoch 1/") {
			made++
		}
	}
	again := run(t, s, other)
	if all := files(t, folder, "*"); made != 1 || len(again.Remarks()) != 0 || len(all) != 3 {
		t.Errorf("%d runs made anew, remarks %q, files %v, want 1, none and both kept", made, again.Remarks(), all)
	}
}

// A training is not continued from a checkpoint of another generation, even if the file's name claims otherwise.
func TestCheckpointOfAnotherGeneration(t *testing.T) {
	folder := results(t)
	s, o := pair(t)
	o.Models = []string{"two"}
	interrupted := func() {
		t.Helper()
		ctx, cancel := context.WithCancel(context.Background())
		o := o
		o.Progress = func(_ float64, _ time.Duration, text string) {
			if strings.Contains(text, "epoch 2/") {
				cancel()
			}
		}
		if _, err := s.Run(ctx, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want canceled", err)
		}
	}
	back := another(t)
	interrupted()
	back()
	var said []string
	o.Notice = func(s string) { said = append(said, s) }
	run(t, s, o)
	if len(said) != 0 {
		t.Errorf("said %q, want a training from the start", said)
	}
	checkpoints := files(t, folder, "*.safetensors")
	if len(checkpoints) == 0 {
		t.Fatal("no checkpoints of the other generation, want them kept")
	}
	for _, path := range checkpoints {
		if err := os.Rename(path, strings.Replace(path, "-g1-", "-g2-", 1)); err != nil {
			t.Fatal(err)
		}
	}
	if all := files(t, folder, "*.json"); len(all) != 1 || os.Remove(all[0]) != nil {
		t.Fatal(all)
	}
	run(t, s, o)
	if text := strings.Join(said, "\n"); !strings.Contains(text, "starts over") {
		t.Errorf("said %q, want that the renamed checkpoint is refused", text)
	}
}
