package aot

import (
	"bytes"
	"context"
	"slices"
	"testing"
)

// A training of each head has the programs of a step recorded, without kernels, and their calls counted.
func TestRecord(t *testing.T) {
	backend, err := OpenBackend()
	if err != nil {
		t.Skip(err)
	}
	defer backend.Close()
	cases := Cases(16)
	heads := 0
	for _, c := range cases {
		if c.Model != "Constant" { // which compiles soonest
			continue
		}
		heads++
		r, err := record(context.Background(), backend, c, 0)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, source := range r.sources {
			names = append(names, nameOf(source.Name))
			if bytes.Contains(source.Code, []byte("custom_call")) {
				t.Errorf("head %s: %s calls a kernel", c.Head, source.Name)
			}
		}
		for _, either := range [][]string{steps, pullbacks, {"ode first stage"}, {"encoder"}, {"AdamW"}} {
			at := slices.IndexFunc(either, func(name string) bool { return slices.Contains(names, name) })
			if name := either[max(at, 0)]; at < 0 || r.calls[name] < 1 {
				t.Errorf("head %s: %s is not among %q, or in no call of %v", c.Head, name, names, r.calls)
			}
		}
		if r.plan.Temporary <= 0 {
			t.Errorf("head %s: plan %s", c.Head, r.plan)
		}
	}
	if heads != len(Heads()) {
		t.Errorf("%d heads, want %q", heads, Heads())
	}
}
