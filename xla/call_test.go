package xla

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// The text of a program calls kernels on tensors in row-major order, and no longer contains the functions that stood
// for them. Other functions, functions for unknown kernels, and programs without kernels are unchanged.
func TestWithKernels(t *testing.T) {
	const program = `module @p {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) -> tensor<2x3xf32> {
    %0, %1 = "func.call"(%arg0, %arg1, %a, %b) { callee = @xla_call_of_pengcde_double_12 } : (tensor<2x3xf32>, tensor<f32>, tensor<2x3xf32>, tensor<4xi32>) -> (tensor<2x3xf32>, tensor<4xi32>)
    %2 = "func.call"(%0) { callee = @pengcde_double_13 } : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = "func.call"(%0, %2) { callee = @xla_call_of_other_14 } : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "stablehlo.return"(%2) : (tensor<2x3xf32>) -> ()
  }

  func.func @xla_call_of_pengcde_double_12(%in0: tensor<2x3xf32>, %in1: tensor<f32>) -> (tensor<2x3xf32>, tensor<4xi32>) {
    %0 = "stablehlo.reduce"(%in0) ({
      ^bb0:
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  }

  func.func @pengcde_double_13(%in0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  }

  func.func @xla_call_of_other_14(%in0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  }
}
`
	const call = `"stablehlo.custom_call"(%arg0, %arg1) { call_target_name = "pengcde_double", api_version = 4 : i32, ` +
		`operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], ` +
		`result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0]> : tensor<1xindex>] } : ` +
		`(tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<4xi32>)`
	var kernel int
	known := map[string]unsafe.Pointer{"pengcde_double": unsafe.Pointer(&kernel)}
	got := string(withKernels([]byte(program), known))
	if !strings.Contains(got, call) || strings.Contains(got, "double_12") || strings.Contains(got, "reduce") ||
		strings.Count(got, "@pengcde_double_13") != 2 || strings.Count(got, "@xla_call_of_other_14") != 2 {
		t.Errorf("got\n%s\nwant a call\n%s\nand the other functions as they were", got, call)
	}
	plain := []byte("func.func @main() {}")
	if got := withKernels(plain, known); &got[0] != &plain[0] {
		t.Error("a program without kernels is another one")
	}
}

func TestRowMajor(t *testing.T) {
	const want = "dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>, dense<[0]> : tensor<1xindex>"
	layouts := rowMajor([]byte("tensor<2x0xcomplex<f64>>, tensor<complex<f32>>, tensor<7xi8>"))
	if got := strings.Join(layouts, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A custom function runs unchanged, even with a kernel's name or a name that begins like it. So does the function for
// an unknown kernel.
func TestFunctionsThatAreNoKernels(t *testing.T) {
	backend, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	double := func(in []*Node) []*Node { return []*Node{Add(in[0], in[0])} }
	program, err := NewProgram(backend, "no kernels", func(in []*Node) (out []*Node) {
		x := in[0]
		for _, name := range []string{"pengcde_linear_7", "pengcde_linear_mine_8", "pengcde_mine_9", "pengcde_linear"} {
			own := NewFunction(x.Graph(), name, func(g *Graph) []*Node {
				return double([]*Node{Parameter(g, "x", x.Shape())})
			})
			out = append(out, own.Call(x)...)
		}
		for _, name := range []string{"pengcde_linear_mine", "pengcde_", "mine"} {
			out = append(out, Call(name, double, x)...)
		}
		return out
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	out, err := program.Call([]float32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	defer Free(out...)
	for i, x := range out {
		if got := tensors.MustCopyFlatData[float32](x); got[0] != 2 || got[1] != 4 {
			t.Errorf("output %d is %v, want 2 and 4", i, got)
		}
	}
}

// A call without inputs is an error when the graph is built.
func TestCallWithoutInputs(t *testing.T) {
	backend, err := Open(Config{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	program, err := NewProgram(backend, "nothing", func([]*Node) []*Node { return Call("pengcde_linear", nil) })
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	var build *BuildError
	if _, err := program.Call([]float32{1}); !errors.As(err, &build) || !strings.Contains(build.Error(), "without inputs") {
		t.Errorf("%v, want a BuildError", err)
	}
}

// Only backends whose plugin has the kernels call them, and only for supported types.
func TestHasKernels(t *testing.T) {
	has := func(backend *Backend, x any) (answer bool) {
		t.Helper()
		defer backend.Close()
		p, err := NewProgram(backend, "has", func(in []*Node) []*Node {
			answer = HasKernels(in[0])
			return in
		})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		out, err := p.Call(x)
		if err != nil {
			t.Fatal(err)
		}
		Free(out...)
		return answer
	}
	plain, err := Open(Config{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if plain.HasKernels() || has(plain, []float32{1}) {
		t.Error("the pure-Go backend has kernels")
	}
	backend, err := Open(Config{Backend: "xla:cpu"})
	if err != nil {
		t.Skip(err)
	}
	if !backend.HasKernels() {
		backend.Close()
		t.Skip("no kernels here")
	}
	if !has(backend, []float64{1}) {
		t.Error("XLA on the CPU has no kernels for float64")
	}
	again, err := Open(Config{Backend: "xla:cpu"})
	if err != nil {
		t.Fatal(err)
	}
	if has(again, []int32{1}) {
		t.Error("XLA on the CPU has kernels for int32")
	}
	if again.HasKernels() {
		t.Error("a backend that was closed has kernels")
	}
}

// If a plugin refuses the kernels the backend says so, and computes the same without them.
func TestKernelsThatAreRefused(t *testing.T) {
	const env = "PENGCDE_TEST_REFUSED"
	if want := os.Getenv(env); want != "" {
		backend, err := Open(Config{Backend: "xla:cpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer backend.Close()
		if backend.HasKernels() || !strings.Contains(backend.String(), want) {
			t.Errorf("%v, with kernels %t, want a backend without, that says %q", backend, backend.HasKernels(), want)
		}
		p, err := NewProgram(backend, "without", func(in []*Node) []*Node {
			if HasKernels(in[0]) {
				t.Error("a program may call kernels")
			}
			return Call("pengcde_none", func(in []*Node) []*Node { return []*Node{Add(in[0], in[0])} }, in[0])
		})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		out, err := p.Call([]float32{1.5})
		if err != nil {
			t.Fatal(err)
		}
		defer Free(out...)
		if y := out[0].Value().([]float32); y[0] != 3 {
			t.Errorf("%v, want 3", y)
		}
		return
	}
	if backend, err := Open(Config{Backend: "xla:cpu"}); err != nil {
		t.Skip(err)
	} else {
		defer backend.Close()
	}
	for setting, want := range map[string]string{"off": "without kernels: PENGCDE_KERNELS=off",
		"refused": "without kernels: the plugin does not take pengcde_"} {
		command := exec.Command(os.Args[0], "-test.run", "^TestKernelsThatAreRefused$", "-test.v")
		command.Env = append(os.Environ(), KernelsEnv+"="+setting, env+"="+want)
		if out, err := command.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS")) {
			t.Errorf("%s: %v: %s", setting, err, out)
		}
	}
}
