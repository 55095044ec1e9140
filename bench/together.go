package bench

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/xla"
)

// Together is a measurement of seeds that train in one program, by [pengcde.FitSeeds].
type Together struct {
	Model     string  `json:"model"`
	N         int     `json:"n"`            // requested nodes
	Seeds     int     `json:"seeds"`        // models, each with its own data and parameters
	SeedEpoch spread  `json:"seed_epoch_s"` // seconds of an epoch divided by Seeds, over Epochs epochs
	Epochs    int     `json:"epochs"`
	Compile   float64 `json:"compile_s"` // seconds of compiling, for all seeds
	origin
}

// ValidateTogether returns an error for numbers of seeds and epochs that [MeasureTogether] refuses.
func ValidateTogether(seeds, epochs int) error {
	if seeds < 1 || epochs < 1 {
		return errs.New(pengcde.ErrInput, "bench: %d seeds for %d epochs, want at least 1 of each", seeds, epochs)
	}
	return nil
}

// MeasureTogether trains this number of seeds in this process and times the epochs after the first, which compiles.
func MeasureTogether(ctx context.Context, backend *xla.Backend, s Setting, seeds, epochs int) (Together, error) {
	if err := errors.Join(ValidateTogether(seeds, epochs), s.Validate()); err != nil {
		return Together{}, err
	}
	measured := Together{N: s.Nodes, Seeds: seeds, Epochs: epochs, origin: here(backend)}
	runs := make([]pengcde.SeedRun, seeds)
	for i := range runs {
		c, err := newCase(ctx, s)
		if err != nil {
			return Together{}, err
		}
		model, err := pengcde.New(backend, c.config)
		if err != nil {
			return Together{}, err
		}
		defer model.Close()
		c.training.Epochs = 1 + epochs
		runs[i] = pengcde.SeedRun{Model: model, Training: c.windows, Config: c.training}
		measured.Model = c.Field
		s.Seed++
	}
	outcomes, err := pengcde.FitSeeds(ctx, runs)
	if err != nil {
		return Together{}, err
	}
	seconds := secondsOf(outcomes[seeds-1].Report) // of the last seed to end an epoch
	measured.Compile = max(0, seconds[0]-spreadOf(seconds[1:]).Median)
	floats.Scale(1/float64(seeds), seconds)
	measured.SeedEpoch = spreadOf(seconds[1:])
	return measured, nil
}

// PutTogether adds a measurement, and replaces one of the same model, size, seeds, machine and backend.
func (f *File) PutTogether(t Together) {
	f.Together = put(f.Together, t, func(t Together) any { return [...]any{t.Model, t.N, t.Seeds, t.machine()} })
}

// TogetherTable returns the measurements of seeds that train in one program, compared with the time of a single seed.
func (f File) TogetherTable() *figures.Table {
	rows := slices.SortedStableFunc(slices.Values(f.Together), func(a, b Together) int {
		return cmp.Or(cmp.Compare(a.machine(), b.machine()), cmp.Compare(a.Model, b.Model), cmp.Compare(a.N, b.N),
			cmp.Compare(a.Seeds, b.Seeds))
	})
	alone := func(t Together) (seconds float64) {
		for _, one := range rows {
			if one.Seeds == 1 && one.Model == t.Model && one.N == t.N && one.machine() == t.machine() {
				seconds = one.SeedEpoch.Median
			}
		}
		return seconds
	}
	machines := distinct(rows, Together.machine)
	return tabulate("Seeds in one program", machines, rows, []column[Together]{
		{"model", 0, func(t Together) figures.Cell { return figures.Text(modelName(t.Model)) }},
		{"n", 0, func(t Together) figures.Cell { return figures.Number(float64(t.N)) }},
		{"seeds", 0, func(t Together) figures.Cell { return figures.Number(float64(t.Seeds)) }},
		{"s per seed and epoch", 2, func(t Together) figures.Cell { return figures.Number(t.SeedEpoch.Median) }},
		{"least to largest", 0, func(t Together) figures.Cell {
			return textIf(true, "%.2f to %.2f", t.SeedEpoch.Low, t.SeedEpoch.High)
		}},
		{"of one alone", 0, func(t Together) figures.Cell {
			return textIf(alone(t) > 0, "%.2f", t.SeedEpoch.Median/alone(t))
		}},
		{"compiling, s", 1, func(t Together) figures.Cell { return figures.Number(t.Compile) }},
		{"machine", 0, func(t Together) figures.Cell { return textIf(len(machines) > 1, "%s", t.machine()) }},
	})
}
