package sir

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/xla"
)

// Milliseconds of an inference for each trajectory: in a batch of inferenceBatch, and for a single trajectory. A run
// of [InferenceID] has each by row, see timeOf. With the prefix firstCall it is the time of the first call, which
// compiles unless an earlier run in the same process did.
const (
	batchTime, singleTime = "ms in a batch", "ms alone"
	firstCall             = "first call: "
)

// untimed lists the rows whose inferences are not timed. The identity of a timing run lists the timed rows, so rows
// that were added later are left out, to keep the stored times.
var untimed = []string{catalogue.PreciseID, catalogue.AffineID, catalogue.SteadyID}

// timeOf returns the name of a time of a row.
func timeOf(row, name string) string { return row + ": " + name }

// inference returns the row that times the other rows.
func inference(rows []experiments.Row) experiments.Row {
	return experiments.Row{ID: catalogue.InferenceID, Name: "Time of inference",
		New: func(*xla.Backend) (experiments.Learner, error) {
			return nil, fmt.Errorf("experiments: %s trains nothing", catalogue.InferenceID)
		},
		Settings: func() (any, error) {
			settings := make(map[string]any)
			for _, row := range rows {
				var err error
				if settings[row.ID], err = row.Settings(); err != nil {
					return nil, err
				}
			}
			return settings, nil
		}}
}

// repeats is the number of timed inferences after the first.
const repeats = 5

// clock times inferences of a batch and of its first trajectory, from trajectories to logits, all rows in turn.
func (s sirRun) clock(ctx context.Context, m *experiments.RunContext, seed uint64, windows []dyngraph.Window) (
	*experiments.Facts, error) {
	facts := &experiments.Facts{Scores: make(map[string]float64), Arrays: make(map[string][][]float64)}
	batch := filled(windows)
	learners := make([]experiments.Learner, len(s.timed))
	for i, row := range s.timed {
		var err error
		if learners[i], err = m.LearnerOf(row, seed); err != nil {
			return nil, err
		}
	}
	for _, c := range []struct {
		name    string
		windows []dyngraph.Window
	}{{batchTime, batch}, {singleTime, batch[:1]}} {
		times := make(map[string][]float64)
		for range 1 + repeats {
			for i, row := range s.timed {
				began := time.Now()
				if _, err := learners[i].Forecast(ctx, c.windows); err != nil {
					return nil, fmt.Errorf("experiments: inference of %s: %w", row.Name, err)
				}
				times[row.ID] = append(times[row.ID], 1e3*time.Since(began).Seconds()/float64(len(c.windows)))
			}
		}
		for id, all := range times {
			name := timeOf(id, c.name)
			facts.Scores[firstCall+name], facts.Arrays[name] = all[0], [][]float64{all[1:]}
			facts.Scores[name] = stat.Quantile(0.5, stat.Empirical, slices.Sorted(slices.Values(all[1:])), nil)
		}
	}
	return facts, nil
}

// timed returns results of rows with their times in place of their scores. The times come from the run of
// [InferenceID] on the same number of observations with the same seed.
func timed(rows, clocks experiments.Results) experiments.Results {
	rows = slices.Clone(rows)
	for i, row := range rows {
		k := slices.IndexFunc(clocks, func(c experiments.Result) bool {
			return c.Seed == row.Seed && c.Key("observations") == row.Key("observations")
		})
		trained := row.Record
		if rows[i].Record, rows[i].Stale, rows[i].OtherBackend, rows[i].Shipped = nil, false, false, false; k < 0 {
			continue
		}
		clock := clocks[k]
		rows[i].Stale, rows[i].OtherBackend, rows[i].Shipped = clock.Stale, clock.OtherBackend, clock.Shipped
		if clock.Record == nil {
			continue
		}
		record := *clock.Record
		if rows[i].Record = &record; record.Facts == nil {
			continue
		}
		facts := experiments.Facts{Failure: record.Facts.Failure, Scores: make(map[string]float64)}
		if trained != nil && trained.Facts != nil {
			facts.Parameters, facts.Training, facts.PeakBytes = trained.Facts.Parameters, trained.Facts.Training,
				trained.Facts.PeakBytes
		}
		for _, name := range []string{batchTime, singleTime} {
			if ms, ok := record.Facts.Scores[timeOf(row.Model.ID, name)]; ok {
				facts.Scores[name] = ms
			} else if facts.Failure == "" {
				rows[i].Record = nil
			}
		}
		record.Facts = &facts
	}
	return rows
}
