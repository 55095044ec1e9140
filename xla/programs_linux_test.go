//go:build linux && cgo

package xla

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// keeping returns a backend whose programs are stored, and the store.
func keeping(t *testing.T) (*Backend, *store) {
	t.Helper()
	backend, err := Open(Config{Backend: "xla:cpu"})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(backend.Close)
	s := programs.Load()
	if s == nil {
		if s, err := newStore(findPlugins(cpu)[0], ""); s == nil || os.Getenv(flagsEnv) != "" {
			t.Skip("nothing is kept here: ", err)
		}
		t.Fatal("programs are not kept")
	}
	folder := s.folder
	t.Cleanup(func() { s.folder = folder })
	return backend, s
}

// A stored program computes the same as the compiled one. Damaged files are compiled and written again, and without a
// folder programs compile as usual.
func TestProgramsAreKept(t *testing.T) {
	backend, programs := keeping(t)
	programs.folder = filepath.Join(t.TempDir(), "new", "folder")
	run := func() (y []float32, found int64) {
		p, err := NewProgram(backend, "kept", func(in []*Node) []*Node { return []*Node{Tanh(MulScalar(in[0], 0.5))} })
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		before := programs.found.Load()
		out, err := p.Call(tensors.FromValue([]float32{1, 2, 3}))
		if err != nil {
			t.Fatal(err)
		}
		defer Free(out...)
		return tensors.MustCopyFlatData[float32](out[0]), programs.found.Load() - before
	}
	want, found := run()
	files, err := filepath.Glob(filepath.Join(programs.folder, "*"))
	if err != nil || len(files) != 1 || found != 0 {
		t.Fatalf("files %q (%v), %d programs found, want one file and none found", files, err, found)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"cut": content[:len(content)/2], "empty": nil, "changed": append(slices.Clone(content[:len(content)-1]), 7),
	} {
		if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		for i, kept := range []int64{0, 1} { // written again, and then found
			if got, found := run(); !slices.Equal(got, want) || found != kept {
				t.Errorf("%s, call %d: %v with %d programs found, want %v with %d", name, i, got, found, want, kept)
			}
		}
	}
	programs.folder = filepath.Join(files[0], "within a file")
	if got, found := run(); !slices.Equal(got, want) || found != 0 {
		t.Errorf("without a folder: %v with %d programs found, want %v", got, found, want)
	}
}

// A program that the plugin cannot load is compiled, even if its file is complete.
func TestProgramThatCannotBeLoaded(t *testing.T) {
	backend, programs := keeping(t)
	programs.folder = t.TempDir()
	for range 2 {
		p, err := NewProgram(backend, "strange", func(in []*Node) []*Node { return []*Node{Sqrt(in[0])} })
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Call(tensors.FromValue([]float32{4}))
		if err != nil {
			t.Fatal(err)
		}
		if got := tensors.MustCopyFlatData[float32](out[0]); got[0] != 2 {
			t.Errorf("%v, want 2", got)
		}
		Free(out...)
		p.Close()
		files, err := filepath.Glob(filepath.Join(programs.folder, "*"+kept))
		if err != nil || len(files) != 1 {
			t.Fatalf("files %q (%v), want one", files, err)
		}
		content, err := os.ReadFile(files[0])
		if err != nil || bytes.Contains(content, []byte("no program")) {
			t.Fatalf("%q (%v), want what was compiled", content, err)
		}
		key, err := hex.DecodeString(strings.TrimSuffix(filepath.Base(files[0]), kept))
		if err != nil {
			t.Fatal(err)
		}
		programs.write(programKey(append(key, make([]byte, 16)...)), []byte("no program"))
	}
}

// A plugin loaded earlier, with unknown flags, stores nothing: its programs may be wrong with other flags.
func TestPluginLoadedBefore(t *testing.T) {
	const env = "PENGCDE_TEST_LOADED_BEFORE"
	if os.Getenv(env) == "" {
		_, _ = keeping(t)
		command := exec.Command(os.Args[0], "-test.run", "^TestPluginLoadedBefore$", "-test.v")
		command.Env = append(os.Environ(), env+"=1")
		if out, err := command.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS")) {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	before, err := compute.NewWithConfig("xla:" + findPlugins(cpu)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer before.Finalize()
	backend, err := Open(Config{Backend: "xla:cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	if programs.Load() != nil {
		t.Error("programs are kept")
	}
}

// If everybody can write to the folder, no program is stored there or read from it, and Open says so.
func TestFolderOfProgramsIsRefused(t *testing.T) {
	const env = "PENGCDE_TEST_REFUSED"
	if folder := os.Getenv(env); folder == "" {
		_, _ = keeping(t)
		folder := folderOf(t, 0o777)
		command := exec.Command(os.Args[0], "-test.run", "^TestFolderOfProgramsIsRefused$", "-test.v")
		command.Env = append(os.Environ(), env+"="+folder, CacheEnv+"="+folder)
		if out, err := command.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS")) {
			t.Errorf("%v: %s", err, out)
		}
		if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) > 0 {
			t.Errorf("%q were written", files)
		}
		return
	}
	var notices strings.Builder
	backend, err := Open(Config{Backend: "xla:cpu", Notices: &notices})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	wantDouble(t, backend)
	if line := notices.String(); programs.Load() != nil || strings.Count(line, "\n") != 1 ||
		!strings.Contains(line, "chmod go-w") || !strings.Contains(line, CacheEnv) {
		t.Errorf("notices %q, programs kept: %v", line, programs.Load() != nil)
	}
}
