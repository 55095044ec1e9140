package figures

import (
	"strings"
	"testing"
)

// A key has at most two rows, and shortens names no more than that takes.
func TestKeyHasTwoRows(t *testing.T) {
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
		{"ten forecasts", entries("PENG-CDE", "PENG-CDE, residual", "Constant", "PENG-CDE, as published", "zero",
			"training mean", "last visible", "recent mean", "ridge", "ridge, chosen penalty"), 2, true},
		{"long", entries(long, long, long, "short"), 2, false},
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
			used := -k.entryGap
			for _, i := range row {
				used += k.width(i) + k.entryGap
			}
			if used > 560 {
				t.Errorf("%s: a row of %g points", c.name, used)
			}
		}
	}
}
