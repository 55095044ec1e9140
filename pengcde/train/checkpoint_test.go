package train

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// cutShort trains with a bowl that is cancelled, or dies like a killed process, at one gradient call.
func cutShort(t *testing.T, at int, die bool, config Config) {
	t.Helper()
	cutShortOf(t, func(b bowl) Problem { return &b }, at, die, config)
}

// cutShortOf is cutShort for a problem made from a bowl.
func cutShortOf(t *testing.T, problem func(bowl) Problem, at int, die bool, config Config) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stop := cancel
	if die {
		stop = func() { panic("killed") }
	}
	defer cancel()
	defer func() {
		if died := recover(); died != nil && died != "killed" {
			panic(died)
		}
	}()
	b := bowl{target: []float64{1, -0.5}, cancel: stop, cancelAt: at}
	if _, _, err := Fit(ctx, xlatest.Go(t), problem(b), start(), config); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatalf("cut at call %d: %v, want canceled or, at the end, nothing", at, err)
	}
}

func checkpointed(c *Checkpoint) Config {
	return Config{Epochs: 7, EvaluateEvery: 2, Patience: 4, MinEpochs: AtOnce, AdamW: AdamW{LearningRate: 0.4},
		Checkpoint: c}
}

// Interrupted at any gradient, even twice, training ends with the same bits and the same record.
func TestCutTrainingGoesOnBitForBit(t *testing.T) {
	backend := xlatest.Go(t)
	target := []float64{1, -0.5}
	for name, change := range map[string]func(*Config){
		"early stopping": func(*Config) {}, "no validation": func(c *Config) { c.EvaluateEvery = NoValidation },
		"a target": func(c *Config) { c.Target = 0.1 },
	} {
		config := checkpointed(nil)
		change(&config)
		want, report, err := Fit(context.Background(), backend, &bowl{target: target}, start(), config)
		if err != nil {
			t.Fatal(err)
		}
		if (report.Stop == StopTarget) != (config.Target > 0) {
			t.Fatalf("%s: stop %q after %d epochs", name, report.Stop, len(report.Epochs))
		}
		for at := 1; at <= 2*len(report.Epochs); at++ {
			die := at%2 == 0
			config.Checkpoint = &Checkpoint{Path: filepath.Join(t.TempDir(), "run", "bowl"), Every: EachStep}
			cutShort(t, at, die, config)
			cutShort(t, 1, die, config)
			got, again, err := Fit(context.Background(), backend, &bowl{target: target}, start(), config)
			if err != nil {
				t.Fatalf("cut at %d: %v", at, err)
			}
			if len(got) != 1 || !got[0].Equal(want[0]) {
				t.Fatalf("cut at %d (dies %v): parameters %v, want %v", at, die, got, want[0])
			}
			ignored := cmpopts.IgnoreFields(Epoch{}, "Seconds")
			if diff := cmp.Diff(report, again, ignored, cmpopts.EquateNaNs(),
				cmpopts.IgnoreFields(Report{}, "Seconds")); diff != "" {
				t.Fatalf("cut at %d (dies %v): report (-whole +cut):\n%s", at, die, diff)
			}
		}
	}
}

// The result of an ended training is restored without a gradient. Remove leaves no files.
func TestCheckpointOfEndedTraining(t *testing.T) {
	folder := t.TempDir()
	c := &Checkpoint{Path: filepath.Join(folder, "bowl")}
	want, report, err := Fit(context.Background(), xlatest.Go(t), &bowl{target: []float64{1, 0}}, start(),
		checkpointed(c))
	if err != nil {
		t.Fatal(err)
	}
	b := &bowl{target: []float64{1, 0}}
	got, again, err := Fit(context.Background(), xlatest.Go(t), b, start(), checkpointed(c))
	if err != nil || b.calls != 0 || again.Stop != report.Stop || len(again.Epochs) != len(report.Epochs) ||
		!got[0].Equal(want[0]) {
		t.Errorf("%v after %d calls, %+v, %v; want %+v, %v", err, b.calls, again, got, report, want)
	}
	for _, name := range []string{".bowl.a.safetensors123", ".bowl.b.safetensors77"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// A checkpoint that exceeds the limit may be good: it is an error, but not one after which callers delete it.
func TestLargeCheckpoint(t *testing.T) {
	c := &Checkpoint{Path: filepath.Join(t.TempDir(), "bowl")}
	file := c.slot(0)
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, 1<<40)); err != nil {
		t.Skip(err) // no files with holes here
	}
	_, err := c.load(training{identity: "identity"}, nil)
	if !errors.Is(err, bounded.ErrTooLarge) || errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), file) {
		t.Errorf("%v, want that it is too large, and no ErrCheckpoint", err)
	}
}

