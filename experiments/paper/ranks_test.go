package paper

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// drawBlocks has a model that is better by so much, two that are not, and one without results.
func drawBlocks(count int, better float64) Blocks {
	b := Blocks{Matrix: experiments.Matrix{Models: []string{"ridge", "peng", "gn-ode", "dcrnn"}}, Each: "made up",
		Names: map[string]string{"ridge": "Ridge", "peng": "PENG-CDE", "gn-ode": "GN-ODE", "dcrnn": "DCRNN"}}
	rng := rand.New(rand.NewPCG(1, 2))
	for range count {
		block := rng.NormFloat64()
		b.Values = append(b.Values, []float64{block + rng.NormFloat64(), block + rng.NormFloat64() - better,
			block + rng.NormFloat64(), math.NaN()})
	}
	return b
}

func TestCriticalDifference(t *testing.T) {
	says := func(b Blocks, wants ...string) {
		t.Helper()
		f, err := CriticalDifference("Errors", b)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(f.Alt(), want) {
				t.Errorf("the diagram does not say %q: %s", want, f.Alt())
			}
		}
	}
	b := drawBlocks(20, 4)
	b.Values[3][0], b.Values[5][3] = math.NaN(), 0
	b.Dependence = "They depend on each other."
	says(b, "Mean ranks of 3 models, the best first: PENG-CDE 1.", "Not told apart: Ridge / GN-ODE", "19 blocks: made up",
		"p < 0.001", "missing or diverged: 1.", "too few blocks: DCRNN (1)", "They depend on each other")
	says(drawBlocks(20, 0), "No diagram: over 20 blocks Friedman's test does not tell the 3 models apart (p = 0.")

	few, fewer := drawBlocks(1, 4), drawBlocks(20, 4)
	for i := range fewer.Values {
		fewer.Values[i][i%3] = math.NaN()
	}
	for name, b := range map[string]Blocks{"one block": few, "no complete block": fewer, "nothing": {}} {
		if _, err := CriticalDifference("Errors", b); !errors.Is(err, experiments.ErrNotStored) {
			t.Errorf("%s: error %v, want ErrNotStored", name, err)
		}
	}
	infinite := drawBlocks(5, 4)
	infinite.Values[0][0] = math.Inf(1)
	if _, err := CriticalDifference("Errors", infinite); err == nil || errors.Is(err, experiments.ErrNotStored) {
		t.Errorf("an infinite error: %v", err)
	}
}

// The blocks of a random split are its seeds, also where some are missing, and of others the tested windows; rows of
// published defects and tuned ones are left out.
func TestForecastBlocks(t *testing.T) {
	place := &Forecasting{Study: experiments.Study{Name: "epidemics"}, Country: "italy"}
	at := func(id string, of []int, errors []float64, runs ...experiments.Result) row {
		return row{setting: setting{Row: experiments.Row{ID: id, Name: strings.ToUpper(id)}}, of: of, errors: errors,
			Results: runs}
	}
	windows := forecastBlocks([]comparison{{place: place, split: PurgedRotation, rows: []row{
		at("peng", []int{4, 9}, []float64{1, 2}), at("peng"+tunedEnding, []int{4, 9}, []float64{0, 0}), at("ridge", nil, nil),
		at("zero", []int{9, 14}, []float64{5, 6})}}})
	if got := windows.Matrix.Blocks; !slices.Equal(got, []string{"italy, purged-rotation, 4", "italy, purged-rotation, 9",
		"italy, purged-rotation, 14"}) {
		t.Errorf("blocks %q", got)
	}
	if got := windows.Models; !slices.Equal(got, []string{"peng", "ridge", "zero"}) || windows.Names["peng"] != "PENG" {
		t.Errorf("models %q with names %v", got, windows.Names)
	}
	nan := math.NaN()
	for i, want := range [][]float64{{1, nan, nan}, {2, nan, 5}, {nan, nan, 6}} {
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !slices.EqualFunc(windows.Values[i], want, same) {
			t.Errorf("block %d: %v, want %v", i, windows.Values[i], want)
		}
	}
	run := func(seed uint64, errors ...float64) experiments.Result {
		r := experiments.Result{Run: experiments.Run{Seed: seed}}
		if len(errors) > 0 {
			r.Record = &experiments.Record{Facts: &experiments.Facts{Scores: map[string]float64{"test": errors[0]}}}
		}
		return r
	}
	seeds := forecastBlocks([]comparison{{place: place, split: Random, rows: []row{
		at("peng", nil, nil, run(0, 3), run(1)), at("zero", []int{0, 1}, []float64{7, 8}, run(0, 7), run(1, 8))}}})
	if v := seeds.Values; len(v) != 2 || v[0][0] != 3 || v[0][1] != 7 || !math.IsNaN(v[1][0]) || v[1][1] != 8 {
		t.Errorf("seeds: %v of %q", v, seeds.Matrix.Blocks)
	}
}

// Runs of the simulated worlds have a diagram of all dynamics and one of each; runs of a quick profile have none.
func TestWorldsAreRanked(t *testing.T) {
	r := worldsOf(Table1(), func(dynamics, id string, block int) float64 {
		return float64(len(id)) * (1 + 0.1*float64((block*len(dynamics)+len(id))%7))
	})
	diagrams := func() (titles []string) {
		items, err := r.Study.Show(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			if f, ok := item.(*figures.Figure); ok {
				titles = append(titles, f.Title())
			}
		}
		return titles
	}
	if got := diagrams(); len(got) != 3 || !strings.Contains(got[0], "all dynamics") || !strings.Contains(got[1], "heat") {
		t.Errorf("diagrams %q", got)
	}
	r.Profile = experiments.Quick
	if got := diagrams(); len(got) != 0 {
		t.Errorf("quick runs are ranked: %q", got)
	}
}

// The tennis series is ranked together with the series of England once both have runs, and not under that name before.
func TestSeriesAreRankedTogether(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	study := Tennis()
	r, err := study.Stored(context.Background(), experiments.Options{Profile: experiments.Medium, Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	all, err := comparisons(r)
	if err != nil {
		t.Fatal(err)
	}
	together, title, err := withOther(r, all)
	if err != nil || title != "twitter-tennis and epidemics, england" {
		t.Fatalf("%q, %v", title, err)
	}
	places := make(map[*Forecasting]bool)
	for _, c := range together {
		places[c.place] = true
	}
	if len(places) != 2 || len(together) <= len(all) {
		t.Errorf("%d comparisons of %d series, want more than %d of 2", len(together), len(places), len(all))
	}
	if drawn := forecastRanks(r, all); drawn.err != nil || len(drawn.all) != 0 {
		t.Errorf("%d diagrams of nothing, %v", len(drawn.all), drawn.err)
	}
}
