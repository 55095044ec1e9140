package equivariant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// matrices is a batch of A and A' as dense matrices.
type matrices struct {
	n     int
	a, da [][]float64
}

// lay puts both on the union of their nonzero entries, as rows of a layout.
func (m matrices) lay(t testing.TB, product Product) (l layout, rows [2][]float64) {
	t.Helper()
	var patterns []*dyngraph.Pattern
	var weights [2][][]float64
	for b := range m.a {
		var from, to []int
		var w [2][]float64
		for i := range m.a[b] {
			if m.a[b][i] != 0 || m.da[b][i] != 0 {
				from, to = append(from, i/m.n), append(to, i%m.n)
				w[0], w[1] = append(w[0], m.a[b][i]), append(w[1], m.da[b][i])
			}
		}
		p, _, err := dyngraph.NewPattern(m.n, from, to)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
		weights[0], weights[1] = append(weights[0], w[0]), append(weights[1], w[1])
	}
	l, err := product.layout(NeighbourCapacity{}, patterns)
	if err != nil {
		t.Fatal(err)
	}
	for side := range rows {
		for b := range patterns {
			rows[side] = append(rows[side], rowOf(l, b, weights[side][b])...)
		}
	}
	return l, rows
}

// rowOf is the row of one snapshot of a sample.
func rowOf(l layout, sample int, weights []float64) []float64 {
	row := make([]float64, l.width())
	l.fill(row, sample, weights)
	return row
}

// run builds a graph on the pair and further inputs, and returns its outputs.
func (m matrices) run(t testing.TB, backend *xla.Backend, product Product, build func(p *Pair, in []*Node) []*Node,
	inputs ...*tensors.Tensor) [][]float64 {
	t.Helper()
	layout, rows := m.lay(t, product)
	tables, width := layout.tables(), layout.width()
	all := []any{
		tensors.FromFlatDataAndDimensions(rows[0], len(m.a), width),
		tensors.FromFlatDataAndDimensions(rows[1], len(m.a), width),
	}
	for _, x := range append(tables, inputs...) {
		all = append(all, x)
	}
	out, err := CallOnceN(backend.Compute, func(in []*Node) []*Node {
		form, tables := layout.Form, in[2:2+len(tables)]
		pair := NewPair(form.Matrix(in[0], tables), form.Matrix(in[1], tables))
		return build(pair, in[2+len(tables):])
	}, all...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(out))
	for i, x := range out {
		values[i] = tensors.MustCopyFlatData[float64](x)
	}
	return values
}

func array(a fixture.Array, batched bool) *tensors.Tensor {
	dims := a.Dims
	if batched {
		dims = append([]int{1}, dims...)
	}
	return tensors.FromFlatDataAndDimensions(append([]float64{}, a.Data...), dims...)
}

var products = map[string]Product{"dense": Dense, "sparse": Sparse}

func TestFixtureFusion(t *testing.T) {
	f := fixture.Load(t, "fusion")
	a, da, z := f.Get("A").Array(), f.Get("dA").Array(), f.Get("Z").Array()
	n := f.Get("n").Int()
	m := matrices{n: n, a: [][]float64{a.Data}, da: [][]float64{da.Data}}
	still := matrices{n: n, a: [][]float64{a.Data}, da: [][]float64{make([]float64, n*n)}}
	for i, k := range All15() {
		fixture.Close(t, k.String(), definition(k, a.Data, n), f.Get("basis15_of_A").Array().Row(i).Data, 1e-13)
	}
	params8 := f.Get("undirected8_params")
	var w8 []float64
	for k := range Published8() {
		w8 = append(w8, params8.Get(fmt.Sprintf("param%d", k+1)).Array().Data...)
	}
	var w11 []float64
	for _, k := range []string{"1", "2", "3", "4", "4_prime", "5", "5_prime", "6", "6_prime", "7", "8"} {
		w11 = append(w11, f.Get("directed11_params", "param"+k).Array().Data...)
	}
	maps11, derivative11 := Published11()
	w15 := f.Get("full15_w").Array()
	for i, scale := range f.Get("full15_scale").Array().Data {
		if got := Map(i).Scale(n); !(math.Abs(got-scale) <= 1e-15) {
			t.Errorf("%v: scale %g, want %g", Map(i), got, scale)
		}
	}
	times := func(m, z []float64) []float64 {
		d := len(z) / n
		out := make([]float64, len(z))
		for i := range n {
			for j := range n {
				for c := range d {
					out[i*d+c] += m[i*n+j] * z[j*d+c]
				}
			}
		}
		return out
	}
	for name, product := range products {
		t.Run(name, func(t *testing.T) {
			apply := func(m matrices, fusion Fusion, w []float64) []float64 {
				weights := tensors.FromFlatDataAndDimensions(append([]float64{}, w...), len(fusion.Maps), 2)
				return m.run(t, xlatest.Backend(t), product, func(p *Pair, in []*Node) []*Node {
					return []*Node{fusion.Apply(p, 0, in[0], in[1])}
				}, weights, array(z, true))[0]
			}
			fixture.Close(t, "8 maps, published defect", apply(m, Fusion{Maps: Published8(), Parity: true}, w8),
				f.Get("undirected8_MZ").Array().Data, 1e-13)
			fixture.Close(t, "8 maps", apply(m, Fusion{Maps: Published8()}, w8),
				times(f.Get("undirected8_M_with_tau_fix").Array().Data, z.Data), 1e-13)
			directed := Fusion{Maps: maps11, Derivative: derivative11, Parity: true}
			fixture.Close(t, "11 maps, published defect", apply(m, directed, w11), f.Get("directed11_MZ").Array().Data, 1e-13)
			fixture.Close(t, "15 maps", apply(m, Fusion{Maps: All15()}, w15.Data), f.Get("full15_MZ").Array().Data, 1e-13)
			identity := times(a.Data, z.Data) // the offset of the identity map
			single := still.run(t, xlatest.Backend(t), product, func(p *Pair, in []*Node) []*Node {
				var out []*Node
				for _, k := range All15() {
					weight := ConstAs(in[0], [][]float64{{1 / k.Scale(n), 0}})
					out = append(out, Fusion{Maps: []Map{k}}.Apply(p, 0, weight, in[0]))
				}
				return out
			}, array(z, true))
			for i, k := range All15() {
				floats.Sub(single[i], identity)
				fixture.Close(t, k.String(), single[i], f.Get("basis15_of_A_times_Z").Array().Row(i).Data, 1e-12)
			}
		})
	}
}

