package nn

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// normalisedCase is a map of a norm of an activation, "" for none.
type normalisedCase struct {
	norm    Norm
	before  Activation
	dtype   dtypes.DType
	seeds   Seeds
	in, out int
}

func (c normalisedCase) String() string {
	return fmt.Sprintf("%+v, before %q, %s, %d seeds, %d to %d", c.norm, c.before, c.dtype, c.seeds, c.in, c.out)
}

// normalisedCases are all variants, for layers as wide as vectors, wider and narrower.
func normalisedCases() (all []normalisedCase) {
	for _, norm := range []Norm{{}, {Epsilon: 0.3}, {Over: GraphNorm}, {Over: GraphNorm, Epsilon: 0.3}, {Over: NoNorm}} {
		for _, before := range []Activation{"", Rectified, SiLU, HyperbolicTangent} {
			all = append(all, normalisedCase{norm, before, dtypes.Float64, 2, 37, 19},
				normalisedCase{norm, before, dtypes.Float32, 2, 37, 19})
		}
		all = append(all, normalisedCase{norm, SiLU, dtypes.Float64, 0, 3, 2},
			normalisedCase{norm, SiLU, dtypes.Float32, 0, 16, 16},
			normalisedCase{norm, SiLU, dtypes.Float64, 2, 8, 8})
	}
	return all
}

// inputs returns x [batch, n, in] and the parameters, as float32 values.
func (c normalisedCase) inputs() (declared []Param, values [][]float64, dims [][]int) {
	const batch, n = 4, 75 // more than the rows that kernels take at a time
	declared = append(c.linear().Params(), c.norm.Layer("norm", c.in).Params()...)
	dims = [][]int{{batch, n, c.in}}
	for _, p := range declared {
		dims = append(dims, c.seeds.Dims(p.Dims...))
	}
	rng := rand.New(rand.NewPCG(11, 3))
	for _, d := range dims {
		size := 1
		for _, axis := range d {
			size *= axis
		}
		entries := make([]float64, size)
		for i := range entries {
			entries[i] = float64(float32(rng.NormFloat64()))
		}
		values = append(values, entries)
	}
	return declared, values, dims
}

func (c normalisedCase) linear() Linear { return Linear{Name: "linear", In: c.in, Out: c.out} }

