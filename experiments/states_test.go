package experiments

import (
	"context"
	"os"
	"testing"
)

// States agree with the records that Stored reads, whatever is stored.
func TestStates(t *testing.T) {
	_, results := inCheckout(t)
	s := waves(t)
	agree := func(what string, o Options, made, stale int) {
		t.Helper()
		states, err := s.States(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		r := storedOf(t, s, o)
		for i, result := range r.Results {
			got := states[Quick][i]
			failed := result.Record != nil && result.Record.Error != ""
			if got.Made != result.made() || got.Failed != failed || got.Stale != result.Stale ||
				got.String() != result.String() {
				t.Errorf("%s: %v is %+v, Stored says made %t, failed %t, stale %t", what, got.Run, got, result.made(), failed,
					result.Stale)
			}
		}
		if stored, planned := states[Quick].Count(); stored != made || planned != 4 || states[Quick].Stale() != stale {
			t.Errorf("%s: %d of %d stored, %d stale, want %d of 4 and %d", what, stored, planned, states[Quick].Stale(),
				made, stale)
		}
	}
	agree("nothing", Options{}, 0, 0)
	back := another(t)
	runAll(t, s, Options{})
	back()
	agree("another generation", Options{}, 0, 4)
	for _, file := range recordFiles(t, results) {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	runAll(t, s, Options{})
	agree("own", Options{}, 4, 0)
	files := recordFiles(t, results)
	content := must(os.ReadFile(files[0]))
	write := func(file string, content []byte) {
		t.Helper()
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(files[0], append([]byte(" \n"), content...))
	agree("with white space", Options{}, 4, 0)
	write(files[0], content[:len(content)/2])
	write(files[1], content) // of another run
	rewrite(t, files[2], func(r *Record) { r.Error, r.Facts = "no memory", nil })
	agree("one whole", Options{}, 1, 0)
	write(files[0], content)
	if _, err := s.Ship(context.Background(), Options{Profile: Quick}); err != nil {
		t.Fatal(err)
	}
	write(files[0], nil)
	agree("shipped", Options{}, 2, 0)
	agree("fresh", Options{Fresh: true}, 1, 0)
}

// States of another backend's runs are theirs.
func TestStatesOfAnotherBackend(t *testing.T) {
	results(t)
	s, o := pair(t)
	run(t, s, o)
	renamed := *o.Backend
	renamed.Device = "cuda"
	o.Backend = &renamed
	states, err := s.States(context.Background(), o)
	if stored, planned := states[o.Profile].Count(); err != nil || stored != 2 || planned != 2 {
		t.Errorf("%d of %d, %v, want those of the other backend", stored, planned, err)
	}
}
