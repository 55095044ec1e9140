package pengcde

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

const seedNodes = 6

// seedRuns returns runs with different parameters, graphs and times, each with three training series and one for
// validation.
func seedRuns(t *testing.T, backend *xla.Backend, count int, change func(*Config)) []SeedRun {
	t.Helper()
	runs := make([]SeedRun, count)
	for s := range runs {
		config := trajectoryConfig(seedNodes)
		// One layer has no ReLU before its norm, after which rounding may grow beyond all tolerances ("Tolerances" in
		// the package documentation). A large epsilon keeps the optimiser from dividing rounding errors by each other.
		config.Hidden, config.Layers, config.Seed = 4, 1, uint64(s+1)
		if change != nil {
			change(&config)
		}
		m, err := New(backend, config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
		series := func(lost int) *dyngraph.Series {
			one := pulses(t, seedNodes, lost)
			for k := range one.Times {
				one.Times[k] *= 1 + 0.2*float64(s)
			}
			return one
		}
		runs[s] = SeedRun{Model: m, Training: wholes(series(1+s%2), series(3), series(2)),
			Validation: wholes(series(4)),
			Config: train.Config{Epochs: 8, EvaluateEvery: 2, MinEpochs: -1, BatchSize: 2,
				AdamW: train.AdamW{LearningRate: 0.03, Epsilon: 1e-3}}}
	}
	return runs
}

// alone trains runs one by one.
func alone(t *testing.T, runs []SeedRun) []Outcome {
	t.Helper()
	outcomes := make([]Outcome, len(runs))
	for i, r := range runs {
		outcomes[i].Report, outcomes[i].Err = r.Model.Fit(context.Background(), r.Training, r.Validation, r.Config)
	}
	return outcomes
}

// sameRun compares how two runs ended, and what their models learnt.
func sameRun(t *testing.T, what string, got, want *train.Report, a, b *Model) {
	t.Helper()
	const tolerance = 1e-9
	if got == nil || want == nil {
		t.Fatalf("%s: reports %v and %v", what, got, want)
	}
	if got.Stop != want.Stop || got.Best != want.Best || len(got.Epochs) != len(want.Epochs) {
		t.Fatalf("%s: %q after %d epochs, best %d, alone %q after %d, best %d",
			what, got.Stop, len(got.Epochs), got.Best, want.Stop, len(want.Epochs), want.Best)
	}
	for e, epoch := range want.Epochs {
		for _, v := range [][2]float64{{got.Epochs[e].TrainLoss, epoch.TrainLoss}, {got.Epochs[e].Validation,
			epoch.Validation},
			{got.Epochs[e].GradientNorm, epoch.GradientNorm}} {
			if math.IsNaN(v[1]) != math.IsNaN(v[0]) || math.Abs(v[0]-v[1]) > tolerance*(1+math.Abs(v[1])) {
				t.Errorf("%s, epoch %d: %+v, alone %+v", what, e, got.Epochs[e], epoch)
				break
			}
		}
	}
	for _, p := range a.declared {
		x, _ := a.Parameter(p.Name)
		y, _ := b.Parameter(p.Name)
		fixture.Close(t, what+": "+p.Name, x, y, tolerance)
	}
}

// Three runs at once give the same results as one by one: one stops early by patience, one has fewer epochs, so that
// the last continues without the others.
func TestFitSeedsIsFitOfEach(t *testing.T) {
	for _, product := range []equivariant.Product{equivariant.Dense, equivariant.Sparse} {
		checkFitSeeds(t, func(c *Config) { c.Product = product })
	}
}

func checkFitSeeds(t *testing.T, change func(*Config)) {
	t.Helper()
	both := [2][]SeedRun{seedRuns(t, xlatest.Go(t), 3, change), seedRuns(t, xlatest.Go(t), 3, change)}
	for _, runs := range both {
		runs[0].Config.Patience, runs[1].Config.Epochs = 4, 5
		for _, targets := range runs[0].Validation[0].Series.Targets { // training leads away from these targets
			floats.Scale(-5, targets)
		}
	}
	want := alone(t, both[0])
	if want[0].Report.Stop != train.StopPatience || want[2].Report.Stop != train.StopEpochs {
		t.Fatalf("alone they stop by %q and %q: the first should run out of patience, the last not", want[0].Report.Stop,
			want[2].Report.Stop)
	}
	var told []int
	for i := range both[1] {
		both[1][i].Config.Progress = func(train.Progress) { told = append(told, i) }
	}
	got, err := FitSeeds(context.Background(), both[1])
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		sameRun(t, fmt.Sprintf("run %d", i), got[i].Report, want[i].Report, both[1][i].Model, both[0][i].Model)
		epochs := 0
		for _, run := range told {
			if run == i {
				epochs++
			}
		}
		if epochs != len(want[i].Report.Epochs) {
			t.Errorf("run %d told of its progress %d times in %d epochs", i, epochs, len(want[i].Report.Epochs))
		}
	}
}

// The same in compiled programs, briefly.
func TestFitSeedsCompiled(t *testing.T) { compareFits(t, xlatest.Backend(t), nil, nil) }

