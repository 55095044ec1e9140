package equivariant

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
	"github.com/peng-cde/pengcde-go/xla/kernels"
)

// outputsEnv names the file to which TestKernels in another process writes its results, and divided is the value of
// [xla.KernelsEnv] with which it divides the kernels' work.
const (
	outputsEnv = "PENGCDE_TEST_OUTPUTS"
	divided    = "divided"
)

// Kernels compute the same as their plain operations, as programs without kernels, and in parts that threads share:
// layers and products of one matrix, with all gradients, in both float types, for states and layers as wide as a
// vector, wider and narrower, and for parameters of several seeds.
func TestKernels(t *testing.T) {
	if os.Getenv(xla.KernelsEnv) == divided {
		kernels.Divide(16)
	}
	got := kernelOutputs(t)
	if file := os.Getenv(outputsEnv); file != "" {
		xlatest.CheckLevel(t)
		if os.Getenv(xla.KernelsEnv) == divided && runtime.GOMAXPROCS(0) > 1 && kernels.Tasks() == 0 {
			t.Error("no thread of XLA joined in a kernel's work")
		}
		content, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	modes := []string{"off", "gpu", "plain", "avx2", "baseline", divided}
	if !xlatest.Backend(t).HasKernels() {
		t.Skip("no kernels here")
	}
	for _, mode := range modes {
		file := filepath.Join(t.TempDir(), mode)
		child := exec.Command(os.Args[0], "-test.run=^TestKernels$")
		child.Env = append(os.Environ(), outputsEnv+"="+file, xla.KernelsEnv+"="+mode)
		if message, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", mode, err, message)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want map[string][]float64
		if err := json.Unmarshal(content, &want); err != nil {
			t.Fatal(err)
		}
		for name, values := range got {
			tolerance := 1e-13
			if strings.HasPrefix(name, "Float32") {
				tolerance = 5e-6
			}
			compareOutputs(t, mode+": "+name, values, want[name], tolerance)
		}
	}
}

func compareOutputs(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%s: %d numbers, want %d", name, len(got), len(want))
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, g := range got {
		if !(math.Abs(g-want[i]) <= tolerance*largest) {
			t.Fatalf("%s: number %d is %g, want %g, within %g of the largest, %g", name, i, g, want[i], tolerance,
				largest)
		}
	}
	if largest == 0 {
		t.Errorf("%s: all are 0", name)
	}
}

// kernelOutputs are values and gradients, by names that begin with their float type.
func kernelOutputs(t *testing.T) map[string][]float64 {
	all := make(map[string][]float64)
	kinds := []path.Kind{path.Hermite, path.Linear, path.Ramp}
	for i, c := range []struct {
		dtype   dtypes.DType
		in, out int
		seeds   nn.Seeds
		nodes   int // with 150, lists are of several lengths
		product Product
	}{{dtypes.Float64, 3, 2, 0, 40, Sparse}, {dtypes.Float64, 8, 8, 2, 40, Sparse},
		{dtypes.Float64, 37, 19, 2, 40, Sparse}, {dtypes.Float64, 8, 37, 2, 40, Dense},
		{dtypes.Float32, 16, 16, 0, 40, Sparse}, {dtypes.Float32, 37, 19, 0, 40, Sparse},
		{dtypes.Float32, 5, 5, 2, 150, Sparse}, {dtypes.Float32, 37, 16, 2, 40, Dense}} {
		for _, symmetric := range []bool{false, true} {
			name := fmt.Sprintf("%s, %s, symmetric %t, %d to %d, seeds %d", c.dtype, c.product, symmetric, c.in, c.out,
				c.seeds)
			layer := Layer{Name: "layer", In: c.in, Out: c.out, Fusion: Fusion{Maps: All15()}}
			patterns, snapshots := hubGraphs(t, c.nodes, symmetric)
			form, rows, tables, err := c.product.Snapshots(c.dtype, NeighbourCapacity{}, patterns, snapshots)
			if err != nil {
				t.Fatal(err)
			}
			if several := len(tables) > 5; several != (c.nodes == 150) {
				t.Fatalf("%d tables for %d nodes", len(tables), c.nodes)
			}
			for k, values := range kernelGradients(t, layer, c.seeds, kinds[i%3], form, rows, tables) {
				all[fmt.Sprintf("%s: %d", name, k)] = values
			}
		}
	}
	return all
}

// hubGraphs are two graphs with two snapshots each.
func hubGraphs(t *testing.T, n int, symmetric bool) (patterns []*dyngraph.Pattern, snapshots [][][]float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 19))
	for range 2 {
		pattern := hubPattern(t, rng, n)
		var own [][]float64
		for range 2 {
			weights := mirrored(pattern, func() float64 { return rng.NormFloat64() * float64(rng.IntN(2)) })
			if !symmetric {
				weights[rng.IntN(len(weights))] += 0.5
			}
			own = append(own, weights)
		}
		patterns, snapshots = append(patterns, pattern), append(snapshots, own)
	}
	return patterns, snapshots
}

