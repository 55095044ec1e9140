package bench

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
)

func TestMeasureTogether(t *testing.T) {
	s := Setting{Field: "original", Nodes: 16, Seed: testSeed}
	got, err := MeasureTogether(t.Context(), xlatest.Go(t), s, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got.Model != s.Field || got.N != 16 || got.Seeds != 2 || got.Epochs != 2 || got.Machine == "" {
		t.Errorf("measured %+v", got)
	}
	if e := got.SeedEpoch; !(0 < e.Low && e.Low <= e.Median && e.Median <= e.High) {
		t.Errorf("seconds %+v", e)
	}
	if _, err := MeasureTogether(t.Context(), xlatest.Go(t), s, 0, 1); !errors.Is(err, pengcde.ErrInput) {
		t.Errorf("no seeds: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := MeasureTogether(ended, xlatest.Go(t), s, 2, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestTogetherIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.json")
	put := func(n, seeds int, median float64, machine string) {
		t.Helper()
		measured := Together{Model: "peng", N: n, Seeds: seeds, SeedEpoch: spread{median, median, median}, Epochs: 3,
			origin: origin{Machine: machine}}
		if err := Update(path, func(f *File) { f.PutTogether(measured) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := Update(path, func(f *File) { f.Put(Row{Model: "peng", N: 16}) }); err != nil {
		t.Fatal(err)
	}
	put(100, 4, 0.9, "here")
	put(100, 1, 2, "there")
	put(100, 1, 1.5, "here")
	put(100, 1, 1, "here") // replaces the entry before
	f, err := ReadFile(path)
	if err != nil || len(f.Together) != 3 || len(f.Rows) != 1 {
		t.Fatalf("%d measurements beside %d rows, %v", len(f.Together), len(f.Rows), err)
	}
	table, err := f.TogetherTable().Markdown()
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.Join(strings.Fields(table), " ")
	for _, want := range []string{"| 100 | 1 | 1.00 | 1.00 to 1.00 | 1.00 | 0.0 | here |",
		"| 100 | 4 | 0.90 | 0.90 to 0.90 | 0.90 | 0.0 | here |",
		"| 100 | 1 | 2.00 | 2.00 to 2.00 | 1.00 | 0.0 | there |"} {
		if !strings.Contains(plain, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}
