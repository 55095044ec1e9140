package paper

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

func TestReferences(t *testing.T) {
	for _, c := range []struct {
		names      []string
		want, none string
	}{
		{nil, "pengcde-go, peng-cde", "gn-cde"},
		{[]string{"dcrnn"}, "pengcde-go, peng-cde, dcrnn", "neural-cde"},
		{[]string{"peng"}, "pengcde-go, peng-cde, neural-cde, equivariant-maps", "dcrnn"},
		{[]string{"gn-ode-silu", "dcrnn"}, "pengcde-go, peng-cde, gn-ode, dcrnn", "neural-cde"},
		{[]string{"zero"}, "pengcde-go, peng-cde", "ridge"},
		{[]string{"epidemics", "node-affinity"}, "pengcde-go, peng-cde, pgt, covid, tgb", "dcrnn"},
	} {
		got, err := References(t.Context(), c.names...)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, entry := range entriesOf(got) {
			keys = append(keys, keyOf(entry))
		}
		if strings.Join(keys, ", ") != c.want {
			t.Errorf("%q: entries %q, want %q", c.names, keys, c.want)
		}
	}
	if _, err := References(t.Context(), "dcrn"); !errors.Is(err, experiments.ErrInput) ||
		!strings.Contains(err.Error(), "dcrnn") {
		t.Errorf("a name that is none: %v", err)
	}
}

// Every cited key has an entry, every entry is cited, and braces are balanced.
func TestBibliography(t *testing.T) {
	entries := make(map[string]bool)
	for _, entry := range entriesOf(bibliography) {
		if strings.Count(entry, "{") != strings.Count(entry, "}") || !strings.HasPrefix(entry, "@") {
			t.Errorf("not an entry: %s", entry)
		}
		entries[keyOf(entry)] = false
	}
	keys := append([]string{}, always...)
	for _, of := range cited {
		keys = append(keys, of...)
	}
	for _, m := range catalogue.Models {
		keys = append(keys, m.Cites...)
	}
	for _, key := range keys {
		if _, ok := entries[key]; !ok {
			t.Errorf("no entry %q", key)
		}
		entries[key] = true
	}
	for key, used := range entries {
		if !used {
			t.Errorf("entry %q is cited by nothing", key)
		}
	}
	all, err := Citable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name := range cited {
		if !slices.Contains(all, name) {
			t.Errorf("%q is no study", name)
		}
	}
	for _, m := range catalogue.Models {
		if !slices.Contains(all, m.ID) {
			t.Errorf("no study has the model %q", m.ID)
		}
	}
}