func TestDamagedCheckpoints(t *testing.T) {
	backend := xlatest.Go(t)
	target := []float64{1, -0.5}
	want, _, err := Fit(context.Background(), backend, &bowl{target: target}, start(), checkpointed(nil))
	if err != nil {
		t.Fatal(err)
	}
	var heard []string
	c := &Checkpoint{Path: filepath.Join(t.TempDir(), "bowl"), Every: EachStep,
		Notice: func(s string) { heard = append(heard, s) }}
	cutShort(t, 6, true, checkpointed(c))
	truncate := func(serial int) {
		t.Helper()
		content, err := os.ReadFile(c.slot(serial))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.slot(serial), content[:len(content)-9], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Writes are numbered from 1 at the start, so the fifth gradient's is 6.
	truncate(6)
	got, _, err := Fit(context.Background(), backend, &bowl{target: target}, start(), checkpointed(c))
	if err != nil || !got[0].Equal(want[0]) {
		t.Errorf("with the newest damaged: %v, %v, want %v", got, err, want)
	}
	if said := strings.Join(heard, "\n"); !strings.Contains(said, "damaged") ||
		!strings.Contains(said, "in epoch 2, after 4 optimiser steps") {
		t.Errorf("heard %q", said)
	}
	truncate(0)
	truncate(1)
	if _, _, err := Fit(context.Background(), backend, &bowl{target: target}, start(), checkpointed(c)); !errors.Is(err,
		ErrCheckpoint) {
		t.Errorf("both damaged: %v, want ErrCheckpoint", err)
	}
}

func TestCheckpointOfAnotherTraining(t *testing.T) {
	backend := xlatest.Go(t)
	c := &Checkpoint{Path: filepath.Join(t.TempDir(), "bowl")}
	cutShort(t, 3, false, checkpointed(c))
	other := checkpointed(c)
	other.AdamW.LearningRate = 0.1
	if _, _, err := Fit(context.Background(), backend, &bowl{target: []float64{1, 1}}, start(), other); !errors.Is(err,
		ErrCheckpoint) {
		t.Errorf("another learning rate: %v, want ErrCheckpoint", err)
	}
	c.Key = "other data"
	if _, _, err := Fit(context.Background(), backend, &bowl{target: []float64{1, 1}}, start(),
		checkpointed(c)); !errors.Is(err, ErrCheckpoint) {
		t.Errorf("another key: %v, want ErrCheckpoint", err)
	}
	c.Key = ""
	elsewhere := []*tensors.Tensor{tensors.FromValue([]float64{5, 5})}
	if _, _, err := Fit(context.Background(), backend, &bowl{target: []float64{1, 1}}, elsewhere,
		checkpointed(c)); !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), "other initial parameters") {
		t.Errorf("other parameters: %v, want ErrCheckpoint that says so", err)
	}
}

// A training goes on with the parameters that its interruption returned, before the first validation and after, with an
// average and without.
func TestCheckpointGoesOnWithItsOwnParameters(t *testing.T) {
	backend := xlatest.Go(t)
	for _, average := range []float64{0, 0.6} {
		config := Config{Epochs: 6, EvaluateEvery: 2, MinEpochs: AtOnce, AdamW: AdamW{LearningRate: 0.3}, Average: average}
		whole := &bowl{target: downhill}
		want, _, err := Fit(context.Background(), backend, whole, start(), config)
		if err != nil {
			t.Fatal(err)
		}
		for at := 1; at < whole.calls; at++ {
			config.Checkpoint = &Checkpoint{Path: filepath.Join(t.TempDir(), "bowl"), Every: EachStep}
			ctx, cancel := context.WithCancel(context.Background())
			left, _, err := Fit(ctx, backend, &bowl{target: downhill, cancel: cancel, cancelAt: at}, start(), config)
			cancel()
			if err == nil {
				continue // ended before the cancellation was noticed
			}
			got, _, err := Fit(context.Background(), backend, &bowl{target: downhill}, left, config)
			if err != nil || !got[0].Equal(want[0]) {
				t.Fatalf("average %g, cut at %d: %v, %v, want %v", average, at, got, err, want[0])
			}
			ended := &bowl{target: downhill}
			if got, _, err = Fit(context.Background(), backend, ended, got, config); err != nil || !got[0].Equal(want[0]) ||
				ended.calls > 0 {
				t.Fatalf("average %g, after the end: %v, %v after %d gradients, want %v at once", average, got, err, ended.calls,
					want[0])
			}
		}
	}
}

func TestCheckpointThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := &bowl{target: []float64{1, 1}}
	params, _, err := Fit(context.Background(), xlatest.Go(t), b, start(),
		checkpointed(&Checkpoint{Path: filepath.Join(file, "bowl")}))
	var path *fs.PathError
	if !errors.As(err, &path) || !errors.Is(err, ErrNotSaved) || b.calls > 0 {
		t.Errorf("%v after %d gradients, want an error that names the folder before the first", err, b.calls)
	}
	if len(params) != 1 || tensors.MustCopyFlatData[float64](params[0])[0] != 0 {
		t.Errorf("parameters %v, want those given", params)
	}
}