// compareFits trains two runs for two epochs, together and one by one.
func compareFits(t *testing.T, backend *xla.Backend, change func(*Config), spoil func([]SeedRun)) {
	t.Helper()
	both := [2][]SeedRun{seedRuns(t, backend, 2, change), seedRuns(t, backend, 2, change)}
	for _, runs := range both {
		for i := range runs {
			runs[i].Config.Epochs = 2
		}
		if spoil != nil {
			spoil(runs)
		}
	}
	want := alone(t, both[0])
	got, err := FitSeeds(context.Background(), both[1])
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		sameRun(t, fmt.Sprintf("run %d", i), got[i].Report, want[i].Report, both[1][i].Model, both[0][i].Model)
	}
}

// All fields, and the kinds of loss.
func TestFitSeedsOfEveryField(t *testing.T) {
	changes := map[string]func(*Config){
		"missing targets": func(*Config) {}, "published loss": func(c *Config) {
			c.Parity, c.GraphOnly, c.Adaptive = true,
				false, nil
		},
		"network coders": func(c *Config) { c.LinearCoders = false }, "constant steps": func(c *Config) { c.Adaptive = nil },
		"constant, published loss": func(c *Config) { c.Field, c.Parity, c.GraphOnly = field.Constant{}, true, false },
		"per node":                 func(c *Config) { c.Head = head.Nodes{At: head.AtEnd} },
		"summed":                   func(c *Config) { c.Head = head.Summed{} },
		"memory":                   func(c *Config) { c.Memory = ode.Memory{Checkpoints: 3} },
	}
	changes["stg-ncde"] = func(c *Config) { c.Field = rivals.STGNCDE{} }
	for _, name := range field.Names() {
		changes[name] = func(c *Config) { c.Field, _ = field.Named(name) }
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			var spoil func([]SeedRun)
			if name == "summed" {
				spoil = func(runs []SeedRun) {
					for _, r := range runs {
						for _, w := range slices.Concat(r.Training, r.Validation) {
							w.Series.GraphTargets = make([][]float64, len(w.Series.Times))
							for k := range w.Series.Times {
								w.Series.GraphTargets[k] = []float64{w.Series.Targets[k][2]}
							}
						}
					}
				}
			}
			if name == "missing targets" {
				spoil = func(runs []SeedRun) { runs[1].Training[0].Series.Targets[3][2] = math.NaN() }
			}
			compareFits(t, xlatest.Go(t), change, spoil)
		})
	}
}

// Windows serve as well as series.
func TestFitSeedsOnWindows(t *testing.T) {
	var runs [2][]SeedRun
	var want []*train.Report
	for side := range runs {
		for i, r := range seedRuns(t, xlatest.Go(t), 2, nil) {
			windows, err := r.Training[i].Series.Windows(4, 1).List()
			if err != nil {
				t.Fatal(err)
			}
			run := SeedRun{Model: r.Model, Training: windows[:3], Validation: windows[5:6], Config: r.Config}
			run.Config.Epochs = 3
			runs[side] = append(runs[side], run)
		}
	}
	for _, r := range runs[0] {
		report, err := r.Model.Fit(context.Background(), r.Training, r.Validation, r.Config)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, report)
	}
	got, err := FitSeeds(context.Background(), runs[1])
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		sameRun(t, fmt.Sprintf("run %d", i), got[i].Report, want[i], runs[1][i].Model, runs[0][i].Model)
	}
}

// A run that fails does not affect the others, wherever it fails.
func TestFitSeedsWithOneThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*SeedRun)
		want  error
		has   string
	}{
		"loss": {func(r *SeedRun) { r.Training[1].Series.Targets[2][0] = 1e200 }, train.ErrNotFinite, "loss"},
		"step limit": {func(r *SeedRun) {
			for k := range r.Training[2].Series.Times {
				r.Training[2].Series.Times[k] *= 4000
			}
		}, ode.StepLimit, "(sample 0,"},
		"start": {func(r *SeedRun) {
			r.Training[1].Series.Features[0] = slices.Repeat([]float64{math.MaxFloat64}, seedNodes)
			r.Model.params[0].MustMutableFlatData(func(flat any) { floats.Scale(10, flat.([]float64)) }) // of the encoder
		}, train.ErrNotFinite, "of sample 1"},
		"parameters": {func(r *SeedRun) { r.Config.AdamW.LearningRate = 1e200 }, train.ErrNotFinite, "not finite"},
		"validation": {func(r *SeedRun) {
			for k := range r.Validation[0].Series.Times {
				r.Validation[0].Series.Times[k] *= 4000
			}
		}, ode.StepLimit, "(sample 0,"},
	} {
		t.Run(name, func(t *testing.T) {
			change := func(c *Config) { c.MaxSteps = 30 }
			both := [2][]SeedRun{seedRuns(t, xlatest.Go(t), 3, change), seedRuns(t, xlatest.Go(t), 3, change)}
			for _, runs := range both {
				c.spoil(&runs[1])
				for i := range runs {
					runs[i].Config.Epochs = 4
				}
			}
			want := alone(t, both[0])
			if !errors.Is(want[1].Err, c.want) {
				t.Fatalf("alone it ends with %v, want %v", want[1].Err, c.want)
			}
			got, err := FitSeeds(context.Background(), both[1])
			if !errors.Is(err, c.want) || !errors.Is(got[1].Err, c.want) || !strings.Contains(err.Error(), "run 1") ||
				!strings.Contains(err.Error(), c.has) {
				t.Errorf("got %v, want %v of run 1 with %q, as alone: %v", err, c.want, c.has, want[1].Err)
			}
			for i := range got {
				if (got[i].Err != nil) != (want[i].Err != nil) {
					t.Errorf("run %d: %v, alone %v", i, got[i].Err, want[i].Err)
				}
				sameRun(t, fmt.Sprintf("run %d", i), got[i].Report, want[i].Report, both[1][i].Model, both[0][i].Model)
			}
		})
	}
}

