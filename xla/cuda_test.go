package xla

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Flags reach the compiler after the given options, and no earlier flags stay. The test uses a flag unknown to XLA, on
// a CPU, whose C API is the same as CUDA's.
func TestAddedOptions(t *testing.T) {
	backend, err := Open(Config{Backend: "xla:cpu"})
	if err != nil {
		t.Skip(err)
	}
	defer backend.Close()
	_, file, _ := strings.Cut(backend.Origin, "plugin ")
	file, _, _ = strings.Cut(file, ";")
	t.Setenv(CacheEnv, "off")
	size := 0
	call := func() error {
		size++ // so that it is compiled again
		program, err := NewProgram(backend, "twice", func(in []*graph.Node) []*graph.Node {
			return []*graph.Node{graph.Add(in[0], in[0])}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer program.Close()
		_, err = program.Call(tensors.FromFlatDataAndDimensions(make([]float32, 7000+size), 7000+size))
		return err
	}
	if !addOptions(file, map[string]any{"xla_no_such_flag": 1}) {
		t.Skip("the plugin has another C API")
	}
	defer addOptions(file, nil)
	if err := call(); err == nil || !strings.Contains(err.Error(), "xla_no_such_flag") {
		t.Errorf("error %v, want one that names the flag", err)
	}
	if !addOptions(file, nil) {
		t.Error("options stay")
	}
	if err := call(); err != nil {
		t.Error(err)
	}
	if addOptions(filepath.Join(t.TempDir(), "none.so"), nil) {
		t.Error("options for a plugin that is not loaded")
	}
}
