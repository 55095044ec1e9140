package xla

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

// pluginEnv names the plugin of TestRepeatLoops in another process.
const pluginEnv = "PENGCDE_TEST_PLUGIN"

// Programs of CUDA's plugin repeat loops and call no kernels. The test uses the CPU's plugin under another name, as it
// has the same C API.
func TestRepeatLoops(t *testing.T) {
	if file := os.Getenv(pluginEnv); file != "" {
		checkLoops(t, file)
		return
	}
	backend, err := Open(Config{Backend: "xla:cpu"})
	if err != nil {
		t.Skip(err)
	}
	_, file, _ := strings.Cut(backend.Origin, "plugin ")
	file, _, _ = strings.Cut(file, ";")
	backend.Close()
	if !intercepts() {
		t.Skip("the plugin has another C API")
	}
	plugin := filepath.Join(t.TempDir(), "pjrt_c_api_other_plugin"+libraryExtension())
	if err := os.Symlink(file, plugin); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestRepeatLoops$", "-test.v")
	child.Env = append(os.Environ(), pluginEnv+"="+plugin, CacheEnv+"=off")
	if said, err := child.CombinedOutput(); err != nil || !bytes.Contains(said, []byte("--- PASS")) {
		t.Errorf("%v\n%s", err, said)
	}
}

func checkLoops(t *testing.T, file string) {
	backend, err := Open(Config{Backend: "xla:" + file})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	if !backend.ForGPU() || backend.HasKernels() {
		t.Errorf("programs for a GPU %t, with kernels %t", backend.ForGPU(), backend.HasKernels())
	}
	if !repeatLoops(file) {
		t.Fatal("the plugin does not repeat loops")
	}
	if another := file + "x"; repeatLoops(another) {
		t.Error("a second plugin repeats loops")
	}
	loop, err := NewLoop(backend, "counted", func(in []*Node) []*Node {
		left := AddScalar(in[1], -1)
		return []*Node{GreaterThan(left, ZerosLike(left)), left}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer loop.Close()
	counted, err := loop.once([]any{true, int32(9)})
	if err != nil {
		t.Fatal(err)
	}
	defer Free(counted...)
	if left := counted[1].Value().(int32); left != 0 {
		t.Errorf("the device left %d repetitions of a loop to the host", left)
	}
}
