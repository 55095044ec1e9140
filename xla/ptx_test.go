package xla

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla/kernels"
)

// pluginEnv names the plugin of TestCallingPTX in another process.
const pluginEnv = "PENGCDE_TEST_PLUGIN"

// Programs for CUDA's plugin contain the kernels' code. The test uses the CPU's plugin under another name. It has the
// same C API and does not know the custom call that launches kernels.
func TestCallingPTX(t *testing.T) {
	if file := os.Getenv(pluginEnv); file != "" {
		callPTX(t, file)
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
	for _, setting := range []string{"", "off"} {
		child := exec.Command(os.Args[0], "-test.run=^TestCallingPTX$", "-test.v")
		child.Env = append(os.Environ(), pluginEnv+"="+plugin, KernelsEnv+"="+setting, CacheEnv+"=off")
		if said, err := child.CombinedOutput(); err != nil || !bytes.Contains(said, []byte("--- PASS")) {
			t.Errorf("%q: %v\n%s", setting, err, said)
		}
	}
}

func callPTX(t *testing.T, file string) {
	backend, err := Open(Config{Backend: "xla:" + file})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	if kernels, ok := forGPU.Load(backend.Compute); !ok || kernels.(bool) {
		t.Error("kernels in PTX for another device than CUDA")
	}
	off := os.Getenv(KernelsEnv) == "off"
	want := "the plugin does not know kernels in PTX"
	if off {
		want = KernelsEnv + "=off"
	}
	if got, loops := callingPTX(file); got != want || !loops {
		t.Errorf("without kernels: %q, want %q; loops %t", got, want, loops)
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
	if left := counted[1].Value().(int32); left != 0 {
		t.Errorf("the device left %d repetitions of a loop to the host", left)
	}
	Free(counted...)
	if !off { // as for CUDA, without a look at the plugin
		rewrittenCUDA.to = inPTX
		forGPU.Store(backend.Compute, true)
	}
	program, err := NewProgram(backend, "with kernels", func(in []*Node) []*Node {
		if HasKernels(in[0]) || !ForGPU(in[0]) || HasGPUKernels(in[0]) == off {
			t.Errorf("kernels for CPUs %t, for GPUs %t", HasKernels(in[0]), HasGPUKernels(in[0]))
		}
		return Call("pengcde_gpu_messages", func(in []*Node) []*Node { return []*Node{Add(in[0], in[0])} }, in[0])
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	out, err := program.Call([]float32{1.5})
	if off {
		if err != nil {
			t.Fatal(err)
		}
		if y := out[0].Value().([]float32); y[0] != 3 {
			t.Errorf("%v, want 3", y)
		}
		Free(out...)
	} else if err == nil || !strings.Contains(err.Error(), "xla.gpu.ptx") {
		t.Errorf("error %v, want one about a custom call that a CPU does not know", err)
	}
}

// The text of a program has a kernel's code in quotes, its inputs and then its outputs.
func TestInPTX(t *testing.T) {
	name, attributes, ok := inPTX("pengcde_gpu_linear_pullback", 8, 5)
	code, _ := kernels.PTX("pengcde_gpu_linear_pullback")
	if !ok || name != "__gpu$xla.gpu.ptx" || !strings.HasSuffix(attributes,
		"output_indices = [8 : i32, 9 : i32, 10 : i32, 11 : i32, 12 : i32]}") {
		t.Errorf("%t, %s, ...%s", ok, name, attributes[len(attributes)-100:])
	}
	if strings.ContainsAny(attributes, "\n\t") || !strings.Contains(attributes, `kernel_data = "// cuda_linear.h`) {
		t.Error("the code is not quoted")
	}
	_, quoted, _ := strings.Cut(attributes, `kernel_data = "`)
	quoted, _, _ = strings.Cut(quoted, `"`)
	if got := strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(quoted); got != code {
		t.Errorf("the code is %d bytes, want %d", len(got), len(code))
	}
	if _, _, ok := inPTX("pengcde_linear", 1, 1); ok {
		t.Error("a kernel for CPUs is known")
	}
}
