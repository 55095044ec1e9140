package series

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// writeCountry writes a file in the format of england_covid.json: three regions, two of them with edges.
func writeCountry(t *testing.T, name string, days int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	index, weights, cases := map[string]any{}, map[string]any{}, [][]int{}
	for day := range days {
		index[fmt.Sprint(day)], weights[fmt.Sprint(day)] = [][2]int{{0, 1}, {1, 0}, {1, 1}}, []int{50 + day, 40, 900}
		cases = append(cases, []int{rng.IntN(30), rng.IntN(20), rng.IntN(10)})
	}
	content, err := json.Marshal(map[string]any{"time_periods": days, "y": cases,
		"names":        []string{"north", "south", "isle"},
		"edge_mapping": map[string]any{"edge_index": index, "edge_weight": weights}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Your own file is another country with the same rows; its simple forecasts are made and shown.
func TestCountryOfOnesOwn(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	o := experiments.Options{Fresh: true, Profile: experiments.Medium,
		Data: []string{writeCountry(t, "wales_covid.json", 61)},
		Models: []string{"zero", "training-mean", "last-visible", "recent-mean", "ridge", "ridge-chosen-penalty",
			"ridge-with-neighbours", "linear-alone"},
		Only: map[string][]string{"country": {"wales"}, "split": {string(RollingOrigin)}}}
	r, err := Epidemics().Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if stored, planned := r.Count(); stored != planned || planned == 0 {
		t.Errorf("%d of %d runs stored", stored, planned)
	}
	if _, err := r.Items(); err != nil {
		t.Error(err)
	}
	var shown []figures.Item
	for _, split := range []Split{Random, RollingOrigin} {
		some, err := Epidemics().Own(o.Data[0]).SplitItems(r, split)
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, some...)
	}
	all, err := Epidemics().AllItems(r, RollingOrigin)
	if err != nil || len(shown) != 4 || len(all) != 1 {
		t.Errorf("%d items of splits, %d of all countries (%v), want a table of the split that was not asked for, a table "+
			"and two figures of the other, and a slider of differences", len(shown), len(all), err)
	}
	says, matrix, _, err := Epidemics().Verdict(r)
	if err != nil || matrix != nil || !strings.HasPrefix(says, "No verdict") {
		t.Errorf("verdict %q (%v) without a trained model", says, err)
	}
	if estimate, err := Epidemics().Estimate(context.Background(), o); err != nil || estimate.Missing != 0 {
		t.Errorf("%v (%v), want nothing to make", estimate, err)
	}
}

// A file that is missing, invalid, too short or of an existing country gives an error that names it, before any run.
func TestFilesThatAreNoCountry(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	bad := filepath.Join(t.TempDir(), "wales.json")
	if err := os.WriteFile(bad, []byte(`{"time_periods": 2, "y": [[1], [NaN]]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	wales := writeCountry(t, "wales.json", 61)
	for name, c := range map[string]struct {
		paths []string
		says  string
		is    error
	}{
		"missing":   {[]string{"no/such/wales.json"}, "no such file", fs.ErrNotExist},
		"bad":       {[]string{bad}, "NaN", dyngraph.ErrInvalid},
		"too short": {[]string{writeCountry(t, "short.json", 14)}, "short", dyngraph.ErrInvalid},
		"shipped":   {[]string{writeCountry(t, "italy_covid.json", 61)}, `"italy"`, experiments.ErrInput},
		"twice":     {[]string{wales, wales}, `"wales"`, experiments.ErrInput},
	} {
		_, err := Epidemics().Run(t.Context(), experiments.Options{Profile: experiments.Quick, Data: c.paths,
			Models: []string{"zero"}})
		if !errors.Is(err, experiments.ErrInput) || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) ||
			!strings.Contains(err.Error(), c.paths[0]) {
			t.Errorf("%s: %v, want an error that wraps %v and names %s and %q", name, err, c.is, c.paths[0], c.says)
		}
	}
}
