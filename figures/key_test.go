package figures

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// A key shortens names only where they would take more than six rows, and figures are higher by the rows beyond two.
func TestKeyNames(t *testing.T) {
	entries := func(names ...string) (all []entry) {
		for _, name := range names {
			all = append(all, entry{name: name})
		}
		return all
	}
	long := strings.Repeat("a long name ", 30)
	for _, c := range []struct {
		name    string
		entries []entry
		rows    int
		whole   bool
	}{
		{"few", entries("PENG-CDE", "Original"), 1, true},
		{"two rows", entries("PENG-CDE, all 15 maps", "Original GN-CDE", "Adjacency GN-CDE", "Constant", "GN-ODE",
			"Pre-Mult GN-CDE"), 2, true},
		{"three rows", entries("PENG-CDE", "PENG-CDE, residual", "Constant", "PENG-CDE, as published", "zero",
			"training mean", "last value", "recent mean", "ridge", "ridge, chosen penalty"), 3, true},
		{"fourteen", entries("DCRNN", "ASTGCN", "STIDGCN", "STG-NCDE", "Constant", "GN-ODE", "Adjacency GN-CDE",
			"Pre-Mult GN-CDE, published start", "Pre-Mult GN-CDE", "Original GN-CDE", "PENG-CDE", "PENG-CDE, all 15 maps",
			"band: lowest to highest", "changes (seed 0)", "end of training"), 4, true},
		{"long", entries(long, long, long, long, long, long, long, "short"), 4, false}, // two beside each other
	} {
		k := newKey(560, c.entries)
		if len(k.rows) != c.rows {
			t.Errorf("%s: %d rows, want %d", c.name, len(k.rows), c.rows)
		}
		whole := true
		for i, e := range c.entries {
			whole = whole && k.names[i] == e.name
		}
		if whole != c.whole {
			t.Errorf("%s: names %q", c.name, k.names)
		}
		for _, row := range k.rows {
			used := vg.Length(-entryGap)
			for _, i := range row {
				used += k.width(i) + entryGap
			}
			if used > 560 {
				t.Errorf("%s: a row of %g points", c.name, used)
			}
		}
		if got, want := (Axes{Width: 618}).keyHeight(c.entries), float64(keyLine*max(0, c.rows-2)); got != want {
			t.Errorf("%s: %g points higher, want %g", c.name, got, want)
		}
	}
}
