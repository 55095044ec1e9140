package xla

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/go-xla/pjrt"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// alone simulates a machine without settings, without a CUDA device and with one folder for plugins.
func alone(t *testing.T) (folder string) {
	t.Helper()
	folder, err := os.MkdirTemp("", "some plugins ") // t.TempDir is named after the test, and names matter here
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	t.Setenv(BackendEnv, "")
	t.Setenv(GoMLXBackendEnv, "")
	t.Setenv(pjrt.PJRTPluginPathsEnv, folder)
	setCUDADevices(t, filepath.Join(folder, "nvidiactl"))
	return folder
}

func setCUDADevices(t *testing.T, files ...string) {
	before := cudaDevices
	cudaDevices = files
	t.Cleanup(func() { cudaDevices = before })
}

func write(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// library builds a shared library of a line of C.
func library(t *testing.T, file, source string) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil || libraryExtension() != ".so" {
		t.Skip("needs a C compiler that makes .so files")
	}
	c := write(t, filepath.Join(t.TempDir(), "library.c"), source)
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-o", file, c).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

// installedCPU returns a real CPU plugin of this machine.
func installedCPU(t *testing.T) string {
	t.Helper()
	found := findPlugins(cpu)
	if len(found) == 0 {
		t.Skip("no XLA CPU plugin on this machine")
	}
	return found[0]
}

// wantDouble runs 2x on a backend.
func wantDouble(t *testing.T, backend *Backend) {
	t.Helper()
	program, err := NewProgram(backend, "double", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.MulScalar(in[0], 2)}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	x := tensors.FromValue([]float64{1, 2.5})
	defer Free(x)
	out, err := program.Call(x)
	if err != nil {
		t.Fatal(err)
	}
	defer Free(out...)
	if got := out[0].Value().([]float64); got[0] != 2 || got[1] != 5 {
		t.Fatalf("2 [1 2.5] = %v", got)
	}
}

func TestOpenSettlesForGo(t *testing.T) {
	for _, c := range []struct {
		name  string
		setUp func(t *testing.T, folder string)
		want  string
	}{
		{"empty folder", func(*testing.T, string) {}, "make setup"},
		{"no folder", func(t *testing.T, _ string) { t.Setenv(pjrt.PJRTPluginPathsEnv, "") }, "make setup"},
		{"not a library", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "pjrt_c_api_cpu_plugin.so"), "half a download")
		}, "not a shared library"},
		{"no plugin", func(t *testing.T, folder string) {
			library(t, filepath.Join(folder, "pjrt_c_api_cpu_v0.1.0_plugin.so"), "int other(void) { return 1; }")
		}, "exports no GetPjrtApi"},
		{"broken plugin", func(t *testing.T, folder string) {
			library(t, filepath.Join(folder, "pjrt_c_api_cpu_plugin.so"), "void *GetPjrtApi(void) { return 0; }")
		}, "does not work here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := alone(t)
			c.setUp(t, folder)
			var notices strings.Builder
			backend, err := Open(Config{Notices: &notices})
			if err != nil {
				t.Fatal(err)
			}
			defer backend.Close()
			if backend.Device != "go" || !strings.HasPrefix(backend.String(), "pure Go (no XLA plugin that works in ") {
				t.Errorf("chose %v", backend)
			}
			line := notices.String()
			if strings.Count(line, "\n") != 1 || !strings.Contains(line, "10x slower") ||
				!strings.Contains(line, c.want) {
				t.Errorf("notice %q, wanted one line with %q", line, c.want)
			}
			wantDouble(t, backend)
		})
	}
}

func TestOpenWhatWasAskedForOrFail(t *testing.T) {
	const null = "void *GetPjrtApi(void) { return 0; }"
	for _, c := range []struct {
		name, spec string
		setUp      func(t *testing.T, folder string)
		want       error
		text       string
	}{
		{"missing file", "xla:/no/such/plugin.so", nil, ErrPlugin, "/no/such/plugin.so: there is no such file"},
		{"missing file by relative path", "xla:./plugin.so,notf32", nil, ErrPlugin, "no such file"},
		{"missing by name", "xla:cpu", nil, ErrPlugin, "make setup"},
		{"missing for CUDA", "xla:cuda", nil, ErrPlugin, "make cuda"},
		{"missing by alias", "stablehlo:cpu", nil, ErrPlugin, "make setup"},
		{"missing, any", "xla", nil, ErrPlugin, "FOLDER"},
		{"missing, of another device", "xla:tpu", nil, ErrPlugin, "NAME tpu"},
		{"folder", "xla:FOLDER", nil, ErrPlugin, "this is a folder"},
		{"text file", "xla:FOLDER/notes.so", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "notes.so"), "text")
		}, ErrPlugin, "not a shared library"},
		{"other library", "xla:FOLDER/x.so", func(t *testing.T, folder string) {
			library(t, filepath.Join(folder, "x.so"), "int other(void) { return 1; }")
		}, ErrPlugin, "exports no GetPjrtApi"},
		{"broken plugin without its device", "xla:cuda", func(t *testing.T, folder string) {
			library(t, filepath.Join(folder, "pjrt_c_api_cuda_plugin.so"), null)
		}, ErrPlugin, "no CUDA device was found"},
		{"folder that misleads go-xla", "xla:FOLDER/nvidia/pjrt_c_api_cpu_plugin.so",
			func(t *testing.T, folder string) {
				if err := os.Mkdir(filepath.Join(folder, "nvidia"), 0o755); err != nil {
					t.Fatal(err)
				}
				library(t, filepath.Join(folder, "nvidia", "pjrt_c_api_cpu_plugin.so"), null)
			}, ErrPlugin, "move the plugin"},
		{"unknown backend", "abacus", nil, ErrSetting, "wanted go, xla:cpu"},
	} {
		for _, from := range []string{"Config.Backend", "$" + BackendEnv, "$" + GoMLXBackendEnv} {
			t.Run(c.name+" from "+from, func(t *testing.T) {
				folder := alone(t)
				if c.setUp != nil {
					c.setUp(t, folder)
				}
				spec, cfg := strings.ReplaceAll(c.spec, "FOLDER", folder), Config{}
				if env, isEnv := strings.CutPrefix(from, "$"); isEnv {
					t.Setenv(env, spec)
				} else {
					cfg.Backend = spec
				}
				_, err := Open(cfg)
				if !errors.Is(err, c.want) {
					t.Fatalf("got error %v, wanted %q", err, c.want)
				}
				for _, text := range []string{strings.ReplaceAll(c.text, "FOLDER", folder), from, spec} {
					if !strings.Contains(err.Error(), text) {
						t.Errorf("error %q does not say %q", err, text)
					}
				}
			})
		}
	}
}

