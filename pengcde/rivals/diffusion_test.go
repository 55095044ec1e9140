package rivals

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// onGraphs builds nodes on the graphs of windows.
func (w windows) onGraphs(t *testing.T, product equivariant.Product,
	build func(graph func(int) *equivariant.Matrix, features *Node) []*Node) [][]float64 {
	t.Helper()
	form, laid := w.lay(t, product)
	s := w.sizes
	var inputs []any
	inputs = append(inputs, host.Tensor(laid[0].DType(), w.features, len(w.graphs), s.Inputs, s.Nodes, s.Features))
	for _, x := range laid {
		inputs = append(inputs, x)
	}
	out, err := CallOnceN(xlatest.Go(t).Compute, func(in []*Node) []*Node {
		return build(func(k int) *equivariant.Matrix {
			return form.Matrix(Squeeze(SliceAxis(in[1], 1, AxisElem(k)), 1), in[2:])
		}, in[0])
	}, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(out))
	for i, x := range out {
		values[i] = host.Floats(x)
	}
	return values
}

// at returns the adjacency and the features of an observation of a window.
func (w windows) at(window, observation int) (a, x *mat.Dense) {
	s := w.sizes
	size := s.Nodes * s.Features
	return mat.NewDense(s.Nodes, s.Nodes, w.graphs[window][observation]),
		mat.NewDense(s.Nodes, s.Features, w.features[(window*s.Inputs+observation)*size:][:size])
}

// sumsOf returns the sums of rows.
func sumsOf(a mat.Matrix) []float64 {
	n, _ := a.Dims()
	sums := make([]float64, n)
	for i := range sums {
		sums[i] = mat.Sum(mat.NewVecDense(n, mat.Row(nil, i, a)))
	}
	return sums
}

// scaled divides row i by sums[i]^power and column j by sums[j]^other; rows of sum 0 become 0.
func scaled(a mat.Matrix, sums []float64, power, other float64) *mat.Dense {
	var out mat.Dense
	out.Apply(func(i, j int, x float64) float64 {
		if sums[i] == 0 || x == 0 {
			return 0
		}
		return x * math.Pow(sums[i], -power) * math.Pow(sums[j], -other)
	}, a)
	return &out
}

// The random walks are powers of D_o^-1 A and D_i^-1 A^T, with rows of zeros for nodes without edges.
func TestDiffusionTerms(t *testing.T) {
	const order, observations = 3, 2
	w := drawWindows(small, 2)
	for _, product := range []equivariant.Product{equivariant.Dense, equivariant.Sparse} {
		got := w.onGraphs(t, product, func(graph func(int) *equivariant.Matrix, features *Node) (terms []*Node) {
			for k := range observations {
				terms = append(terms, newWalk(graph(k), order, false).terms(Squeeze(SliceAxis(features, 1, AxisElem(k)), 1))...)
			}
			return terms
		})
		for window := range w.graphs {
			var want [][]float64
			for k := range observations {
				a, x := w.at(window, k)
				forth, back := scaled(a, sumsOf(a), 1, 0), scaled(a.T(), sumsOf(a.T()), 1, 0)
				want = append(want, slices.Clone(x.RawMatrix().Data))
				along, against := x, x
				for range order {
					var f, b mat.Dense
					f.Mul(forth, along)
					b.Mul(back, against)
					along, against = &f, &b
					want = append(want, f.RawMatrix().Data, b.RawMatrix().Data)
				}
			}
			for i := range want {
				fixture.Close(t, fmt.Sprintf("%s: window %d, term %d", product, window, i),
					got[i][window*len(want[i]):][:len(want[i])], want[i], 1e-14)
			}
		}
	}
}

// The polynomials are computed from the Laplacian: T_1 = L - I for nodes with edges, T_2 = 2 T_1 T_1 - I and so on.
// They are multiplied by the attention.
func TestChebyshev(t *testing.T) {
	const count = 4
	w := drawWindows(small, 2)
	n := small.Nodes
	weight := func(window, i, j int) float64 { return 1 + math.Sin(float64((window*n+i)*n+j)) }
	for _, product := range []equivariant.Product{equivariant.Dense, equivariant.Sparse} {
		got := w.onGraphs(t, product, func(graph func(int) *equivariant.Matrix, features *Node) []*Node {
			attention := IotaFull(features.Graph(), shapes.Make(features.DType(), 2*n*n))
			attention = AddScalar(Sin(attention), 1)
			return newChebyshev(graph, small.Inputs, count).attended(Reshape(attention, 2, n, n), features)
		})
		for window := range w.graphs {
			for k := range small.Inputs {
				a, x := w.at(window, k)
				var both, next mat.Dense
				both.Add(a, a.T())
				identity := mat.NewDiagDense(n, slices.Repeat([]float64{1}, n))
				first := scaled(&both, sumsOf(&both), 0.5, 0.5)
				first.Scale(-1, first)
				polynomials := []mat.Matrix{identity, first}
				for i := 2; i < count; i++ {
					next.Reset()
					next.Mul(first, polynomials[i-1])
					next.Scale(2, &next)
					next.Sub(&next, polynomials[i-2])
					polynomials = append(polynomials, mat.DenseCopyOf(&next))
				}
				for i, p := range polynomials {
					var want mat.Dense
					var attended mat.Dense
					attended.Apply(func(u, v int, x float64) float64 { return x * weight(window, u, v) }, p)
					want.Mul(&attended, x)
					data := want.RawMatrix().Data
					fixture.Close(t, fmt.Sprintf("%s: window %d, observation %d, T_%d", product, window, k, i),
						got[i][(window*small.Inputs+k)*len(data):][:len(data)], data, 1e-13)
				}
			}
		}
	}
}
