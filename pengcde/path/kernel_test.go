package path_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
	"github.com/peng-cde/pengcde-go/xla/kernels"
)

// The kernel, which Snapshots uses, gives the values, derivatives, cotangents and second derivatives of Eval, which does
// not use it, at times before, on, between and after knots, from either side, for paths that move or are held.
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
	rows := make([][][]float64, batch)
	v, dv := make([][]float64, batch), make([][]float64, batch)
	for b := range rows {
		v[b], dv[b] = normal(width), normal(width)
		for range snapshots {
			rows[b] = append(rows[b], normal(width))
		}
		for k := range knots {
			index[b] = append(index[b], int32(random.IntN(snapshots)))
			times[b] = append(times[b], float64(k)+0.1*float64(b*k))
		}
	}
	// program returns values, derivatives, cotangents and second derivatives by Snapshots, then by Eval, and the values
	// of rows of one number by Snapshots.
	program := func(kind path.Kind, sided bool) *xla.Program {
		program, err := xla.NewProgram(backend, "path", func(in []*Node) []*Node {
			at, side, moving, index := in[1], in[2], in[3], in[4]
			for i := 5; i < 8; i++ {
				in[i] = ConvertDType(in[i], float)
			}
			rows, v, dv := in[5], in[6], in[7]
			if !sided {
				side = nil
			}
			interval := path.Locate(kind, in[:1], at, side).Freeze(GreaterThan(moving, ZerosLike(moving)))
			all := func(eval func(rows *Node) (x, dx *Node)) []*Node {
				x, dx := eval(Reshape(rows, batch, snapshots, 3, -1)) // rows may have several axes
				flat, dflat := Reshape(x, batch, -1), Reshape(dx, batch, -1)
				pulled := Gradient(ReduceAllSum(Add(Mul(flat, v), Mul(dflat, dv))), rows)[0]
				cubic := Gradient(ReduceAllSum(Mul(flat, Square(flat))), rows)[0]
				return []*Node{x, dx, pulled, Gradient(ReduceAllSum(Square(cubic)), rows)[0]}
			}
			one, _ := interval.Snapshots(Squeeze(Slice(rows, AxisRange(), AxisRange(), AxisElem(0)), 2), index)
			out := append(all(func(rows *Node) (x, dx *Node) { return interval.Snapshots(rows, index) }),
				all(func(rows *Node) (x, dx *Node) {
					return interval.Eval(DotGeneral(OneHot(index, snapshots, float), []int{2}, []int{0}, rows, []int{1}, []int{0}))
				})...)
			for i := range out {
				out[i] = ConvertDType(out[i], dtypes.Float64)
			}
			return append(out, ConvertDType(one, dtypes.Float64))
		})
		if err != nil {
			t.Fatal(err)
		}
		return program
	}
	for _, kind := range []path.Kind{"", path.Linear, path.Ramp} {
		inside, sided := program(kind, false), program(kind, true)
		defer inside.Close()
		defer sided.Close()
		for side, program := range map[float64]*xla.Program{0: inside, -1e-9: sided, 1e-9: sided} {
			for _, at := range []float64{-0.5, 0, 0.7, 1, 2.5, 4, 6, 9} {
				t64, sides, moving := make([]float64, batch), make([]float64, batch), make([]float64, batch)
				for b := range t64 {
					k := int(min(max(at, 0), knots-1))
					t64[b] = at - float64(k) + times[b][k] // on a knot if at is a whole number
					sides[b], moving[b] = side, float64(b%3)
				}
				out, err := program.Call(times, t64, sides, moving, index, rows, v, dv)
				if err != nil {
					t.Fatal(err)
				}
				var got [][]float64
				for _, one := range out {
					got = append(got, tensors.MustCopyFlatData[float64](one))
				}
				xla.Free(out...)
				for i, what := range []string{"values", "derivatives", "cotangents", "second derivatives"} {
					size := 0.0
					for _, w := range got[4+i] {
						size = max(size, math.Abs(w))
					}
					for j, w := range got[4+i] {
						of := math.Abs(w)
						if what == "second derivatives" { // sums of terms that cancel
							of = size
						}
						if !(math.Abs(got[i][j]-w) <= tolerance*(1+of)) {
							t.Fatalf("%q at %g, side %g: %s [%d] %g, want %g", kind, at, side, what, j, got[i][j], w)
						}
					}
					if !(size > 0) && !(what == "derivatives" && kind == path.Ramp) {
						t.Errorf("%q at %g: all %s are 0", kind, at, what)
					}
				}
				for b, x := range got[8] {
					if x != got[0][b*width] {
						t.Errorf("%q at %g: rows of numbers give %g, want %g", kind, at, x, got[0][b*width])
					}
				}
			}
		}
	}
}

// Ends are the ends of what Snapshots gives, to the bit; on a path without a kernel the error names Snapshots.
func TestEnds(t *testing.T) {
	backend := xlatest.Backend(t)
	if !backend.HasKernels() {
		t.Skip("no kernels here")
	}
	ends := func(kind path.Kind) ([]*tensors.Tensor, error) {
		program, err := xla.NewProgram(backend, "ends", func(in []*Node) []*Node {
			g := in[0].Graph()
			index := Const(g, [][]int32{{0, 1, 0}})
			interval := path.Locate(kind, []*Node{Const(g, [][]float64{{0, 1, 2}})}, Const(g, []float64{1.3}), nil)
			x, dx := interval.Snapshots(in[0], index)
			end, dend := interval.Ends(in[0], index, 2)
			return []*Node{Slice(x, AxisRange(), AxisRange(-2)), Slice(dx, AxisRange(), AxisRange(-2)), end, dend}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer program.Close()
		return program.Call([][][]float64{{{1, 2, 3, 5}, {-7, 11, 13, 17}}})
	}
	for _, kind := range []path.Kind{path.Hermite, path.Linear, path.Ramp} {
		out, err := ends(kind)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			got, want := tensors.MustCopyFlatData[float64](out[2+i]), tensors.MustCopyFlatData[float64](out[i])
			if !slices.Equal(got, want) || want[0] == 0 {
				t.Errorf("%s, derivative %d: %v, want %v, not 0", kind, i, got, want)
			}
		}
		xla.Free(out...)
	}
	_, err := ends(path.Rectilinear)
	if !errors.Is(err, path.ErrValues) || !strings.Contains(err.Error(), "use Snapshots") {
		t.Errorf("a path without a kernel: %v, want ErrValues that names Snapshots", err)
	}
}
