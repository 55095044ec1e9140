package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// Both programs begin with the same parameters on the same data, so their first losses agree: the tables are of one
// world. Later losses differ, as rounding changes the steps of the solver.
func TestTablesHaveTheSameFirstLoss(t *testing.T) {
	ours, err := filepath.Glob("*-ours.csv")
	if err != nil || len(ours) == 0 {
		t.Fatalf("tables %q, error %v, want tables", ours, err)
	}
	for _, path := range ours {
		published, err := readTable(strings.Replace(path, "-ours", "", 1))
		if err != nil {
			t.Fatal(err)
		}
		own, err := readTable(path)
		if err != nil {
			t.Fatal(err)
		}
		got, want := own["train"][0], published["train"][0]
		if !(math.Abs(got-want) < 1e-3*want) {
			t.Errorf("%s: first loss %g, want %g", path, got, want)
		}
	}
}

func TestTableIsReadAsWritten(t *testing.T) {
	written := table{"train": {2, math.NaN()}, "gradient_norm": {3, math.NaN()}, "validation": {math.NaN(), 4},
		"test": {math.NaN(), 5}, "seconds": {6, 7}}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := written.write(path); err != nil {
		t.Fatal(err)
	}
	read, err := readTable(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range columns {
		for i, want := range written[column] {
			if got := read[column][i]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s of epoch %d is %g, want %g", column, i+1, got, want)
			}
		}
	}
}