// countdown is a context that ends after a number of checks.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Interrupted runs reach the same results as uninterrupted ones: together after separate interruptions in different
// batches of different epochs, with a run that had ended, and after an interruption together.
func TestFitSeedsGoesOn(t *testing.T) {
	for name, cut := range map[string]func(*testing.T, []SeedRun){
		"together": func(t *testing.T, runs []SeedRun) {
			ctx, cancel := context.WithCancel(context.Background())
			runs[1].Config.Progress = func(p train.Progress) {
				if p.Epoch == 3 {
					cancel()
				}
			}
			outcomes, err := FitSeeds(ctx, runs)
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v, want the context's error", err)
			}
			for i, o := range outcomes {
				if !errors.Is(o.Err, context.Canceled) || o.Report.Stop != train.StopInterrupted || len(o.Report.Epochs) < 2 ||
					len(o.Report.Epochs) > 3 {
					t.Errorf("run %d: %v, %q after %d epochs", i, o.Err, o.Report.Stop, len(o.Report.Epochs))
				}
			}
			runs[1].Config.Progress = nil
		},
		"by themselves": func(t *testing.T, runs []SeedRun) {
			for i, looks := range []int{100, 260, math.MaxInt} {
				r := runs[i]
				report, err := r.Model.Fit(&countdown{context.Background(), looks}, r.Training, r.Validation, r.Config)
				if i < 2 && !errors.Is(err, context.Canceled) || i == 2 && err != nil {
					t.Fatalf("run %d: %v", i, err)
				}
				t.Logf("run %d: %d epochs", i, len(report.Epochs))
			}
		},
		"one": func(t *testing.T, runs []SeedRun) {
			r := runs[2]
			if _, err := r.Model.Fit(&countdown{context.Background(), 100}, r.Training, r.Validation,
				r.Config); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			both := [2][]SeedRun{seedRuns(t, xlatest.Go(t), 3, nil), seedRuns(t, xlatest.Go(t), 3, nil)}
			folder := t.TempDir()
			for i := range both[1] {
				both[1][i].Config.Checkpoint = &train.Checkpoint{Path: filepath.Join(folder, fmt.Sprint(i)), Every: -1}
			}
			want := alone(t, both[0])
			cut(t, both[1])
			for i := range both[1] { // as in another process
				m := both[1][i].Model
				m.Reset(m.config.Seed)
			}
			got, err := FitSeeds(context.Background(), both[1])
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				sameRun(t, fmt.Sprintf("run %d", i), got[i].Report, want[i].Report, both[1][i].Model, both[0][i].Model)
			}
			// The result of runs that ended together is found by a single run.
			r := both[1][0]
			r.Model.Reset(r.Model.config.Seed)
			report, err := r.Model.Fit(context.Background(), r.Training, r.Validation, r.Config)
			if err != nil {
				t.Fatal(err)
			}
			sameRun(t, "run 0 again", report, want[0].Report, r.Model, both[0][0].Model)
		})
	}
}

// A panic in the progress of one run is raised after the others have saved their checkpoints.
func TestFitSeedsPanics(t *testing.T) {
	runs := seedRuns(t, xlatest.Go(t), 3, nil)
	folder := t.TempDir()
	for i := range runs {
		runs[i].Config.Checkpoint = &train.Checkpoint{Path: filepath.Join(folder, fmt.Sprint(i))}
	}
	runs[1].Config.Progress = func(p train.Progress) {
		if p.Epoch == 2 {
			panic("of the test")
		}
	}
	func() {
		defer func() {
			if r := recover(); r != "of the test" {
				t.Errorf("recovered %v", r)
			}
		}()
		FitSeeds(context.Background(), runs)
	}()
	var notice string
	runs[0].Config.Checkpoint.Notice = func(s string) { notice = s }
	runs[0].Model.Reset(1)
	runs[0].Config.Progress = nil
	if _, err := FitSeeds(context.Background(), runs[:1]); err != nil || !strings.Contains(notice, "epoch 3") {
		t.Errorf("%v, %q: want training to go on in epoch 3", err, notice)
	}
}