func TestOpenSettingsInOrder(t *testing.T) {
	alone(t)
	t.Setenv(GoMLXBackendEnv, "abacus")
	if _, err := Open(Config{}); !errors.Is(err, ErrSetting) {
		t.Errorf("$%s is not heard: %v", GoMLXBackendEnv, err)
	}
	t.Setenv(BackendEnv, "go")
	if b, err := Open(Config{}); err != nil || b.String() != "pure Go ($PENGCDE_BACKEND asks for it)" {
		t.Errorf("got %v, %v; wanted $%s before $%s", b, err, BackendEnv, GoMLXBackendEnv)
	}
	t.Setenv(BackendEnv, "abacus")
	if _, err := Open(Config{Backend: "go"}); err != nil {
		t.Errorf("got %v; wanted Config.Backend before $%s", err, BackendEnv)
	}
}

func TestOpenCPUPlugin(t *testing.T) {
	plugin := installedCPU(t)
	for _, c := range []struct{ name, spec, file string }{
		{"found", "", "pjrt_c_api_cpu_plugin.so"},
		{"found, with a version", "", "pjrt_c_api_cpu_v0.98.0_plugin.so"},
		{"by name", "xla:cpu,notf32", "pjrt_c_api_cpu_v0.98.0_plugin.so"},
		{"any", "xla,notf32", "pjrt_c_api_cpu_plugin.so"},
		{"by path", "xla:FOLDER/cpu.so,noshared_buffers", "cpu.so"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := alone(t)
			if err := os.Symlink(plugin, filepath.Join(folder, c.file)); err != nil {
				t.Fatal(err)
			}
			var notices strings.Builder
			backend, err := Open(Config{Backend: strings.ReplaceAll(c.spec, "FOLDER", folder), Notices: &notices})
			if err != nil {
				t.Fatal(err)
			}
			defer backend.Close()
			line := backend.String()
			if !strings.HasPrefix(line, "XLA on CPU (") || !strings.Contains(line, filepath.Join(folder, c.file)) ||
				notices.Len() > 0 {
				t.Errorf("got %q with notices %q", line, &notices)
			}
			wantDouble(t, backend)
		})
	}
}

// A device without a working plugin must not keep the CPU from computing, and a notice must mention it.
func TestOpenPassesOverCUDA(t *testing.T) {
	plugin := installedCPU(t)
	folder := alone(t)
	setCUDADevices(t, write(t, filepath.Join(folder, "nvidia0"), ""))
	library(t, filepath.Join(folder, "pjrt_c_api_cuda_plugin.so"), "void *GetPjrtApi(void) { return 0; }")
	if err := os.Symlink(plugin, filepath.Join(folder, "pjrt_c_api_cpu_plugin.so")); err != nil {
		t.Fatal(err)
	}
	var notices strings.Builder
	backend, err := Open(Config{Notices: &notices})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	if line := notices.String(); backend.Device != cpu || strings.Count(line, "\n") != 1 ||
		!strings.Contains(line, "pjrt_c_api_cuda_plugin.so") {
		t.Errorf("chose %v with notices %q", backend, line)
	}
	wantDouble(t, backend)
}

func TestFindPluginsBestFirst(t *testing.T) {
	first, second := t.TempDir(), alone(t)
	t.Setenv(pjrt.PJRTPluginPathsEnv, first+string(filepath.ListSeparator)+second)
	var want []string
	for _, file := range []string{
		filepath.Join(first, "pjrt_c_api_cpu_v0.100.0_plugin.so"),
		filepath.Join(first, "pjrt_c_api_cpu_v0.99.0_plugin.so"),
		filepath.Join(second, "pjrt_c_api_cpu_plugin.so"),
		filepath.Join(second, "pjrt_c_api_cpu_"+pjrt.DefaultCPUVersion+"_plugin.so"),
		filepath.Join(second, "pjrt_c_api_cpu_v9999.0.0_plugin.so"),
	} {
		want = append(want, write(t, file, ""))
	}
	write(t, filepath.Join(first, "pjrt_c_api_cuda_plugin.so"), "")
	if got := findPlugins(cpu); !slices.Equal(got, want) {
		t.Errorf("got %q\nwanted %q", got, want)
	}
}

func ExampleOpen() {
	backend, err := Open(Config{Backend: "go"}) // Config{} for the best that is there
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Close()
	fmt.Println(backend)
	// Output: pure Go (Config.Backend asks for it)
}
