package export

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/peng-cde/pengcde-go/experiments"
)

var ended = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// report returns a report with a trained run, a diverged run, a run with an error, a shipped run, and a missing run.
func report() *experiments.Report {
	run := func(seed uint64) experiments.Run {
		return experiments.Run{Model: experiments.Row{ID: "peng", Name: "PENG, \"all\"\nmaps"}, Seed: seed, Fold: 2,
			Keys: map[string]string{"split": "random", "family": "grid"}}
	}
	record := func(facts *experiments.Facts) *experiments.Record {
		return &experiments.Record{Study: "waves", Identity: json.RawMessage(`{"seed":1}`), Generation: 2,
			Backend: "xla:cpu", Facts: facts, Seconds: 1. / 3, Ended: ended,
			Machine:  experiments.Machine{System: "linux/amd64", Backend: "cpu", CPUs: 8},
			Versions: map[string]string{"go": "go1.26"}}
	}
	failed := record(nil)
	failed.Error, failed.Versions = "no memory", map[string]string{"gomlx": "v0.28.3"}
	return &experiments.Report{Study: experiments.Study{Name: "waves"}, Results: experiments.Results{
		{Run: run(0), Record: record(&experiments.Facts{Parameters: 17, PeakBytes: 1 << 40,
			Scores: map[string]float64{"test": 0.1, "test*": 1e-300},
			Arrays: map[string][][]float64{"a": {{1, 1. / 3}, {}, {-0.5}}, "b": {{2}}},
			Training: &experiments.Training{TrainLoss: []float64{3, 2}, ValidationLoss: []float64{0, 4}, Best: 1,
				SecondsPerEpoch: 0.25}})},
		{Run: run(1), Record: record(&experiments.Facts{Failure: "the loss is not finite"})},
		{Run: run(2), Record: failed},
		{Run: run(3), Shipped: true, Record: record(&experiments.Facts{Scores: map[string]float64{"validation": 2}})},
		{Run: run(4)},
	}}
}

// Expected text of the first run, and of cells of the other runs.
var (
	first = map[string]string{"study": "waves", "model": "peng", "model_name": "PENG, \"all\"\nmaps", "seed": "0",
		"fold": "2", "parameters": "17", "failure": "", "error": "", "best_epoch": "2", "seconds": "0.3333333333333333",
		"seconds_per_epoch": "0.25", "peak_bytes": "1099511627776", "ended": "2026-03-04T05:06:07Z",
		"system": "linux/amd64", "device": "cpu", "cpus": "8", "generation": "2", "backend": "xla:cpu",
		"shipped": "false", "key.split": "random", "key.family": "grid", "score.test": "0.1", "score.test*": "1e-300",
		"score.validation": "", "version.go": "go1.26", "version.gomlx": ""}
	others = []map[string]string{
		{"seed": "1", "failure": "the loss is not finite", "score.test": "", "parameters": "0", "peak_bytes": ""},
		{"seed": "2", "error": "no memory", "parameters": "", "version.go": "", "version.gomlx": "v0.28.3"},
		{"seed": "3", "shipped": "true", "score.validation": "2", "best_epoch": "", "seconds_per_epoch": ""},
	}
	numbers = [][]string{{"a", "0", "0", "1"}, {"a", "0", "1", "0.3333333333333333"}, {"a", "2", "0", "-0.5"},
		{"b", "0", "0", "2"}, {"training.train_loss", "0", "0", "3"}, {"training.train_loss", "0", "1", "2"},
		{"training.validation_loss", "0", "0", "0"}, {"training.validation_loss", "0", "1", "4"}}
)

// TestWrite reads both formats back as text and compares all cells.
func TestWrite(t *testing.T) {
	for format, read := range map[Format]func(*testing.T, string) [][]string{CSV: readCSV, Parquet: readParquet} {
		folder := filepath.Join(t.TempDir(), "tables")
		files, err := Write(report(), folder, format)
		want := []string{filepath.Join(folder, "waves-arrays."+string(format)),
			filepath.Join(folder, "waves-runs."+string(format))}
		if err != nil || !slices.Equal(files, want) {
			t.Fatalf("%v, %v, want %v", files, err, want)
		}
		runs := read(t, files[1])
		if len(runs) != 5 || !slices.Equal(runs[0][:3], []string{"study", "run", "model"}) {
			t.Fatalf("%s: %d lines from %q, want a head and 4 runs", format, len(runs), runs[0])
		}
		for i, want := range append([]map[string]string{first}, others...) {
			got := make(map[string]string)
			for j, name := range runs[0] {
				if _, known := want[name]; known {
					got[name] = runs[i+1][j]
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, run %d (-want +got):\n%s", format, i, diff)
			}
		}
		name := report().Results[0].Record.Name()
		hash := runs[1][slices.Index(runs[0], "identity_hash")]
		if runs[1][1] != name || len(hash) != 16 || !strings.HasPrefix(name, hash+"-g2-xla-cpu") {
			t.Errorf("%s: run %s with hash %s, want %s", format, runs[1][1], hash, name)
		}
		wantArrays := [][]string{{"run", "array", "row", "column", "value"}}
		for _, line := range numbers {
			wantArrays = append(wantArrays, append([]string{name}, line...))
		}
		if diff := cmp.Diff(wantArrays, read(t, files[0])); diff != "" {
			t.Errorf("%s, arrays (-want +got):\n%s", format, diff)
		}
	}
}

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func readParquet(t *testing.T, path string) (lines [][]string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := parquet.NewReader(file)
	defer r.Close()
	var head []string
	for _, column := range r.Schema().Columns() {
		head = append(head, column[0])
	}
	lines = append(lines, head)
	rows := make([]parquet.Row, 1)
	for {
		n, err := r.ReadRows(rows)
		if n == 1 {
			line := make([]string, len(head))
			for i, value := range rows[0] {
				switch {
				case value.IsNull():
				case head[i] == "ended":
					line[i] = time.UnixMicro(value.Int64()).UTC().Format(time.RFC3339)
				case value.Kind() == parquet.Double:
					line[i] = strconv.FormatFloat(value.Double(), 'g', -1, 64)
				default:
					line[i] = value.String()
				}
			}
			lines = append(lines, line)
		}
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	folder := t.TempDir()
	if _, err := Write(report(), folder, "xlsx"); !errors.Is(err, experiments.ErrInput) {
		t.Errorf("format: %v, want ErrInput", err)
	}
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(report(), filepath.Join(file, "below"), CSV); err == nil {
		t.Error("written below a file")
	}
	if err := os.MkdirAll(filepath.Join(folder, "waves-runs.csv", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(report(), folder, CSV); err == nil || !strings.Contains(err.Error(), "waves-runs.csv") {
		t.Errorf("%v, want the file that is in the way", err)
	}
	empty := &experiments.Report{Study: experiments.Study{Name: "none"}}
	for _, format := range []Format{CSV, Parquet} {
		if files, err := Write(empty, folder, format); err != nil || len(files) != 2 {
			t.Errorf("%s of nothing: %v, %v", format, files, err)
		}
	}
}
