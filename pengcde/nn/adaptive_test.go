package nn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// adaptive computes the definition of an [AdaptiveConvolution] for one sample x [n, In], with all matrices formed.
func adaptive(c AdaptiveConvolution, embeddings, weights, biases, x []float64) []float64 {
	n, d := c.Nodes, c.Embedding
	e := mat.NewDense(n, d, embeddings)
	var s mat.Dense
	s.Mul(e, e.T())
	for u := range n {
		row, sum := s.RawRowView(u), 0.0
		for v := range row {
			row[v] = math.Exp(max(row[v], 0))
			sum += row[v]
		}
		floats.Scale(1/sum, row)
	}
	var polynomials []*mat.Dense
	for k := range c.Order {
		next := mat.NewDense(n, n, nil)
		switch k {
		case 0:
			for u := range n {
				next.Set(u, u, 1)
			}
		case 1:
			next.Copy(&s)
		default:
			next.Mul(&s, polynomials[k-1])
			next.Scale(2, next)
			next.Sub(next, polynomials[k-2])
		}
		polynomials = append(polynomials, next)
	}
	y := make([]float64, n*c.Out)
	for u := range n {
		for o := range c.Out {
			for j := range d {
				y[u*c.Out+o] += e.At(u, j) * biases[j*c.Out+o]
				for k, polynomial := range polynomials {
					for i := range c.In {
						for v := range n {
							y[u*c.Out+o] += e.At(u, j) * weights[((j*c.Order+k)*c.In+i)*c.Out+o] * polynomial.At(u, v) * x[v*c.In+i]
						}
					}
				}
			}
		}
	}
	return y
}

// The convolution agrees with its definition for each sample and, with the parameters of several seeds, for each part
// of the batch.
func TestAdaptiveConvolution(t *testing.T) {
	const batch = 6
	for order := 1; order <= 4; order++ {
		c := AdaptiveConvolution{Name: "c", Nodes: 5, In: 3, Out: 2, Order: order, Embedding: 4}
		for _, seeds := range []int{0, 2, 3} {
			x := host.Floats(Draw([]Param{{Name: "x", Dims: []int{batch * 15}, Init: Normal(1)}}, dtypes.Float64, 9)[0])
			alone, inputs := make([][][]float64, max(1, seeds)), []any{host.Tensor(dtypes.Float64, x, batch, 5, 3)}
			for i, p := range c.Params() {
				var entries []float64
				for s := range alone {
					one := host.Floats(Draw(c.Params(), dtypes.Float64, uint64(s))[i])
					alone[s], entries = append(alone[s], one), append(entries, one...)
				}
				inputs = append(inputs, host.Tensor(dtypes.Float64, entries, Seeds(seeds).Dims(p.Dims...)...))
			}
			out, err := CallOnceN(xlatest.Go(t).Compute, func(in []*Node) []*Node {
				return []*Node{c.Apply(Seeds(seeds).Bind(c.Params(), in[1:]), in[0])}
			}, inputs...)
			if err != nil {
				t.Fatal(err)
			}
			got := host.Floats(out[0])
			for b := range batch {
				own := alone[b*len(alone)/batch]
				want := adaptive(c, own[0], own[1], own[2], x[b*15:(b+1)*15])
				if y := got[b*10 : (b+1)*10]; !(fixture.Distance(y, want) <= 1e-12*floats.Norm(want, math.Inf(1))) {
					t.Errorf("order %d, %d seeds, sample %d: %v, want %v", order, seeds, b, y, want)
				}
			}
		}
	}
}

// Gradients with respect to x and every parameter agree with central differences.
func TestAdaptiveConvolutionGradient(t *testing.T) {
	c := AdaptiveConvolution{Name: "c", Nodes: 4, In: 2, Out: 3, Order: 3, Embedding: 2}
	drawn := append(Draw([]Param{{Name: "x", Dims: []int{2, 4, 2}, Init: Normal(1)}}, dtypes.Float64, 1),
		Draw(c.Params(), dtypes.Float64, 2)...)
	call := func(values [][]float64, gradient bool) [][]float64 {
		var inputs []any
		for i, v := range values {
			inputs = append(inputs, host.Tensor(dtypes.Float64, v, drawn[i].Shape().Dimensions...))
		}
		out, err := CallOnceN(xlatest.Go(t).Compute, func(in []*Node) []*Node {
			y := ReduceAllSum(Sin(c.Apply(Bind(c.Params(), in[1:]), in[0])))
			if gradient {
				return Gradient(y, in...)
			}
			return []*Node{y}
		}, inputs...)
		if err != nil {
			t.Fatal(err)
		}
		return floatsOf(out)
	}
	values := floatsOf(drawn)
	gradients := call(values, true)
	const h = 1e-5
	for i, v := range values {
		for j := range v {
			at := v[j]
			v[j] = at + h
			above := call(values, false)[0][0]
			v[j] = at - h
			slope := (above - call(values, false)[0][0]) / (2 * h)
			v[j] = at
			if got := gradients[i][j]; !(math.Abs(got-slope) <= 1e-7*floats.Norm(gradients[i], math.Inf(1))) {
				t.Errorf("input %d, entry %d: gradient %g, differences %g", i, j, got, slope)
			}
		}
		if !slices.ContainsFunc(gradients[i], func(g float64) bool { return g != 0 }) {
			t.Errorf("input %d has no influence", i)
		}
	}
}

func floatsOf(all []*tensors.Tensor) [][]float64 {
	values := make([][]float64, len(all))
	for i, x := range all {
		values[i] = host.Floats(x)
	}
	return values
}

func TestAdaptiveConvolutionRefusesSizes(t *testing.T) {
	for _, c := range []AdaptiveConvolution{
		{Order: 2, Embedding: 5}, {Nodes: 3, Embedding: 5}, {Nodes: 3, Order: 2},
		{Nodes: 3, Order: MaxLayers + 1, Embedding: 5}, {Nodes: 3, Order: -1, Embedding: 5},
	} {
		if err := panics.Catch(func() { c.Params() }); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want a panic with ErrInput", fmt.Sprintf("%+v", c), err)
		}
	}
}