// program returns y and the gradients of a sum with respect to all inputs, by Normalised and by its definition.
func (c normalisedCase) program(t *testing.T, declared []Param) *xla.Program {
	t.Helper()
	before := &c.before
	if c.before == "" {
		before = nil
	}
	program, err := xla.NewProgram(xlatest.Backend(t), "normalised", func(in []*Node) []*Node {
		v, r := c.seeds.Bind(declared, in[1:]), c.norm.Layer("norm", c.in)
		defined := in[0]
		if before != nil {
			defined = before.Apply(defined)
		}
		var all []*Node
		for _, y := range []*Node{Normalised(v, before, r, c.linear(), in[0]), c.linear().Apply(v, r.Apply(v, defined))} {
			all = append(append(all, y), Gradient(ReduceAllSum(Square(y)), in...)...)
		}
		return all
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(program.Close)
	return program
}

func (c normalisedCase) call(t *testing.T, program *xla.Program, values [][]float64, dims [][]int) (all [][]float64) {
	t.Helper()
	var in []any
	for i, entries := range values {
		in = append(in, host.Tensor(c.dtype, entries, dims[i]...))
	}
	out, err := program.Call(in...)
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(out...)
	for _, y := range out {
		all = append(all, slices.Clone(host.Floats(y)))
	}
	return all
}

// Other ways to compute agree with the definition too, and their gradients with differences: the plain operations that
// replace a kernel, kernels without AVX-512 and without AVX2, and programs for a GPU. A process has one way from the
// opening of its backend on.
func TestNormalisedOtherwise(t *testing.T) {
	switch {
	case os.Getenv(xla.KernelsEnv) != "":
		t.Skip(xla.KernelsEnv + " is set")
	case !xlatest.Backend(t).HasKernels():
		t.Skip("no kernels here, so all ways are one")
	}
	for _, mode := range []string{"plain", "avx2", "baseline", "gpu"} {
		child := exec.Command(os.Args[0], "-test.run=^TestNormalised(Gradients)?$", "-test.v")
		child.Env = append(os.Environ(), xla.KernelsEnv+"="+mode)
		if said, err := child.CombinedOutput(); err != nil || bytes.Count(said, []byte("--- PASS: TestNormalised")) != 2 {
			t.Fatalf("%s: %v\n%s", mode, err, said)
		}
	}
}

// Normalised and its gradients agree with its definition.
func TestNormalised(t *testing.T) {
	xlatest.Backend(t)
	xlatest.CheckLevel(t)
	for _, c := range normalisedCases() {
		declared, values, dims := c.inputs()
		all := c.call(t, c.program(t, declared), values, dims)
		tolerance := 1e-13
		if c.dtype == dtypes.Float32 {
			tolerance = 5e-6
		}
		half := len(all) / 2
		for i, want := range all[half:] {
			largest := 0.0
			for _, w := range want {
				largest = max(largest, math.Abs(w))
			}
			for j, g := range all[i] {
				if !(math.Abs(g-want[j]) <= tolerance*largest) || largest == 0 {
					t.Fatalf("%s, output %d, number %d: %g, want %g, the largest is %g", c, i, j, g, want[j], largest)
				}
			}
		}
	}
}

// Gradients agree with differences of the function, in one direction for each input.
func TestNormalisedGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, c := range normalisedCases() {
		if c.dtype != dtypes.Float64 {
			continue
		}
		declared, values, dims := c.inputs()
		program := c.program(t, declared)
		gradients := c.call(t, program, values, dims)[1:]
		for i := range values {
			const step = 1e-6
			direction, want := make([]float64, len(values[i])), 0.0
			for j := range direction {
				direction[j] = rng.NormFloat64()
				want += direction[j] * gradients[i][j]
			}
			var sums [2]float64
			for side, sign := range []float64{-step, step} {
				moved := slices.Clone(values)
				moved[i] = slices.Clone(values[i])
				for j := range direction {
					moved[i][j] += sign * direction[j]
				}
				for _, y := range c.call(t, program, moved, dims)[0] {
					sums[side] += y * y
				}
			}
			if got := (sums[1] - sums[0]) / (2 * step); !(math.Abs(got-want) <= 1e-4*(1+math.Abs(want))) {
				t.Errorf("%s, input %d: the difference says %g, the gradient %g", c, i, got, want)
			}
		}
	}
}

// SiLU is accurate to a few units of the last digit, and so is its slope near 1, also where e^x overflows the float
// type.
func TestSiLUIsPrecise(t *testing.T) {
	if !xlatest.Backend(t).HasKernels() {
		t.Skip("no kernels here")
	}
	x := []float64{0, math.Copysign(0, -1), 1e-30, -1e-30, 1e9, -1e9, 709, -709}
	for i := -4000; i <= 4000; i++ {
		x = append(x, float64(float32(i)*0.0273))
	}
	before, l := SiLU, Linear{Name: "linear", In: 1, Out: 1}
	for dtype, unit := range map[dtypes.DType]float64{dtypes.Float32: 0x1p-23, dtypes.Float64: 0x1p-52} {
		program, err := xla.NewProgram(xlatest.Backend(t), "silu", func(in []*Node) []*Node {
			y := Normalised(Bind(l.Params(), in[1:]), &before, Norm{Over: NoNorm}.Layer("norm", 1), l, in[0])
			return append([]*Node{y}, Gradient(ReduceAllSum(y), in[0])...)
		})
		if err != nil {
			t.Fatal(err)
		}
		defer program.Close()
		out, err := program.Call(host.Tensor(dtype, x, 1, len(x), 1), host.Tensor(dtype, []float64{1}, 1, 1),
			host.Tensor(dtype, []float64{0}, 1))
		if err != nil {
			t.Fatal(err)
		}
		defer xla.Free(out...)
		y, slopes := host.Floats(out[0]), host.Floats(out[1])
		for i, x := range x {
			sigmoid := 1 / (1 + math.Exp(-x))
			if want := x * sigmoid; !(math.Abs(y[i]-want) <= 4*unit*math.Abs(want)+1e-28) {
				t.Errorf("%s: SiLU(%g) is %g, want %g", dtype, x, y[i], want)
			}
			if want := sigmoid + x*sigmoid/(1+math.Exp(x)); !(math.Abs(slopes[i]-want) <= 4*unit) {
				t.Errorf("%s: the slope of SiLU at %g is %g, want %g", dtype, x, slopes[i], want)
			}
		}
	}
}
