package path_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
	"github.com/peng-cde/pengcde-go/xla/kernels"
)

// The kernel, which Snapshots uses, gives the values, derivatives and cotangents of Eval, which does not, at times
// before, on, between and after knots, from either side, for paths that move or are held.
func TestKernel(t *testing.T) {
	backend := xlatest.Backend(t)
	if !backend.HasKernels() {
		t.Skip("no kernels here")
	}
	for _, kind := range []path.Kind{path.Hermite, path.Linear, path.Ramp} {
		if kernels.All()["pengcde_path_"+string(kind)] == nil {
			t.Errorf("%s has no kernel", kind)
		}
	}
	t.Run("float32", func(t *testing.T) { compare(t, backend, dtypes.Float32, 2e-6) })
	t.Run("float64", func(t *testing.T) { compare(t, backend, dtypes.Float64, 1e-13) })
}

func compare(t *testing.T, backend *xla.Backend, float dtypes.DType, tolerance float64) {
	const batch, knots, snapshots, width = 5, 7, 3, 33
	random := rand.New(rand.NewPCG(1, 2))
	normal := func(size int) (all []float64) {
		for range size {
			all = append(all, random.NormFloat64())
		}
		return all
	}
	times, index := make([][]float64, batch), make([][]int32, batch)
	rows, values := make([][][]float64, batch), make([][][]float64, batch)
	v, dv := make([][]float64, batch), make([][]float64, batch)
	for b := range rows {
		v[b], dv[b] = normal(width), normal(width)
		for range snapshots {
			rows[b] = append(rows[b], normal(width))
		}
		for k := range knots {
			row := random.IntN(snapshots)
			index[b], values[b] = append(index[b], int32(row)), append(values[b], rows[b][row])
			times[b] = append(times[b], float64(k)+0.1*float64(b*k))
		}
	}
	// program returns values and derivatives by Snapshots and by Eval, and the cotangents of rows and of values.
	program := func(kind path.Kind, sided bool) *xla.Program {
		program, err := xla.NewProgram(backend, "path", func(in []*Node) []*Node {
			at, side, moving := in[1], in[2], in[3]
			for i := 5; i < 9; i++ {
				in[i] = ConvertDType(in[i], float)
			}
			// Rows of several axes are rows, and so are rows of numbers.
			rows, values, v, dv := Reshape(in[5], batch, snapshots, 3, -1), Reshape(in[6], batch, knots, 3, -1), in[7], in[8]
			if !sided {
				side = nil
			}
			interval := path.Locate(kind, in[:1], at, side).Freeze(GreaterThan(moving, ZerosLike(moving)))
			pulled := func(x, dx, from *Node) *Node {
				flat := func(x *Node) *Node { return Reshape(x, batch, -1) }
				return Gradient(ReduceAllSum(Add(Mul(flat(x), v), Mul(flat(dx), dv))), from)[0]
			}
			x, dx := interval.Snapshots(rows, in[4])
			y, dy := interval.Eval(values)
			one, _ := interval.Snapshots(Squeeze(Slice(in[5], AxisRange(), AxisRange(), AxisElem(0)), 2), in[4])
			out := []*Node{x, dx, pulled(x, dx, in[5]), y, dy, pulled(y, dy, in[6]), one}
			for i := range out {
				out[i] = ConvertDType(out[i], dtypes.Float64)
			}
			return out
		})
		if err != nil {
			t.Fatal(err)
		}
		return program
	}
	for _, kind := range []path.Kind{"", path.Linear, path.Ramp} {
		for _, side := range []float64{0, -1e-9, 1e-9} {
			program := program(kind, side != 0)
			defer program.Close()
			for _, at := range []float64{-0.5, 0, 0.7, 1, 2.5, 4, 6, 9} {
				t64, sides, moving := make([]float64, batch), make([]float64, batch), make([]float64, batch)
				for b := range t64 {
					k := int(min(max(at, 0), knots-1))
					t64[b] = at - float64(k) + times[b][k] // on a knot if at is a whole number
					sides[b], moving[b] = side, float64(b%3)
				}
				out, err := program.Call(times, t64, sides, moving, index, rows, values, v, dv)
				if err != nil {
					t.Fatal(err)
				}
				var got [][]float64
				for _, one := range out {
					got = append(got, tensors.MustCopyFlatData[float64](one))
				}
				xla.Free(out...)
				sums := make([]float64, batch*snapshots*width) // of cotangents of values with the same row
				for i, cotangent := range got[5] {
					b, k := i/(knots*width), i/width%knots
					sums[(b*snapshots+int(index[b][k]))*width+i%width] += cotangent
				}
				for b, x := range got[6] {
					if x != got[0][b*width] {
						t.Errorf("%q at %g: rows of numbers give %g, want %g", kind, at, x, got[0][b*width])
					}
				}
				for i, want := range [][]float64{got[3], got[4], sums} {
					what := []string{"values", "derivatives", "cotangents"}[i]
					size := 0.0
					for j, w := range want {
						size += math.Abs(w)
						if math.Abs(got[i][j]-w) > tolerance*(1+math.Abs(w)) {
							t.Fatalf("%q at %g, side %g: %s [%d] %g, want %g", kind, at, side, what, j, got[i][j], w)
						}
					}
					if size == 0 && !(what == "derivatives" && kind == path.Ramp) {
						t.Errorf("%q at %g: all %s are 0", kind, at, what)
					}
				}
			}
		}
	}
}
