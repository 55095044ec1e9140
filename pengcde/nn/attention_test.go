package nn

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

func TestLayerNorm(t *testing.T) {
	norm := LayerNorm{Name: "n", Size: 2}
	out, err := CallOnce(xlatest.Go(t).Compute, func(x, gain, shift *Node) *Node {
		return norm.Apply(Bind(norm.Params(), []*Node{gain, shift}), x)
	}, tensors.FromValue([][]float64{{3, 7}, {5, 5}}), tensors.FromValue([]float64{1, 3}),
		tensors.FromValue([]float64{0, 1}))
	if err != nil {
		t.Fatal(err)
	}
	root := math.Sqrt(4 + 1e-5)
	for i, want := range []float64{-2 / root, 1 + 6/root, 0, 1} {
		if got := host.Floats(out)[i]; !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("entry %d: %.16g, want %.16g", i, got, want)
		}
	}
}

// Attention of two seeds agrees with its equation on each seed's part of the batch.
func TestAttention(t *testing.T) {
	const seeds, batch, a, b, c = 2, 4, 3, 2, 2
	m := Attention{Name: "m", Items: a, Positions: b, Features: c}
	declared := m.Params()
	x := host.Floats(Draw([]Param{{Name: "x", Dims: []int{batch, a, b, c}, Init: Normal(1)}}, dtypes.Float64, 1)[0])
	inputs := []any{host.Tensor(dtypes.Float64, x, batch, a, b, c)}
	params := make([][]float64, len(declared)) // of both seeds
	for i, p := range declared {
		for s := range seeds {
			params[i] = append(params[i], host.Floats(Draw(declared, dtypes.Float64, uint64(s))[i])...)
		}
		inputs = append(inputs, host.Tensor(dtypes.Float64, params[i], append([]int{seeds}, p.Dims...)...))
	}
	out, err := CallOnceN(xlatest.Go(t).Compute, func(in []*Node) []*Node {
		return []*Node{m.Apply(Seeds(seeds).Bind(declared, in[1:]), in[0])}
	}, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	got := host.Floats(out[0])
	for sample := range batch {
		seed := sample / (batch / seeds)
		at := func(i int) []float64 { return params[i][seed*declared[i].Size():] }
		w1, w2, w3, bias, v := at(0), at(1), at(2), at(3), at(4)
		left, right := func(i, k int) (sum float64) {
			for f := range c {
				for l := range b {
					sum += x[((sample*a+i)*b+l)*c+f] * w1[l] * w2[f*b+k]
				}
			}
			return sum
		}, func(j, k int) (sum float64) {
			for f := range c {
				sum += x[((sample*a+j)*b+k)*c+f] * w3[f]
			}
			return sum
		}
		gate := func(i, j int) float64 {
			sum := bias[i*a+j]
			for k := range b {
				sum += left(i, k) * right(j, k)
			}
			return 1 / (1 + math.Exp(-sum))
		}
		for i := range a {
			var weights [a]float64
			total := 0.0
			for j := range a {
				score := 0.0
				for k := range a {
					score += v[i*a+k] * gate(k, j)
				}
				weights[j] = math.Exp(score)
				total += weights[j]
			}
			for j := range a {
				if g := got[(sample*a+j)*a+i]; !(math.Abs(g-weights[j]/total) <= 1e-14) {
					t.Errorf("sample %d, weight of %d on %d: %.16g, want %.16g", sample, i, j, g, weights[j]/total)
				}
			}
		}
	}
}
