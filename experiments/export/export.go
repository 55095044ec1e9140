// Package export writes stored runs as tables for Python, R and others: one of runs, with a row for each that is
// stored, and one of arrays, with a row for each number. It is a package of its own so that notebooks do not link
// Parquet.
package export

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/durable"
)

// Format is that of the files.
type Format string

const (
	// CSV has numbers with all their digits, times as in RFC 3339, and nothing where a value is missing.
	CSV Format = "csv"
	// Parquet has the types of the values, and null where one is missing.
	Parquet Format = "parquet"
)

// column is one of a table. Its kind is a value of the type that it holds: string, int64, float64, bool or time.Time.
type column struct {
	name string
	kind any
}

// table is what is written to a file. Rows have a value for each column, nil where it is missing.
type table struct {
	columns []column
	rows    iter.Seq[[]any]
}

// Write makes FOLDER/STUDY-runs.FORMAT and FOLDER/STUDY-arrays.FORMAT of the results of a report, replacing each in
// one step, and returns their paths. Column run is in both tables, the name of the stored record. An unknown format
// wraps [experiments.ErrInput]; after another error files are as they were or complete.
func Write(report *experiments.Report, folder string, format Format) (files []string, err error) {
	encode, known := map[Format]func(*bytes.Buffer, table) error{CSV: writeCSV, Parquet: writeParquet}[format]
	if !known {
		return nil, fmt.Errorf("experiments/export: format %q, want %q or %q: %w", format, CSV, Parquet,
			experiments.ErrInput)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("experiments/export: %w", err)
	}
	var stored experiments.Results
	for _, result := range report.Results {
		if result.Record != nil {
			stored = append(stored, result)
		}
	}
	for name, t := range map[string]table{"runs": runs(stored), "arrays": arrays(stored)} {
		var content bytes.Buffer
		file := filepath.Join(folder, fmt.Sprintf("%s-%s.%s", report.Study.Name, name, format))
		if err := encode(&content, t); err != nil {
			return files, fmt.Errorf("experiments/export: %s: %w", file, err)
		}
		if err := durable.WriteFile(file, content.Bytes()); err != nil {
			return files, fmt.Errorf("experiments/export: %w; the file is as it was: make room, or choose another folder",
				err)
		}
		files = append(files, file)
	}
	slices.Sort(files)
	return files, nil
}

// runs has the columns that every run has, and one for each key, score and version that some run has.
func runs(stored experiments.Results) table {
	keys, scores, versions := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for _, r := range stored {
		note(keys, r.Keys)
		note(versions, r.Record.Versions)
		if r.Record.Facts != nil {
			note(scores, r.Facts().Scores)
		}
	}
	t := table{columns: []column{{"study", ""}, {"run", ""}, {"model", ""}, {"model_name", ""}, {"seed", int64(0)},
		{"fold", int64(0)}, {"parameters", int64(0)}, {"failure", ""}, {"error", ""}, {"best_epoch", int64(0)},
		{"stop", ""}, {"seconds", 0.}, {"seconds_per_epoch", 0.}, {"peak_bytes", int64(0)}, {"ended", time.Time{}},
		{"system", ""}, {"device", ""}, {"cpus", int64(0)}, {"generation", int64(0)}, {"backend", ""},
		{"identity_hash", ""}, {"shipped", false}}}
	t.columns = add(add(add(t.columns, "key.", keys, ""), "score.", scores, 0.), "version.", versions, "")
	t.rows = func(yield func([]any) bool) {
		for _, r := range stored {
			record, facts := r.Record, r.Record.Facts
			name := record.Name()
			hash, _, _ := strings.Cut(name, "-")
			row := map[string]any{"study": record.Study, "run": name, "model": r.Model.ID, "model_name": r.Model.Name,
				"seed": int64(r.Seed), "fold": int64(r.Fold), "seconds": record.Seconds, "ended": record.Ended,
				"system": record.Machine.System, "device": record.Machine.Backend, "cpus": int64(record.Machine.CPUs),
				"generation": int64(record.Generation), "backend": record.Backend, "identity_hash": hash,
				"shipped": r.Shipped}
			fill(row, "key.", r.Keys)
			fill(row, "version.", record.Versions)
			if record.Error != "" {
				row["error"] = record.Error
			}
			if facts != nil {
				row["parameters"] = int64(facts.Parameters)
				fill(row, "score.", facts.Scores)
				if facts.Failure != "" {
					row["failure"] = facts.Failure
				}
				if facts.PeakBytes > 0 {
					row["peak_bytes"] = facts.PeakBytes
				}
				if training := facts.Training; training != nil {
					row["best_epoch"], row["stop"] = int64(training.Best), fmt.Sprint(training.Stop)
					row["seconds_per_epoch"] = training.SecondsPerEpoch
				}
			}
			values := make([]any, len(t.columns))
			for i, c := range t.columns {
				values[i] = row[c.name]
			}
			if !yield(values) {
				return
			}
		}
	}
	return t
}

func note[V any](names map[string]bool, some map[string]V) {
	for name := range some {
		names[name] = true
	}
}

func add(columns []column, prefix string, names map[string]bool, kind any) []column {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		columns = append(columns, column{prefix + name, kind})
	}
	return columns
}

func fill[V any](row map[string]any, prefix string, values map[string]V) {
	for name, value := range values {
		row[prefix+name] = value
	}
}

// arrays are those of the facts and, by epoch, of the training.
func arrays(stored experiments.Results) table {
	columns := []column{{"run", ""}, {"array", ""}, {"row", int64(0)}, {"column", int64(0)}, {"value", 0.}}
	return table{columns, func(yield func([]any) bool) {
		for _, r := range stored.Made() {
			facts, run := r.Facts(), r.Record.Name()
			all := maps.Clone(facts.Arrays)
			if t := facts.Training; t != nil {
				if all == nil {
					all = make(map[string][][]float64)
				}
				all["training.train_loss"] = [][]float64{t.TrainLoss}
				all["training.validation_loss"] = [][]float64{t.ValidationLoss}
				all["training.gradient_norm"] = [][]float64{t.GradientNorm}
			}
			for _, name := range slices.Sorted(maps.Keys(all)) {
				for i, row := range all[name] {
					for j, value := range row {
						if !yield([]any{run, name, int64(i), int64(j), value}) {
							return
						}
					}
				}
			}
		}
	}}
}
