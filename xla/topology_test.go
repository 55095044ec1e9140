package xla

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

func TestTargets(t *testing.T) {
	names := map[string]float64{"a100": 2.03904e12, "h100": 3.35232e12, "h200": 4.8e12, "rtx4090": 1.008e12}
	for _, target := range Targets() {
		if err := target.check(); err != nil {
			t.Error(err)
		}
		if open, closed := strings.Count(target.Config, "{"), strings.Count(target.Config, "}"); open != closed {
			t.Errorf("%s: %d braces are opened, %d closed", target.Name, open, closed)
		}
		bandwidth, err := target.Figure("memory_bandwidth")
		if err != nil || bandwidth != names[target.Name] {
			t.Errorf("%s: bytes a second %g, %v, want %g", target.Name, bandwidth, err, names[target.Name])
		}
		delete(names, target.Name)
	}
	if len(names) > 0 {
		t.Error("missing", names)
	}
	if _, err := TargetNamed("h2000"); !errors.Is(err, ErrTarget) || !strings.Contains(err.Error(), "h200, rtx4090") {
		t.Errorf("error %v, want the names", err)
	}
}

func TestTopologyErrors(t *testing.T) {
	h200, err := TargetNamed("h200")
	if err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "pjrt_c_api_cuda_plugin.so")
	text := filepath.Join(t.TempDir(), "pjrt_c_api_cuda_plugin.so")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", filepath.Dir(none))
	for name, c := range map[string]struct {
		plugin string
		target Target
		is     error
		says   string
	}{
		"nowhere":      {"", h200, ErrPlugin, "make cuda"},
		"no file":      {none, h200, ErrPlugin, "no such file"},
		"no library":   {text, h200, ErrPlugin, "not a shared library"},
		"empty target": {"", Target{Name: "mine"}, ErrTarget, `"mine" has no threads_per_warp`},
		"no cores": {"", Target{Name: "mine", Config: strings.Replace(h200.Config, "core_count: 132", "core_count: 0",
			1)}, ErrTarget, "core_count 0"},
		"fewer than no GPUs": {"", Target{Name: "mine", Config: h200.Config, GPUs: -1}, ErrTarget, "-1 GPUs"},
		"no capability": {"", Target{Name: "mine", Config: strings.Replace(h200.Config, "cuda_compute", "compute", 1)},
			ErrTarget, "cuda_compute_capability"},
	} {
		topology, err := OpenTopology(c.plugin, c.target)
		if topology != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one of %v that says %q", name, err, c.is, c.says)
		}
	}
}

// Flags are written as protocol buffers do it: field 7, a map from the name to a value.
func TestOverrides(t *testing.T) {
	got := overrides(map[string]any{"b": true, "a": 3, "c": "x"})
	want := []byte{
		0x3a, 7, 0x0a, 1, 'a', 0x12, 2, 0x18, 3,
		0x3a, 7, 0x0a, 1, 'b', 0x12, 2, 0x10, 1,
		0x3a, 8, 0x0a, 1, 'c', 0x12, 3, 0x0a, 1, 'x',
	}
	if !bytes.Equal(got, want) {
		t.Errorf("overrides %x, want %x", got, want)
	}
}

func TestModuleName(t *testing.T) {
	for text, want := range map[string]string{"module @ode_step_1 {": "ode_step_1", "module {": "", "module @": "",
		"#loc\nmodule @loss\n": "loss"} {
		if got := moduleName([]byte(text)); got != want {
			t.Errorf("name of %q is %q, want %q", text, got, want)
		}
	}
}

// A program that is recorded while a CPU compiles it compiles for each target, if its operations are there.
func TestTopology(t *testing.T) {
	if len(findPlugins(cuda)) == 0 {
		t.Skip("no CUDA plugin, which make cuda installs")
	}
	program := recorded(t)
	two := Targets()[0]
	two.GPUs = 2
	for _, target := range append(Targets(), two) {
		topology, err := OpenTopology("", target)
		if err != nil {
			t.Fatal(err)
		}
		defer topology.Close()
		compiled, err := topology.Compile(program)
		if err != nil {
			t.Fatal(err)
		}
		if compiled.Arguments != 2*4*100*100 || compiled.Outputs != 4*100*100 ||
			!bytes.Contains(compiled.Optimized, []byte("dot")) {
			t.Errorf("%s: %d bytes of arguments, %d of outputs, want two matrices and one, with a product",
				topology, compiled.Arguments, compiled.Outputs)
		}
		unknown := program
		unknown.Code = bytes.ReplaceAll(program.Code, []byte("stablehlo.dot_general"), []byte("stablehlo.gone"))
		_, err = topology.Compile(unknown)
		if !errors.Is(err, ErrCompile) || !strings.Contains(err.Error(), "product") {
			t.Errorf("error %v, want one that names the program", err)
		}
		topology.Set("xla_no_such_flag", true)
		if _, err := topology.Compile(program); err == nil || !strings.Contains(err.Error(), "xla_no_such_flag") {
			t.Errorf("error %v, want one that names the flag", err)
		}
	}
}

// recorded is a product of matrices as it is handed to XLA.
func recorded(t *testing.T) (source Source) {
	t.Helper()
	backend, err := Open(Config{Backend: "xla:cpu"})
	if err != nil {
		t.Skip(err)
	}
	defer backend.Close()
	called := ""
	stop, err := Record(Recorder{Compiled: func(s Source) { source = s }, Called: func(name string) { called += name }})
	if err != nil {
		t.Skip(err)
	}
	defer stop()
	if _, err := Record(Recorder{}); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("error %v of a second recorder", err)
	}
	program, err := NewProgram(backend, "product", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.MatMul(in[0], in[1])}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	x := tensors.FromFlatDataAndDimensions(make([]float32, 100*100), 100, 100)
	if _, err := program.Call(x, x); err != nil {
		t.Fatal(err)
	}
	if called != "product" || source.Name != "product_1" {
		t.Errorf("%q was called, %q compiled", called, source.Name)
	}
	return source
}
