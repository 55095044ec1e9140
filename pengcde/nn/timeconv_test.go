package nn

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// A convolution along time agrees with its definition, for parameters of one seed and of two.
func TestTimeConv(t *testing.T) {
	const batch, times, nodes = 2, 5, 3
	c := TimeConv{Name: "c", In: 2, Out: 4, Kernel: 3}
	drawn := Param{Name: "x", Dims: []int{batch * times * nodes * c.In}, Init: Normal(1)}
	x := host.Floats(Draw([]Param{drawn}, dtypes.Float64, 1)[0])
	for _, seeds := range []Seeds{0, batch} {
		inputs := []any{host.Tensor(dtypes.Float64, x, batch, 1, times, nodes, c.In)}
		var params [2][][]float64 // weight and bias of each seed
		for i, p := range c.Params() {
			var all []float64
			for seed := range max(1, seeds) {
				one := host.Floats(Draw(c.Params(), dtypes.Float64, uint64(seed))[i])
				params[i], all = append(params[i], one), append(all, one...)
			}
			inputs = append(inputs, host.Tensor(dtypes.Float64, all, seeds.Dims(p.Dims...)...))
		}
		out, err := CallOnce(xlatest.Go(t).Compute, func(in []*Node) *Node {
			return c.Apply(seeds.Bind(c.Params(), in[1:]), in[0])
		}, inputs...)
		if err != nil {
			t.Fatal(err)
		}
		var want []float64
		for b := range batch {
			weight, bias := params[0][b*int(seeds)/batch], params[1][b*int(seeds)/batch]
			for at := range times - c.Kernel + 1 {
				for u := range nodes {
					for o := range c.Out {
						y := bias[o]
						for i := range c.In {
							for k := range c.Kernel {
								y += weight[(o*c.In+i)*c.Kernel+k] * x[((b*times+at+k)*nodes+u)*c.In+i]
							}
						}
						want = append(want, y)
					}
				}
			}
		}
		fixture.Close(t, "convolution", host.Floats(out), want, 1e-14)
	}
}

func TestRepeatEnds(t *testing.T) {
	x := tensors.FromValue([][][][]float64{{{{1}, {2}}, {{3}, {4}}, {{5}, {6}}}}) // [1, 3, 2, 1]
	for _, c := range []struct {
		before, after int
		want          []float64
	}{
		{0, 0, []float64{1, 2, 3, 4, 5, 6}},
		{2, 1, []float64{1, 2, 1, 2, 1, 2, 3, 4, 5, 6, 5, 6}},
	} {
		out, err := CallOnce(xlatest.Go(t).Compute, func(x *Node) *Node { return RepeatEnds(x, c.before, c.after) }, x)
		if err != nil {
			t.Fatal(err)
		}
		if got := host.Floats(out); !slices.Equal(got, c.want) {
			t.Errorf("%d before and %d after: %v, want %v", c.before, c.after, got, c.want)
		}
	}
}

// Values move to their indices, and gradients back.
func TestPadZeros(t *testing.T) {
	for name, backend := range map[string]*xla.Backend{"pure Go": xlatest.Go(t), "this": xlatest.Backend(t)} {
		out, err := CallOnceN(backend.Compute, func(x, weights *Node) []*Node {
			y := PadZeros(x, 1, 1, 2)
			return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, weights)), x)...)
		}, tensors.FromValue([][]float64{{1, 2}, {3, 4}}),
			tensors.FromValue([][]float64{{1, 10, 20, 3, 4}, {5, 30, 40, 7, 8}}))
		if err != nil {
			t.Fatal(err)
		}
		y, gradient := host.Floats(out[0]), host.Floats(out[1])
		if !slices.Equal(y, []float64{0, 1, 2, 0, 0, 0, 3, 4, 0, 0}) || !slices.Equal(gradient, []float64{10, 20, 30, 40}) {
			t.Errorf("%s: padded %v with gradient %v", name, y, gradient)
		}
	}
}

func TestLeakyReLU(t *testing.T) {
	out, err := CallOnceN(xlatest.Go(t).Compute, func(x *Node) []*Node {
		y := LeakyReLU(x, 0.25)
		return append([]*Node{y}, Gradient(ReduceAllSum(y), x)...)
	}, tensors.FromValue([]float64{-2, 0, 3}))
	if err != nil {
		t.Fatal(err)
	}
	if y, slope := host.Floats(out[0]), host.Floats(out[1]); !slices.Equal(y, []float64{-0.5, 0, 3}) ||
		!slices.Equal(slope, []float64{0.25, 0.25, 1}) {
		t.Errorf("LeakyReLU %v with slopes %v", y, slope)
	}
}

// A matrix of each of two seeds multiplies its own part of a batch.
func TestSpreadOfMatrices(t *testing.T) {
	x := tensors.FromValue([][][]float64{{{1, 1}}, {{2, 2}}, {{3, 3}}, {{4, 4}}}) // [4, 1, 2]
	out, err := CallOnce(xlatest.Go(t).Compute, func(x, p *Node) *Node {
		return Mul(x, Seeds(2).Bind([]Param{{Name: "p", Dims: []int{1, 2}}}, []*Node{p}).Spread(p, x))
	}, x, tensors.FromValue([][][]float64{{{1, 10}}, {{2, 20}}}))
	if err != nil {
		t.Fatal(err)
	}
	if got := host.Floats(out); !slices.Equal(got, []float64{1, 10, 2, 20, 6, 60, 8, 80}) {
		t.Errorf("%v", got)
	}
}
