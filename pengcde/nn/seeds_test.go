package nn

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// An MLP and a norm with the parameters of three seeds act on each seed's part of the batch, of any rank, like separate
// ones.
func TestSeedsOfLayers(t *testing.T) {
	const seeds, batch = 3, 2
	mlp, norm := MLP{Name: "m", In: 4, Out: 2, Width: 3, Depth: 1}, RMSNorm{Name: "n", Size: 2}
	declared := append(mlp.Params(), norm.Params()...)
	for _, middle := range [][]int{nil, {5}, {2, 5}} {
		run := func(seeds Seeds, x *tensors.Tensor, params []*tensors.Tensor) [][]float64 {
			t.Helper()
			inputs := []any{x}
			for _, p := range params {
				inputs = append(inputs, p)
			}
			out, err := CallOnceN(xlatest.Go(t).Compute, func(in []*Node) []*Node {
				v := seeds.Bind(declared, in[1:])
				y := norm.Apply(v, mlp.Apply(v, in[0]))
				return append([]*Node{y}, Gradient(ReduceAllSum(Square(Sin(y))), in...)...)
			}, inputs...)
			if err != nil {
				t.Fatal(err)
			}
			var values [][]float64
			for _, y := range out {
				values = append(values, host.Floats(y))
			}
			return values
		}
		size := 4
		for _, d := range middle {
			size *= d
		}
		dims := func(batch int) []int { return slices.Concat([]int{batch}, middle, []int{4}) }
		x := host.Floats(Draw([]Param{{Name: "x", Dims: dims(seeds * batch), Init: Normal(1)}}, dtypes.Float64, 1)[0])
		stacked, alone := make([]*tensors.Tensor, len(declared)), make([][]*tensors.Tensor, seeds)
		for s := range alone {
			alone[s] = Draw(declared, dtypes.Float64, uint64(s))
		}
		for i, d := range declared {
			var entries []float64
			for s := range alone {
				entries = append(entries, host.Floats(alone[s][i])...)
			}
			stacked[i] = host.Tensor(dtypes.Float64, entries, append([]int{seeds}, d.Dims...)...)
		}
		together := run(seeds, host.Tensor(dtypes.Float64, x, dims(seeds*batch)...), stacked)
		for s := range alone {
			part := batch * size
			for i, want := range run(0, host.Tensor(dtypes.Float64, x[s*part:(s+1)*part], dims(batch)...), alone[s]) {
				got := together[i][s*len(want) : (s+1)*len(want)]
				for j := range want {
					if d := got[j] - want[j]; !(d > -1e-13 && d < 1e-13) {
						t.Fatalf("seed %d, x with %v, output %d, entry %d: %.16g together, %.16g alone", s, middle, i, j, got[j], want[j])
					}
				}
			}
		}
	}
}

// Either all parameters have the leading axis, of the number of bound seeds, or none has.
func TestBindWantsOneLeadingAxis(t *testing.T) {
	declared := Linear{Name: "l", In: 2, Out: 3}.Params()
	for name, c := range map[string]struct {
		weight, bias []int
		fits         Seeds // none for -1
	}{
		"alone": {[]int{3, 2}, []int{3}, 0}, "seeds": {[]int{4, 3, 2}, []int{4, 3}, 4},
		"some": {[]int{4, 3, 2}, []int{3}, -1}, "others": {[]int{3, 2}, []int{4, 3}, -1},
		"two sizes": {[]int{4, 3, 2}, []int{5, 3}, -1}, "two axes": {[]int{4, 4, 3, 2}, []int{4, 4, 3}, -1},
	} {
		zeros := func(dims []int) *tensors.Tensor {
			size := 1
			for _, d := range dims {
				size *= d
			}
			return host.Tensor(dtypes.Float64, make([]float64, size), dims...)
		}
		_, err := CallOnceN(xlatest.Go(t).Compute, func(in []*Node) []*Node {
			for _, seeds := range []Seeds{0, 4, 5} {
				if err := panics.Catch(func() { seeds.Bind(declared, in) }); (err == nil) != (seeds == c.fits) {
					t.Errorf("%s: bound for %d seeds: %v", name, seeds, err)
				}
			}
			return in
		}, zeros(c.weight), zeros(c.bias))
		if err != nil {
			t.Fatal(err)
		}
	}
}
