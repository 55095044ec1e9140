package bench

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Measure trains on a case in this process, without the peer, and returns the median of so many epochs after the first,
// which compiles. Unlike that of a [Race], its row has no inference and no steps, and its memory is that of the whole
// process.
func Measure(ctx context.Context, backend *xla.Backend, s Setting, epochs int) (Row, error) {
	runtime.GC()
	resident.Reset()
	first, rest, err := secondsPerEpoch(ctx, backend, s, 1, epochs, func(runs []pengcde.SeedRun) (*train.Report, error) {
		return runs[0].Model.Fit(ctx, runs[0].Training, nil, runs[0].Config)
	})
	if err != nil {
		return Row{}, err
	}
	return Row{Model: cmp.Or(s.Field, "peng"), N: s.Nodes, Pairs: epochs, Ours: rest.Median,
		OursCompile: max(first-rest.Median, 0), OursBytes: resident.Peak(), origin: here(versions(backend))}, nil
}

// secondsPerEpoch trains one model more for each seed, and returns the seconds of the first epoch and of the others.
func secondsPerEpoch(ctx context.Context, backend *xla.Backend, s Setting, seeds, epochs int,
	fit func([]pengcde.SeedRun) (*train.Report, error)) (first float64, rest spread, err error) {
	if seeds < 1 || epochs < 1 {
		return 0, rest, fmt.Errorf("bench: %d seeds for %d epochs, want at least 1 of each: %w", seeds, epochs,
			pengcde.ErrInput)
	}
	runs := make([]pengcde.SeedRun, seeds)
	for i := range runs {
		c, err := newCase(ctx, s)
		if err != nil {
			return 0, rest, err
		}
		model, err := pengcde.New(backend, c.config)
		if err != nil {
			return 0, rest, err
		}
		defer model.Close()
		c.training.Epochs = 1 + epochs
		runs[i] = pengcde.SeedRun{Model: model, Training: c.windows, Config: c.training}
		s.Seed++
	}
	report, err := fit(runs)
	if err != nil {
		return 0, rest, err
	}
	var seconds []float64
	for _, e := range report.Epochs {
		seconds = append(seconds, e.Seconds)
	}
	return seconds[0], spreadOf(seconds[1:]), nil
}

// Together is a measurement of seeds that train in one program, by [pengcde.FitSeeds].
type Together struct {
	Model string `json:"model"`
	// N is the number of nodes asked for, Seeds that of models, each with data and parameters of its own.
	N     int `json:"n"`
	Seeds int `json:"seeds"`
	// SeedEpoch is the seconds of an epoch divided by Seeds: the median, the least and the largest of Epochs epochs.
	SeedEpoch spread `json:"seed_epoch_s"`
	Epochs    int    `json:"epochs"`
	// Compile is the time that compiling takes, in seconds, for all seeds.
	Compile float64 `json:"compile_s"`
	origin
}

// MeasureTogether trains so many seeds in this process and times the epochs after the first, which compiles.
func MeasureTogether(ctx context.Context, backend *xla.Backend, s Setting, seeds, epochs int) (Together, error) {
	first, rest, err := secondsPerEpoch(ctx, backend, s, seeds, epochs, func(runs []pengcde.SeedRun) (*train.Report, error) {
		outcomes, err := pengcde.FitSeeds(ctx, runs)
		if err != nil {
			return nil, err
		}
		return outcomes[seeds-1].Report, nil // of the last to end an epoch
	})
	if err != nil {
		return Together{}, err
	}
	per := float64(seeds)
	return Together{Model: cmp.Or(s.Field, "peng"), N: s.Nodes, Seeds: seeds, Epochs: epochs,
		SeedEpoch: spread{rest.Median / per, rest.Low / per, rest.High / per},
		Compile:   max(first-rest.Median, 0), origin: here(versions(backend))}, nil
}

// PutTogether adds a measurement in the place of one of the same model, size, seeds, machine and backend.
func (f *File) PutTogether(t Together) {
	f.Together = put(f.Together, t, func(other Together) bool {
		return other.Model == t.Model && other.N == t.N && other.Seeds == t.Seeds && other.place() == t.place()
	})
}

// TogetherTable shows the measurements of seeds that train in one program, beside what one seed takes alone.
func (f File) TogetherTable() *figures.Table {
	rows := slices.SortedStableFunc(slices.Values(f.Together), func(a, b Together) int {
		return cmp.Or(cmp.Compare(a.place(), b.place()), cmp.Compare(a.Model, b.Model), cmp.Compare(a.N, b.N),
			cmp.Compare(a.Seeds, b.Seeds))
	})
	table := &figures.Table{Title: "Seeds in one program",
		Columns: []figures.Column{{Title: "model"}, {Title: "n"}, {Title: "seeds"},
			{Title: "s per seed and epoch", Decimals: 2}, {Title: "least to largest"}, {Title: "of one alone"},
			{Title: "compiling, s", Decimals: 1}}}
	places := distinct(rows, Together.place)
	if len(places) > 1 {
		table.Columns = append(table.Columns, figures.Column{Title: "machine"})
	}
	for _, t := range rows {
		share := figures.Missing()
		for _, one := range rows {
			if one.Seeds == 1 && one.Model == t.Model && one.N == t.N && one.place() == t.place() {
				share = figures.Text(fmt.Sprintf("%.2f", t.SeedEpoch.Median/one.SeedEpoch.Median))
			}
		}
		cells := []figures.Cell{figures.Text(modelName(t.Model)), figures.Number(float64(t.N)),
			figures.Number(float64(t.Seeds)), figures.Number(t.SeedEpoch.Median),
			textIf(true, "%.2f to %.2f", t.SeedEpoch.Low, t.SeedEpoch.High), share, figures.Number(t.Compile)}
		if len(places) > 1 {
			cells = append(cells, figures.Text(t.place()))
		}
		table.Rows = append(table.Rows, cells)
	}
	table.Notes = places
	return table
}
