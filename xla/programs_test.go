package xla

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Programs of other contents, options, flags, threads and compilers are others.
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
	t.Setenv("PJRT_NPROC", "7")
	add("other threads", s.key([]byte("mlir"), []byte("x")))
	t.Setenv(flagsEnv, "--xla_none")
	add("other flags", s.key([]byte("mlir"), []byte("x")))
}

// The longest unused programs go first, and files of others never.
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
	for value, want := range map[string]string{"off": "", "": "/somewhere/pengcde/programs", "/elsewhere": "/elsewhere"} {
		t.Setenv(CacheEnv, value)
		if got := cacheFolder(); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
