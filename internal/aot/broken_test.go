package aot

import (
	"errors"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/hlo"
	"github.com/peng-cde/pengcde-go/xla"
)

// What must not be is found in programs that are broken on purpose: a scatter, and an operation that CUDA lacks.
func TestBrokenOnPurpose(t *testing.T) {
	h200, err := xla.TargetNamed("h200")
	if err != nil {
		t.Fatal(err)
	}
	topology, err := xla.OpenTopology("", h200)
	if errors.Is(err, xla.ErrPlugin) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer topology.Close()
	scatter := xla.Source{Name: "scatter", Format: "mlir", Code: []byte(`module @scatter {
  func.func @main(%x: tensor<100xf32>, %at: tensor<10x1xi32>, %add: tensor<10xf32>) -> tensor<100xf32> {
    %0 = "stablehlo.scatter"(%x, %at, %add) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>} : (tensor<100xf32>, tensor<10x1xi32>, tensor<10xf32>) -> tensor<100xf32>
    "stablehlo.return"(%0) : (tensor<100xf32>) -> ()
  }
}`)}
	compiled, err := topology.Compile(scatter)
	if err != nil {
		t.Fatal(err)
	}
	module, err := hlo.Parse(compiled.Optimized)
	if err != nil {
		t.Fatal(err)
	}
	if count := module.Count(); count.Scatters != 1 || count.Kernels < 1 {
		t.Errorf("%+v, want a scatter", count)
	}
	kernel := xla.Source{Name: "kernel", Format: "mlir", Code: []byte(`module @kernel {
  func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
    %0 = "stablehlo.custom_call"(%x) {call_target_name = "pengcde_unknown", api_version = 4 : i32} :
      (tensor<100xf32>) -> tensor<100xf32>
    "stablehlo.return"(%0) : (tensor<100xf32>) -> ()
  }
}`)}
	_, err = topology.Compile(kernel)
	if !errors.Is(err, xla.ErrCompile) || !strings.Contains(err.Error(), "pengcde_unknown") {
		t.Errorf("error %v, want one that names what CUDA lacks", err)
	}
}
