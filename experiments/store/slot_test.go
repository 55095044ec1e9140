package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// An identity is written as json.Marshal writes it.
func TestEncode(t *testing.T) {
	for _, identity := range []any{nil, 1, map[string]any{}, struct{ B, A int }{1, 2},
		map[string]any{"b": []int{1}, "a<&>\u2028": "<ä>", "": Canonical(`{"c":[1,2]}`), "n": nil,
			"c": map[string]any{"z": 1}}} {
		got, err := encode(identity)
		want, err2 := json.Marshal(identity)
		if err != nil || err2 != nil || string(got) != string(want) {
			t.Errorf("%v is written as %s (%v), want %s (%v)", identity, got, err, want, err2)
		}
	}
	if _, err := encode(map[string]any{"a": func() {}}); err == nil {
		t.Error("a function is written")
	}
}

// A run that is done leaves its record alone, whatever trainings and killed processes left beside it.
func TestWhatIsLeftBesideARun(t *testing.T) {
	all := In(t.TempDir(), "waves", nil)
	slot, err := all.Slot("identity", 2, "go")
	if err != nil {
		t.Fatal(err)
	}
	name := slot.Name()
	kept := []string{name + ".json", name + ".json.bak", name + "2.lock"}
	for _, left := range []string{"." + name + ".json123", name + ".a.safetensors", "." + name + ".b.safetensors4",
		name + TrialInfix + "0.a.safetensors", "." + name + TrialInfix + "1.b.safetensors5", name + ".lock.MOVED"} {
		for _, file := range append(kept, left) {
			if err := os.WriteFile(filepath.Join(all.Folder(), file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := slot.Lock(func(*HeldLease) (bool, error) { return true, nil }); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(all.Folder())
		if err != nil || len(entries) != len(kept) {
			t.Errorf("beside %q: %v are left, %v, want %q", left, entries, err, kept)
		}
	}
}

// Files are listed once for all runs: they say which runs have something kept, and which have files to remove.
func TestFilesOfRuns(t *testing.T) {
	all := In(t.TempDir(), "waves", nil)
	slot, err := all.Slot("identity", 2, "go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		endings []string
		kept    bool
		tidied  []string
	}{
		{"nothing", nil, false, nil},
		{"record", []string{".json"}, true, []string{".json"}},
		{"lease of another machine", []string{".lock"}, false, []string{".lock"}},
		{"checkpoint", []string{".a.safetensors", ".b.safetensors"}, true, nil},
		{"trial", []string{TrialInfix + "0.b.safetensors"}, true, nil},
		{"record and the rest", []string{".json", ".a.safetensors", ".b.safetensors"}, true, []string{".json"}},
	} {
		for _, ending := range c.endings {
			if err := os.WriteFile(slot.path()+ending, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		files, err := all.Files()
		if err != nil {
			t.Fatal(err)
		}
		if got := files.Kept(slot); got != c.kept {
			t.Errorf("%s: kept %t, want %t", c.name, got, c.kept)
		}
		if err := slot.Tidy(Files{}); err != nil { // it does not look in the folder itself
			t.Fatal(err)
		}
		if still, err := all.Files(); err != nil || len(still[slot.name]) != len(c.endings) {
			t.Errorf("%s: without a list of files %v are left, %v, want %v", c.name, still, err, c.endings)
		}
		if err := slot.Tidy(files); err != nil {
			t.Fatal(err)
		}
		if files, err = all.Files(); err != nil || !slices.Equal(files[slot.name], c.tidied) {
			t.Errorf("%s: %v are left, %v, want %v", c.name, files, err, c.tidied)
		}
		if err := os.RemoveAll(all.Folder()); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(all.Folder(), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
