package durable

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.json")
	for _, content := range []string{"first", "second, longer", ""} {
		if err := WriteFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("read %q, %v, want %q", got, err, content)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("folder holds %v, %v, want the file alone", left, err)
	}
	if err := WriteFile(filepath.Join(path, "below a file"), nil); err == nil {
		t.Error("written below a regular file")
	}
}

func TestRemoveBegun(t *testing.T) {
	folder := t.TempDir()
	keep := []string{"a.json", "a.json1", ".a.json", ".a.json.lock", ".b.json12"}
	for _, name := range append([]string{".a.json1", ".a.json9876543210"}, keep...) {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveBegun(filepath.Join(folder, "a.json")); err != nil {
		t.Fatal(err)
	}
	for _, name := range keep {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Errorf("%s is gone", name)
		}
	}
	if left, _ := os.ReadDir(folder); len(left) != len(keep) {
		t.Errorf("left %v, want %v", left, keep)
	}
	if err := RemoveBegun(filepath.Join(folder, "no folder", "x")); err != nil {
		t.Error(err)
	}
}

func TestBeside(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a[1]*")
	if all, err := Beside(filepath.Join(folder, "x")); len(all) != 0 || err != nil {
		t.Errorf("%v, %v in no folder", all, err)
	}
	for _, name := range []string{"x", "x.lock", "x.json", ".x.json12", "y.lock", "..x.json", ".y.x"} {
		if err := WriteFile(filepath.Join(folder, name), nil); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, "x")
	if all, err := Beside(path); err != nil || !slices.Equal(all, []string{
		filepath.Join(filepath.Dir(path), ".x.json12"), path + ".json", path + ".lock"}) {
		t.Errorf("%v, %v", all, err)
	}
	if all, err := Beside(filepath.Join(path, "y")); err == nil {
		t.Errorf("%v beside a file that is in none", all)
	}
}
