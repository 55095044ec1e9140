package xla

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Programs that differ in contents, options, flags, threads or compiler have different keys.
func TestKeysOfPrograms(t *testing.T) {
	s := &store{compiler: "a"}
	seen := map[programKey]string{s.key([]byte("mlir"), []byte("x")): "first"}
	add := func(what string, k programKey) {
		if other, twice := seen[k]; twice {
			t.Errorf("%s has the key of %s", what, other)
		}
		seen[k] = what
	}
	add("split elsewhere", s.key([]byte("mli"), []byte("rx")))
	add("other contents", s.key([]byte("mlir"), []byte("y")))
	add("another compiler", (&store{compiler: "b"}).key([]byte("mlir"), []byte("x")))
}

// Stores for other flags and files differ. Flags that make XLA read or write other files disable the store.
func TestStores(t *testing.T) {
	t.Setenv(CacheEnv, t.TempDir())
	file := filepath.Join(t.TempDir(), "plugin.so")
	if err := os.WriteFile(file, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	storeOf := func(file, flags string) *store {
		t.Helper()
		s, err := newStore(file, flags)
		if err != nil {
			t.Error(err)
		}
		return s
	}
	first := storeOf(file, "--xla_none")
	if first == nil {
		t.Skip("the processor is not known")
	}
	if other := storeOf(file, "--xla_one"); other.compiler == first.compiler {
		t.Error("other flags are the same compiler")
	}
	for _, flags := range []string{"--xla_dump_to=x", "flags.txt", "--xla_none flags.txt"} {
		if storeOf(file, flags) != nil {
			t.Errorf("flags %q: programs are kept", flags)
		}
	}
	if err := os.WriteFile(file, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if other := storeOf(file, "--xla_none"); other.compiler == first.compiler {
		t.Error("another file is the same compiler")
	}
	if storeOf(file+"x", "") != nil {
		t.Error("programs of no file are kept")
	}
	t.Setenv(CacheEnv, "off")
	if storeOf(file, "") != nil {
		t.Error("programs are kept though that is off")
	}
}

// The least recently used programs are deleted first, and files not written by the store never.
func TestFewProgramsAreKept(t *testing.T) {
	s := &store{folder: t.TempDir()}
	now := time.Now()
	for i, name := range []string{"old" + begun, "older" + kept, "new" + kept, "letter.txt"} {
		path := filepath.Join(s.folder, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		at := now.Add(time.Duration(min(i, 2)-5) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	s.shrink(200)
	var left []string
	entries, _ := os.ReadDir(s.folder)
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if len(left) != 3 || left[0] != "letter.txt" || left[1] != "new"+kept || left[2] != "older"+kept {
		t.Errorf("left %q", left)
	}
}

func TestCacheFolder(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/somewhere")
	for value, want := range map[string]string{"off": "", "": "/somewhere/pengcde/programs", "/elsewhere": "/elsewhere",
		"here": filepath.Join(must(os.Getwd()), "here")} {
		t.Setenv(CacheEnv, value)
		if got := cacheFolder(); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

func must(path string, err error) string {
	if err != nil {
		panic(err)
	}
	return path
}
