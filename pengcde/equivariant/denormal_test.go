package equivariant

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
	"github.com/peng-cde/pengcde-go/xla/kernels"
)

// All threads that share a product treat numbers below the smallest normal one alike, so that a result does not depend
// on which thread computes it: all keep them or all make them 0.
func TestThreadsTreatSmallNumbersAlike(t *testing.T) {
	if os.Getenv(xla.KernelsEnv) != divided {
		if !xlatest.Backend(t).HasKernels() || runtime.GOMAXPROCS(0) == 1 {
			t.Skip("no kernels or no second thread here")
		}
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		child.Env = append(os.Environ(), xla.KernelsEnv+"="+divided)
		if message, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, message)
		}
		return
	}
	kernels.Divide(16)
	patterns, snapshots := hubGraphs(t, 150, true)
	form, rows, tables, err := Sparse.Snapshots(dtypes.Float32, NeighbourCapacity{}, patterns, snapshots)
	if err != nil {
		t.Fatal(err)
	}
	inputs := []any{rows}
	for _, table := range tables {
		inputs = append(inputs, table)
	}
	// Products of 1e-20 and 1e-20 are such numbers, while both factors are normal.
	product := MustNewExec(xlatest.Backend(t).Compute, func(in []*Node) []*Node {
		row := Squeeze(SliceAxis(in[0], 1, AxisElem(0)), 1)
		ones := BroadcastToDims(Const(row.Graph(), float32(1)), row.Shape().Dim(0), form.Nodes, 16)
		small := form.Matrix(MulScalar(row, 1e-20), in[1:])
		return []*Node{form.Matrix(row, in[1:]).Apply(ones), small.Apply(MulScalar(ones, 1e-20))}
	})
	kept, lost := 0, 0
	for range 20 {
		out, err := product.Call(inputs...)
		if err != nil {
			t.Fatal(err)
		}
		sums, small := host.Floats(out[0]), host.Floats(out[1])
		for i, sum := range sums {
			switch {
			case sum == 0:
			case small[i] == 0:
				lost++
			default:
				kept++
			}
		}
	}
	if kernels.Tasks() == 0 {
		t.Error("no thread of XLA joined in a kernel's work")
	}
	if kept+lost == 0 || kept > 0 && lost > 0 {
		t.Errorf("%d small numbers were kept and %d lost, want all or none", kept, lost)
	}
}