func TestFixtureConvLayer(t *testing.T) {
	f := fixture.Load(t, "conv_layer")
	w := f.Get("linear_W").Array()
	n := f.Get("M").Array().Dims[0]
	layer := Layer{Name: "l", In: w.Dims[1], Out: w.Dims[0], Fusion: Fusion{Maps: Published8(), Parity: true}}
	var maps []float64
	params := fixture.Load(t, "fusion").Get("undirected8_params")
	for k := range Published8() {
		maps = append(maps, params.Get(fmt.Sprintf("param%d", k+1)).Array().Data...)
	}
	m := matrices{n: n, a: [][]float64{f.Get("M").Array().Data}, da: [][]float64{f.Get("dA").Array().Data}}
	inputs := []*tensors.Tensor{
		array(f.Get("Z").Array(), true), array(w, false), array(f.Get("linear_b").Array(), false),
		array(f.Get("norm_gamma").Array(), false), array(f.Get("norm_beta").Array(), false),
		tensors.FromFlatDataAndDimensions(maps, len(Published8()), 2), array(f.Get("M").Array(), true),
	}
	for name, product := range products {
		t.Run(name, func(t *testing.T) {
			out := m.run(t, xlatest.Backend(t), product, func(p *Pair, in []*Node) []*Node {
				v := nn.Bind(layer.Params(), []*Node{in[5], in[1], in[2], in[3], in[4]})
				plain := layer.convolution().Apply(v, in[0], func(x *Node) *Node {
					return DotGeneral(in[6], []int{2}, []int{0}, x, []int{1}, []int{0})
				})
				return []*Node{plain, layer.Apply(v, p, in[0])}
			}, inputs...)
			fixture.Close(t, "plain", out[0], f.Get("out_plain").Array().Data, 1e-13)
			fixture.Close(t, "equivariant", out[1], f.Get("out_equiv8").Array().Data, 1e-13)
		})
	}
}

// problem is a random batch for a fusion of all maps.
type problem struct {
	matrices
	d       int
	z, w    []float64
	batches int
}

func draw(rng *rand.Rand, batch, n, d int, fill float64) problem {
	p := problem{matrices: matrices{n: n}, d: d, batches: batch}
	for range batch {
		a, da := make([]float64, n*n), make([]float64, n*n)
		for i := range a {
			if rng.Float64() < fill {
				a[i], da[i] = rng.NormFloat64(), rng.NormFloat64()
			}
		}
		p.a, p.da = append(p.a, a), append(p.da, da)
	}
	normal := func(count int) []float64 {
		x := make([]float64, count)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	p.z, p.w = normal(batch*n*d), normal(2*mapCount)
	return p
}

// action returns M Z.
func (p problem) action(t testing.TB, product Product) []float64 {
	t.Helper()
	return p.run(t, xlatest.Go(t), product, func(pair *Pair, in []*Node) []*Node {
		return []*Node{Fusion{Maps: All15()}.Apply(pair, 0, in[1], in[0])}
	}, p.inputs()...)[0]
}

func (p problem) inputs() []*tensors.Tensor {
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(append([]float64{}, p.z...), p.batches, p.n, p.d),
		tensors.FromFlatDataAndDimensions(append([]float64{}, p.w...), mapCount, 2),
	}
}