// hubPattern returns an undirected graph with a node that is a neighbour of most others.
func hubPattern(t *testing.T, rng *rand.Rand, n int) *dyngraph.Pattern {
	t.Helper()
	var from, to []int
	edge := func(u, v int) { from, to = append(from, u, v), append(to, v, u) }
	for v := 1; v < n; v += 1 + rng.IntN(2) {
		edge(0, v)
	}
	for range 3 * n {
		edge(rng.IntN(n), rng.IntN(n))
	}
	p, _, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// onPath locates times of two samples with four knots each on a path of a kind: one between equal graphs, which differ
// from the graph before, and one between different graphs.
func onPath(kind path.Kind, x *Node) path.Interval {
	times := Const(x.Graph(), [][]float64{{0, 1, 2, 3}, {0, 1, 2, 3}})
	return path.Locate(kind, []*Node{times}, Const(x.Graph(), []float64{1.5, 2.5}), nil)
}

// kernelGradients returns the output of a layer, its gradients with respect to states, snapshots and parameters, and
// the same for a product with only A, and on a path of a kind. For lists of several lengths it adds products that are
// less usual.
func kernelGradients(t *testing.T, layer Layer, seeds nn.Seeds, kind path.Kind, form Form, rows *tensors.Tensor,
	tables []*tensors.Tensor) [][]float64 {
	t.Helper()
	dtype, batch := rows.DType(), rows.Shape().Dimensions[0]
	rng := rand.New(rand.NewPCG(3, 5))
	normal := func(dims ...int) any {
		size := 1
		for _, d := range dims {
			size *= d
		}
		values := make([]float64, size)
		for i := range values {
			values[i] = float64(float32(rng.NormFloat64()))
		}
		return host.Tensor(dtype, values, dims...)
	}
	declared := layer.Params()
	inputs := []any{rows, normal(batch, form.Nodes, layer.In)}
	for _, p := range declared {
		inputs = append(inputs, normal(seeds.Dims(p.Dims...)...))
	}
	given := len(inputs)
	for _, table := range tables {
		inputs = append(inputs, table)
	}
	program, err := xla.NewProgram(xlatest.Backend(t), "kernels", func(in []*Node) []*Node {
		at := func(k int) *Node { return Squeeze(Slice(in[0], AxisRange(), AxisElem(k)), 1) }
		a, da := form.Matrix(at(0), in[given:]), form.Matrix(at(1), in[given:])
		v := seeds.Bind(declared, in[2:given])
		y := layer.Apply(v, NewPair(a, da), in[1])
		az := a.Apply(in[1])
		out := append([]*Node{y}, Gradient(ReduceAllSum(Square(y)), in[:given]...)...)
		out = append(append(out, az), Gradient(ReduceAllSum(Square(az)), in[:2]...)...)
		for _, p := range []*Pair{NewPair(a, da).First(), NewSingle(a)} {
			z := layer.Side(0, v, p)(in[1])
			out = append(append(out, z), Gradient(ReduceAllSum(Square(z)), in[0], in[1], v.Get("layer.maps"))...)
		}
		index := Const(in[0].Graph(), [][]int32{{0, 1, 1, 0}, {1, 1, 0, 1}})
		p := NewPair(form.Along(onPath(kind, in[0]), in[0], index, in[given:]))
		for _, z := range []*Node{layer.Apply(v, p, in[1]), layer.Side(0, v, p.First())(in[1])} {
			out = append(append(out, z), Gradient(ReduceAllSum(Square(z)), in[:2]...)...)
		}
		both := Concatenate([]*Node{in[1], in[1]}, 0)
		if len(tables) <= 5 {
			return out
		}
		mask := make([][][]float64, batch)
		for b := range mask {
			for u := range form.Nodes {
				mask[b] = append(mask[b], []float64{float64(min(u%7, 1))})
			}
		}
		present := ConstAs(in[1], mask)
		for _, z := range []*Node{a.Residual(in[1]), a.WithTransposed().Residual(both), a.Masked(present).Residual(in[1]),
			layer.Residual(v, NewPair(a.Masked(present), da))(in[1])} {
			out = append(append(out, z), Gradient(ReduceAllSum(Square(z)), in[:2]...)...)
		}
		return out
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	outputs, err := program.Call(inputs...)
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(outputs...)
	values := make([][]float64, len(outputs))
	for i, out := range outputs {
		values[i] = slices.Clone(host.Floats(out))
	}
	return values
}
