// Package export writes stored runs as tables for Python, R and other tools: a table of runs with a row for each
// stored run, and a table of arrays with a row for each number. It is a separate package so that notebooks do not
// link Parquet.
package export

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/tabular"
)

// Format is the file format that [Write] uses.
type Format string

const (
	// CSV writes numbers with all their digits, times as in RFC 3339, and an empty field for a missing value.
	CSV Format = "csv"
	// Parquet writes typed values, and null for a missing value.
	Parquet Format = "parquet"
)

// Write writes the results of a report to FOLDER/STUDY-runs.FORMAT and FOLDER/STUDY-arrays.FORMAT, and returns their
// paths. Each file is replaced in one step. Both tables have the column run, the name of the stored record. The error
// for an unknown format wraps [experiments.ErrInput]; after any other error each file is unchanged or complete.
func Write(report *experiments.Report, folder string, format Format) (files []string, err error) {
	encode, known := map[Format]func(*bytes.Buffer, tabular.Table) error{CSV: tabular.WriteCSV,
		Parquet: tabular.WriteParquet}[format]
	if !known {
		return nil, errs.New(experiments.ErrInput, "experiments/export: format %q, want %q or %q", format, CSV, Parquet)
	}
	stored := slices.DeleteFunc(slices.Clone(report.Results), func(r experiments.Result) bool { return r.Record == nil })
	for name, t := range map[string]tabular.Table{"runs": runs(stored), "arrays": arrays(stored)} {
		var content bytes.Buffer
		file := filepath.Join(folder, fmt.Sprintf("%s-%s.%s", report.Study.Name, name, format))
		if err := encode(&content, t); err != nil {
			return files, fmt.Errorf("experiments/export: %s: %w", file, err)
		}
		if err := durable.WriteFile(file, content.Bytes()); err != nil {
			return files, fmt.Errorf("experiments/export: %w; the file is as it was: make room, or choose another "+
				"folder", err)
		}
		files = append(files, file)
	}
	slices.Sort(files)
	return files, nil
}

// runs returns a table with the columns of all runs, and a column for each key, score and version that occurs.
func runs(stored experiments.Results) tabular.Table {
	columns := []tabular.Column{tabular.Text("study"), tabular.Text("run"), tabular.Text("model"),
		tabular.Text("model_name"), tabular.Whole("seed"), tabular.Whole("fold"), tabular.Whole("parameters"),
		tabular.Text("failure"), tabular.Text("error"), tabular.Whole("best_epoch"), tabular.Text("stop"),
		tabular.Number("seconds"), tabular.Number("seconds_per_epoch"), tabular.Whole("peak_bytes"),
		tabular.Moment("ended"), tabular.Text("system"), tabular.Text("device"), tabular.Whole("cpus"),
		tabular.Whole("generation"), tabular.Text("backend"), tabular.Text("identity_hash"), tabular.Truth("shipped")}
	further := make(map[string]tabular.Kind)
	var runs []map[string]any
	for _, r := range stored {
		record := r.Record
		hash, _, _ := strings.Cut(record.Name(), "-")
		run := map[string]any{"study": record.Study, "run": record.Name(), "model": r.Model.ID,
			"model_name": r.Model.Name, "seed": int64(r.Seed), "fold": int64(r.Fold), "error": known(record.Error),
			"seconds": record.Seconds, "ended": record.Ended, "system": record.Machine.System,
			"device": record.Machine.Backend, "cpus": int64(record.Machine.CPUs),
			"generation": int64(record.Generation), "backend": record.Backend, "identity_hash": hash,
			"shipped": r.Shipped}
		fill(run, further, "key.", r.Keys, tabular.Text)
		fill(run, further, "version.", record.Versions, tabular.Text)
		if facts := record.Facts; facts != nil {
			fill(run, further, "score.", facts.Scores, tabular.Number)
			run["parameters"], run["failure"] = int64(facts.Parameters), known(facts.Failure)
			run["peak_bytes"] = known(facts.PeakBytes)
			if training := facts.Training; training != nil {
				run["best_epoch"], run["stop"] = known(int64(training.Best+1)), fmt.Sprint(training.Stop)
				run["seconds_per_epoch"] = training.SecondsPerEpoch
			}
		}
		runs = append(runs, run)
	}
	for _, name := range slices.Sorted(maps.Keys(further)) {
		columns = append(columns, further[name](name))
	}
	rows := make([][]any, len(runs))
	for i, run := range runs {
		for _, c := range columns {
			rows[i] = append(rows[i], run[c.Name])
		}
	}
	return tabular.Table{Columns: columns, Rows: slices.Values(rows)}
}

// known returns the value, or nil for the zero value.
func known[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}

// fill sets columns of a run, and records their kinds.
func fill[V any](run map[string]any, columns map[string]tabular.Kind, prefix string, values map[string]V,
	of tabular.Kind) {
	for name, value := range values {
		run[prefix+name], columns[prefix+name] = value, of
	}
}

// arrays returns a table with a row for each number in the arrays of the facts and, by epoch, of the training.
func arrays(stored experiments.Results) tabular.Table {
	columns := []tabular.Column{tabular.Text("run"), tabular.Text("array"), tabular.Whole("row"),
		tabular.Whole("column"), tabular.Number("value")}
	return tabular.Table{Columns: columns, Rows: func(yield func([]any) bool) {
		for _, r := range stored.Made() {
			facts, run := r.Facts(), r.Record.Name()
			all := make(map[string][][]float64)
			maps.Copy(all, facts.Arrays)
			if t := facts.Training; t != nil {
				all["training.train_loss"] = [][]float64{t.TrainLoss}
				all["training.validation_loss"] = [][]float64{t.ValidationLoss}
				all["training.gradient_norm"] = [][]float64{t.GradientNorm}
				all["training.largest_norm"] = [][]float64{t.LargestNorm}
				for name, counts := range map[string][]int{"tries": t.Tries, "rejected": t.Rejected, "retried": t.Retried,
					"skipped": t.Skipped} {
					row := make([]float64, len(counts))
					for i, n := range counts {
						row[i] = float64(n)
					}
					all["training."+name] = [][]float64{row}
				}
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
