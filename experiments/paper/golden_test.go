package paper

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

var updateGolden = flag.Bool("update-golden", false,
	"write testdata/golden.json anew, for a Generation that was raised or where the file is gone")

const goldenFile = "testdata/golden.json"

// goldenTolerance is relative to the largest of a run's values of one kind.
const goldenTolerance = 1e-7

// golden are numbers of small runs, by run and kind.
type golden struct {
	Generation int
	Values     map[string][]float64
}

// Small runs have the golden numbers of the generation. Where these change, the code no longer makes the stored
// results.
func TestGolden(t *testing.T) {
	got := golden{experiments.Generation, goldenRuns(t, xlatest.Go(t))}
	if *updateGolden {
		updateGoldenFile(t, got)
		return
	}
	want := readGolden(t)
	if want.Generation != got.Generation {
		t.Fatalf("Generation is %d, the golden values are of %d: %s writes them anew", got.Generation, want.Generation,
			goldenCommand)
	}
	if changes := goldenChanges(want.Values, got.Values, goldenTolerance); len(changes) > 0 {
		t.Fatalf("numbers changed, so stored results are no longer what this code makes. If that is wanted, raise "+
			"Generation in generation.go, which shows them as stale, and run %s; else it is a defect:\n%s",
			goldenCommand, strings.Join(changes, "\n"))
	}
	if added := goldenAdded(want.Values, got.Values); len(added) > 0 {
		t.Fatalf("the file does not have %q, %s adds them", added, goldenCommand)
	}
}

const goldenCommand = "go test ./experiments/paper -run 'TestGolden$' -update-golden"

// readGolden reads the file; there may be none where it is to be written.
func readGolden(t *testing.T) (want golden) {
	t.Helper()
	content, err := os.ReadFile(goldenFile)
	if errors.Is(err, fs.ErrNotExist) && *updateGolden {
		return golden{}
	}
	if err == nil {
		err = json.Unmarshal(content, &want)
	}
	if err != nil {
		t.Fatalf("%v; %s writes the file", err, goldenCommand)
	}
	return want
}

// updateGoldenFile writes the file. Of the same Generation it adds rows, and keeps those that are there to the last
// digit.
func updateGoldenFile(t *testing.T, got golden) {
	t.Helper()
	if want := readGolden(t); want.Generation == got.Generation {
		if changes := goldenChanges(want.Values, got.Values, goldenTolerance); len(changes) > 0 {
			t.Fatalf("numbers changed, but Generation is still %d: raise it in generation.go and update again, or, while no "+
				"run of it was stored for others yet, delete %s and update again:\n%s", got.Generation, goldenFile,
				strings.Join(changes, "\n"))
		}
		maps.Copy(got.Values, want.Values)
	}
	content, err := json.MarshalIndent(got, "", " ")
	if err == nil {
		err = os.WriteFile(goldenFile, append(content, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The backend of this process makes the same numbers, but for rounding.
func TestGoldenHere(t *testing.T) {
	backend := xlatest.Backend(t)
	if backend.Kind() == xlatest.Go(t).Kind() {
		t.Skip("TestGolden does this on the same backend")
	}
	want, got := readGolden(t).Values, goldenRuns(t, backend)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		one := map[string][]float64{name: want[name]}
		for _, change := range goldenChanges(one, got, goldenRounding(name)) {
			t.Errorf("%s makes other numbers than the pure-Go backend: %s", backend, change)
		}
	}
}

// goldenRounding is what two backends may differ by, relative to the largest value. Large graphs have sums in another
// order, whose rounding forecasts show more than losses. Adaptive steps follow an estimate of the error that rounding
// changes, so that states differ by more than their tolerance of 1e-6: at the end of a world, which they reach last, by
// 1.5e-5.
func goldenRounding(name string) float64 {
	switch {
	case strings.HasPrefix(name, "heat on a grid"):
		return 1e-4
	case strings.HasPrefix(name, "england") && strings.HasSuffix(name, ": forecast"):
		return 1e-5
	case strings.HasPrefix(name, "england"):
		return 1e-6
	}
	return 1e-9
}

// goldenChanges lists the values that are gone or differ by more than rounding.
func goldenChanges(want, got map[string][]float64, tolerance float64) (changes []string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		a, b := want[name], got[name]
		if len(a) != len(b) {
			changes = append(changes, fmt.Sprintf("%s: %d values, want %d", name, len(b), len(a)))
			continue
		}
		scale := 0.0
		for _, x := range a {
			scale = math.Max(scale, math.Abs(x))
		}
		for i := range a {
			if !(math.Abs(a[i]-b[i]) <= tolerance*scale) {
				changes = append(changes, fmt.Sprintf("%s, entry %d: %.12g, want %.12g", name, i, b[i], a[i]))
				break
			}
		}
	}
	return changes
}

// goldenAdded are the names of what the file does not have yet.
func goldenAdded(want, got map[string][]float64) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(got)), func(name string) bool { return want[name] != nil })
}

// The comparison finds what it should, and nothing in rounding.
func TestGoldenChanges(t *testing.T) {
	want := map[string][]float64{"a": {1, 1e-3}, "b": {0, 0}}
	for _, c := range []struct {
		name    string
		got     map[string][]float64
		changes int
	}{
		{"the same", map[string][]float64{"a": {1, 1e-3}, "b": {0, 0}}, 0},
		{"rounding", map[string][]float64{"a": {1 + 1e-9, 1e-3 + 1e-12}, "b": {0, 0}}, 0},
		{"another number", map[string][]float64{"a": {1, 1.001e-3}, "b": {0, 0}}, 1},
		{"NaN", map[string][]float64{"a": {math.NaN(), 1e-3}, "b": {0, 0}}, 1},
		{"one gone, one new", map[string][]float64{"a": {1, 1e-3}, "c": {1}}, 1},
	} {
		if changes := goldenChanges(want, c.got, goldenTolerance); len(changes) != c.changes {
			t.Errorf("%s: %q, want %d changes", c.name, changes, c.changes)
		}
	}
	if added := goldenAdded(want, map[string][]float64{"a": nil, "d": nil, "c": nil}); !slices.Equal(added, []string{"c", "d"}) {
		t.Errorf("added %q, want c and d", added)
	}
}
