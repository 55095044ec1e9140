package moduleroot

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A checkout is known by the module that its go.mod names, whatever files it has, and also from a module inside of it.
func TestFind(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(root, "notebooks", "mine")
	for folder, module := range map[string]string{root: Module, inside: "example.com/mine"} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module "+module+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	none := t.TempDir()
	for _, folders := range [][]string{{root}, {inside}, {none, inside}} {
		if got, err := Find(folders...); err != nil || got != root {
			t.Errorf("%q: %q (%v), want %q", folders, got, err, root)
		}
	}
	if err := os.WriteFile(filepath.Join(none, "go.mod"), []byte("module "+Module+"/fork\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(none); !errors.Is(err, ErrCheckout) {
		t.Errorf("another module: %q (%v), want ErrCheckout", got, err)
	}
}
