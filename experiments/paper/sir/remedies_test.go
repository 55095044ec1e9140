package sir

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

// Each remedy has a row of its own for both models, with another identity, and the same number of optimiser steps.
func TestRemedies(t *testing.T) {
	size := sirSizes(experiments.Medium)
	rows := size.rows(sampling{observations: 20, noise: 0.1})
	at := func(id string) experiments.Row {
		i := slices.IndexFunc(rows, func(r experiments.Row) bool { return r.ID == id })
		if i < 0 {
			t.Fatalf("no row %s", id)
		}
		return rows[i]
	}
	seen := make(map[string]string)
	for _, base := range []string{catalogue.AffineID, "dcrnn"} {
		plain := at(base)
		for _, r := range remedies {
			row, identity := at(base+r.ending), map[string]any{}
			if err := row.Identity(identity); err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(identity)
			if other, found := seen[text]; found && r.spoil == nil {
				t.Errorf("%s and %s are the same", row.ID, other)
			}
			seen[text] = row.ID
			batches := 1
			if r.spoil != nil {
				batches = copies
			}
			if row.Train.Epochs*batches != plain.Train.Epochs {
				t.Errorf("%s: %d epochs of %d batches, %s has %d", row.ID, row.Train.Epochs, batches, base, plain.Train.Epochs)
			}
			if !isRemedied(row.ID) || isDiscrete(row.ID) != (base == "dcrnn") {
				t.Errorf("%s is not known as a row with a remedy", row.ID)
			}
		}
	}
	for _, other := range []sampling{{observations: 20, shape: 3}, {observations: 40}} {
		if slices.ContainsFunc(size.rows(other), func(r experiments.Row) bool { return isRemedied(r.ID) }) {
			t.Errorf("remedies without noise at %+v", other)
		}
	}
}

// Copies differ from each other and from the trajectories, which stay as they are.
func TestCopies(t *testing.T) {
	set, err := synthetic.GenerateClasses(context.Background(), synthetic.Classes{Tasks: synthetic.SIRClasses(),
		Config: synthetic.Config{Family: graphs.Grid{}, Nodes: 9, Graphs: 2, Observations: 20, Horizon: 1, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	windows, err := set.Windows()
	if err != nil {
		t.Fatal(err)
	}
	last := func(w dyngraph.Window) []float64 { return w.Series.Features[19] }
	kept := slices.Clone(last(windows[0]))
	if got := remedyOf("peng").training(windows, 0); &got[0] != &windows[0] {
		t.Error("a row without a remedy has other windows")
	}
	for _, r := range remedies {
		all := r.training(windows, 5)
		if r.spoil == nil {
			continue
		}
		if len(all) != copies*len(windows) || !slices.Equal(last(windows[0]), kept) {
			t.Fatalf("%s: %d windows of %d; the first became %g, was %g", r.name, len(all), len(windows), last(windows[0]), kept)
		}
		if a, b := last(all[0]), last(all[len(windows)]); slices.EqualFunc(a, b, func(x, y float64) bool {
			return x == y || math.IsNaN(x) && math.IsNaN(y)
		}) {
			t.Errorf("%s: two copies are the same: %g", r.name, a)
		}
		for _, w := range all {
			if slices.ContainsFunc(w.Series.Features[0], math.IsNaN) {
				t.Errorf("%s: first states are missing", r.name)
			}
			if err := w.Validate(); err != nil {
				t.Error(err)
			}
		}
		if again := r.training(windows, 5); !slices.EqualFunc(last(again[3]), last(all[3]), func(x, y float64) bool {
			return x == y || math.IsNaN(x) && math.IsNaN(y)
		}) {
			t.Errorf("%s: another draw from the same seed", r.name)
		}
	}
}
