package studytest

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
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

var updateGolden = flag.Bool("update-golden", false,
	"write testdata/golden.json anew, for a Generation that was raised or where the file is gone")

// goldenTolerance is relative to the largest value of one kind in a run.
const goldenTolerance = 1e-7

// GoldenAdamW takes short steps, and nearly none where a gradient is hardly more than rounding, because AdamW divides
// by the gradient's size.
var GoldenAdamW = train.AdamW{LearningRate: 1e-4, Epsilon: 1e-2}

// Part is the part of the golden numbers that the tests of one package make.
type Part struct {
	// File contains the numbers of all parts. The names of this part begin with Prefix, and with no prefix in Others.
	File, Prefix string
	Others       []string
	// Rounding returns the allowed difference between two backends, relative to the largest value.
	Rounding func(name string) float64
	Make     func(t *testing.T, backend *xla.Backend, values map[string][]float64)
}

// owns reports whether a name belongs to the part.
func (p Part) owns(name string) bool {
	return strings.HasPrefix(name, p.Prefix) &&
		!slices.ContainsFunc(p.Others, func(other string) bool { return strings.HasPrefix(name, other) })
}

// golden holds the numbers of small runs, by run and kind.
type golden struct {
	Generation int
	Values     map[string][]float64
}

// Check compares small runs with the golden numbers of the generation. If they change, the code no longer reproduces
// the stored results.
func (p Part) Check(t *testing.T) {
	got := golden{experiments.Generation, make(map[string][]float64)}
	p.Make(t, xlatest.Go(t), got.Values)
	if *updateGolden {
		p.update(t, got)
		return
	}
	want := p.read(t)
	if want.Generation != got.Generation {
		t.Fatalf("Generation is %d, the golden values are of %d: %s writes them anew", got.Generation, want.Generation,
			goldenCommand)
	}
	if changes := goldenChanges(p.own(want.Values), got.Values, goldenTolerance); len(changes) > 0 {
		t.Fatalf("numbers changed, so stored results are no longer what this code makes. If that is wanted, raise "+
			"Generation in generation.go, which shows them as stale, and run %s; else it is a defect:\n%s",
			goldenCommand, strings.Join(changes, "\n"))
	}
	if added := goldenAdded(want.Values, got.Values); len(added) > 0 {
		t.Fatalf("the file does not have %q, %s adds them", added, goldenCommand)
	}
}

const goldenCommand = "go test -p 1 ./experiments/paper/... -run 'TestGolden$' -update-golden"

// own returns the values of the part.
func (p Part) own(values map[string][]float64) map[string][]float64 {
	values = maps.Clone(values)
	maps.DeleteFunc(values, func(name string, _ []float64) bool { return !p.owns(name) })
	return values
}

// read reads the file, which may not exist if it is about to be written.
func (p Part) read(t *testing.T) (want golden) {
	t.Helper()
	content, err := os.ReadFile(p.File)
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

// update writes the file. Within a Generation it adds rows, and keeps existing rows to the last digit.
func (p Part) update(t *testing.T, got golden) {
	t.Helper()
	if want := p.read(t); want.Generation == got.Generation {
		if changes := goldenChanges(p.own(want.Values), got.Values, goldenTolerance); len(changes) > 0 {
			t.Fatalf("numbers changed, but Generation is still %d: raise it in generation.go and update again, or, while no "+
				"run of it was stored for others yet, delete %s and update again:\n%s", got.Generation, p.File,
				strings.Join(changes, "\n"))
		}
		maps.Copy(got.Values, want.Values)
	}
	content, err := json.MarshalIndent(got, "", " ")
	if err == nil {
		err = os.WriteFile(p.File, append(content, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// CheckHere checks that the backend of this process makes the same numbers, up to rounding.
func (p Part) CheckHere(t *testing.T) {
	backend := xlatest.Backend(t)
	if backend.Kind() == xlatest.Go(t).Kind() {
		t.Skip("Check does this on the same backend")
	}
	want, got := p.own(p.read(t).Values), make(map[string][]float64)
	p.Make(t, backend, got)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		one := map[string][]float64{name: want[name]}
		for _, change := range goldenChanges(one, got, p.Rounding(name)) {
			t.Errorf("%s makes other numbers than the pure-Go backend: %s", backend, change)
		}
	}
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

// goldenAdded returns the names that the file does not have yet.
func goldenAdded(want, got map[string][]float64) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(got)), func(name string) bool { return want[name] != nil })
}