// gradients returns M Z, and the gradients of a fixed combination of its entries with respect to Z and the map weights.
func (p problem) gradients(t testing.TB, product Product) [][]float64 {
	t.Helper()
	fusion := Fusion{Maps: All15()}
	return p.run(t, xlatest.Go(t), product, func(pair *Pair, in []*Node) []*Node {
		y := fusion.Apply(pair, 0, in[1], in[0])
		probe := Sin(ConvertDType(IotaFull(y.Graph(), y.Shape()), y.DType()))
		out := append([]*Node{y}, Gradient(ReduceAllSum(Mul(probe, y)), in[0], in[1])...)
		for _, node := range y.Graph().Nodes() {
			if node.Type() == NodeTypeScatterSum {
				t.Errorf("the gradient scatters: %s", node)
			}
		}
		return out
	}, p.inputs()...)
}

// definition is M Z by the dense definition of the maps.
func (p problem) definition() []float64 {
	out := make([]float64, len(p.z))
	for b := range p.a {
		for k := range mapCount {
			m := Map(k)
			for side, a := range [][]float64{p.a[b], p.da[b]} {
				w := p.w[2*k+side] * m.Scale(p.n)
				if m == IdentityMap {
					w++
				}
				for i, v := range definition(m, a, p.n) {
					for c := range p.d {
						out[(b*p.n+i/p.n)*p.d+c] += w * v * p.z[(b*p.n+i%p.n)*p.d+c]
					}
				}
			}
		}
	}
	return out
}

func TestActionIsTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, c := range []struct {
		batch, n, d int
		fill        float64
	}{{1, 1, 1, 1}, {2, 7, 3, 0}, {3, 9, 2, 0.3}} {
		p := draw(rng, c.batch, c.n, c.d, c.fill)
		want := p.definition()
		fromDense, fromSparse := p.gradients(t, Dense), p.gradients(t, Sparse)
		fixture.Close(t, "dense action", fromDense[0], want, 1e-12)
		fixture.Close(t, "sparse action", fromSparse[0], want, 1e-12)
		for i, what := range []string{"", "gradient of Z", "gradient of the map weights"} {
			if i > 0 {
				fixture.Close(t, "sparse against dense: "+what, fromSparse[i], fromDense[i], 1e-12)
			}
		}
	}
}

// The backward pass gathers states again; states gathered in the forward pass are not kept.
func TestGatheredAgain(t *testing.T) {
	gathers := func(gradient bool) (count int) {
		p := draw(rand.New(rand.NewPCG(5, 3)), 1, 5, 2, 0.5)
		p.run(t, xlatest.Go(t), Sparse, func(pair *Pair, in []*Node) []*Node {
			out := []*Node{Fusion{Maps: All15()}.Apply(pair, 0, in[1], in[0])}
			if gradient {
				out = Gradient(ReduceAllSum(Square(out[0])), in[0], in[1])
			}
			for _, node := range in[0].Graph().Nodes() {
				if node.Type() == NodeTypeGather {
					count++
				}
			}
			return out
		}, p.inputs()...)
		return count
	}
	if forward, both := gathers(false), gathers(true); forward == 0 || both != 3*forward {
		t.Errorf("%d gathers forward and %d with the gradient, want 3 times as many: states twice, cotangents once", forward,
			both)
	}
}

func TestGradientsAgainstDifferences(t *testing.T) {
	p := draw(rand.New(rand.NewPCG(3, 4)), 2, 6, 2, 0.4)
	value := func(q problem) (v float64) {
		for i, y := range q.definition() {
			v += math.Sin(float64(i)) * y
		}
		return v
	}
	for name, product := range products {
		got := p.gradients(t, product)
		for part, entry := range map[int]func(*problem) *[]float64{
			1: func(q *problem) *[]float64 { return &q.z }, 2: func(q *problem) *[]float64 { return &q.w },
		} {
			want := make([]float64, len(got[part]))
			for i := range want {
				q := p
				x := append([]float64{}, *entry(&p)...)
				*entry(&q) = x
				const h = 1e-4 // the value is linear in z and in w, so differences are exact
				x[i] += h
				up := value(q)
				x[i] -= 2 * h
				want[i] = (up - value(q)) / (2 * h)
			}
			fixture.Close(t, fmt.Sprintf("%s, gradient %d", name, part), got[part], want, 1e-9)
		}
	}
}

func TestRelabellingEquivariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for _, size := range []int{2, 7} {
		p := draw(rng, 1, size, 2, 0.4)
		n, d := p.n, p.d
		order := rng.Perm(n)
		q := p
		q.a, q.da, q.z = [][]float64{make([]float64, n*n)}, [][]float64{make([]float64, n*n)}, make([]float64, n*d)
		for i, to := range order {
			for j, toJ := range order {
				q.a[0][to*n+toJ], q.da[0][to*n+toJ] = p.a[0][i*n+j], p.da[0][i*n+j]
			}
			copy(q.z[to*d:(to+1)*d], p.z[i*d:])
		}
		for name, product := range products {
			y, relabelled := p.action(t, product), q.action(t, product)
			want := make([]float64, n*d)
			for i, to := range order {
				copy(want[to*d:(to+1)*d], y[i*d:(i+1)*d])
			}
			fixture.Close(t, name, relabelled, want, 1e-12)
		}
	}
}
