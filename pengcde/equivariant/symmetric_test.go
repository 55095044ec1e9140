package equivariant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// undirected is a batch of graphs with loops, a hub and nodes without edges, every edge in both directions.
func undirected(t testing.TB, n, batch int) []*dyngraph.Pattern {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 1))
	var patterns []*dyngraph.Pattern
	for b := range batch {
		var from, to []int
		join := func(u, v int) { from, to = append(from, u, v), append(to, v, u) }
		for u := range n - 2 {
			if join(u, rng.IntN(n-2)); u%3 > 0 {
				join(u, b)
			}
		}
		p, _, err := dyngraph.NewPattern(n, from, to)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
	}
	return patterns
}

// mirrored gives both directions of an edge the weight drawn for the first of them.
func mirrored(p *dyngraph.Pattern, draw func() float64) []float64 {
	weights := make([]float64, p.Edges())
	for e, other := range opposites(p) {
		if int(other) >= e {
			weights[e] = draw()
			weights[other] = weights[e]
		}
	}
	return weights
}

// acting is a program with all operations that multiply by matrices in a layout: a fusion of all maps, a fusion with
// other maps of A', and A itself, or a fusion of modulated matrices. It also returns the gradients of a fixed
// combination of all, with respect to states, weights, parameters, then rows.
type acting struct {
	layout  layout
	program *xla.Program
	params  []nn.Param
}

const actingWidth = 2

func newActing(t *testing.T, layout layout, modulated bool) *acting {
	t.Helper()
	a := &acting{layout: layout}
	if modulated {
		a.params = modulatedProblem{identities: Identities{Name: "id", Size: 3}}.declared()
	}
	backend := xlatest.Go(t)
	if !modulated && layout.Symmetric {
		backend = xlatest.Backend(t)
	}
	maps, derivative := Published11()
	var err error
	a.program, err = xla.NewProgram(backend, "products", func(in []*Node) []*Node {
		rows, z, w, w11, rest := in[:2], in[2], in[3], in[4], in[5:]
		taken := make([]*Matrix, 2)
		for i, row := range rows {
			taken[i] = layout.Matrix(row, rest[len(a.params):])
		}
		if modulated {
			v := nn.Bind(a.params, rest[:len(a.params)])
			phi := Identities{Name: "id", Size: 3}.Apply(v, layout.Nodes)
			for i, name := range []string{ofA, ofDerivative} {
				taken[i] = Modulation{Name: name, Size: 3}.Apply(v, taken[i], phi)
			}
		}
		pair := NewPair(taken[0], taken[1])
		// Twice, so that a cotangent passes through a product.
		y := Fusion{Maps: All15()}.Apply(pair, 0, w, Fusion{Maps: maps, Derivative: derivative}.Apply(pair, 0, w11, z))
		y = Add(y, taken[0].With(Add(taken[0].Rows, taken[1].Rows)).Apply(y))
		probe := Sin(ConvertDType(IotaFull(y.Graph(), y.Shape()), y.DType()))
		wanted := slices.Concat([]*Node{z, w, w11}, rest[:len(a.params)], rows)
		return append([]*Node{y}, Gradient(ReduceAllSum(Mul(probe, y)), wanted...)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.program.Close)
	return a
}

// call returns the outputs for weights [2][samples][edges]; for rows it gives the derivatives by undirected edges.
func (a *acting) call(t fataler, weights [2][][]float64, z, w, w11 []float64, params [][]float64) [][]float64 {
	batch := len(a.layout.patterns)
	var owned xla.Buffers
	defer owned.Free()
	var args []any
	give := func(data []float64, dims ...int) {
		args = append(args, owned.Own(host.Tensor(dtypes.Float64, data, dims...))[0])
	}
	for _, side := range weights {
		var rows []float64
		for b := range side {
			rows = append(rows, rowOf(a.layout, b, side[b])...)
		}
		give(rows, batch, a.layout.width())
	}
	give(z, batch, a.layout.Nodes, actingWidth)
	give(w, mapCount, 2)
	give(w11, 11, 2)
	for i, p := range a.params {
		give(params[i], p.Dims...)
	}
	for _, table := range owned.Own(a.layout.tables()...) {
		args = append(args, table)
	}
	out, err := a.program.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	var values [][]float64
	for _, x := range owned.Own(out...) {
		values = append(values, host.Floats(x))
	}
	for side := len(values) - 2; side < len(values); side++ {
		var slopes []float64
		for b, p := range a.layout.patterns {
			for e, other := range opposites(p) {
				unit := make([]float64, p.Edges())
				unit[e], unit[other] = 1, 1
				slope := 0.0
				for i, v := range rowOf(a.layout, b, unit) {
					slope += v * values[side][b*a.layout.width()+i]
				}
				slopes = append(slopes, slope)
			}
		}
		values[side] = slopes
	}
	return values
}

type fataler interface{ Fatal(...any) }

// A symmetric layout gives the same products as the other layout, and the same gradients with respect to states, to
// every weight and parameter, and to the weight of every undirected edge.
func TestSymmetricLayoutIsTheOther(t *testing.T) {
	const n, batch = 12, 2
	patterns := undirected(t, n, batch)
	for modulated, tolerance := range map[bool]float64{false: 1e-12, true: 1e-11} {
		var all []*acting
		var names []string
		for _, product := range []Product{Sparse, Dense} {
			layout, err := product.layout(NeighbourCapacity{}, patterns)
			if err != nil {
				t.Fatal(err)
			}
			fitted := layout.fit(make([][][]float64, batch))
			if !fitted.Symmetric || layout.Symmetric {
				t.Fatal("an undirected pattern should fit, and leave the layout as it was")
			}
			all = append(all, newActing(t, layout, modulated), newActing(t, fitted, modulated))
			names = append(names, fmt.Sprintf("product %s", product), fmt.Sprintf("product %s, symmetric", product))
		}
		rapid.Check(t, func(r *rapid.T) {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
			normal := func(count int) []float64 {
				x := make([]float64, count)
				for i := range x {
					x[i] = 0.3 * rng.NormFloat64()
				}
				return x
			}
			var weights [2][][]float64
			for side := range weights {
				for _, p := range patterns {
					weights[side] = append(weights[side], mirrored(p, func() float64 {
						return float64(rng.IntN(4)) / 8 * rng.NormFloat64() // some are 0
					}))
				}
			}
			z, w, w11 := normal(batch*n*actingWidth), normal(2*mapCount), normal(22)
			var params [][]float64
			for _, p := range all[0].params {
				params = append(params, normal(p.Size()))
			}
			want := all[0].call(r, weights, z, w, w11, params)
			for i, other := range all[1:] {
				got := other.call(r, weights, z, w, w11, params)
				for k := range want {
					fixture.Close(t, fmt.Sprintf("%s, output %d, modulated %t", names[1+i], k, modulated), got[k], want[k], tolerance)
				}
			}
		})
	}
}

// A weight that differs from its opposite in the last bit, in any snapshot of any sample, leaves the layout unchanged.
// So do an edge without an opposite and a weight that is not a number.
func TestFitIsForSymmetricSnapshotsOnly(t *testing.T) {
	const n, batch, snapshots = 9, 3, 2
	patterns := undirected(t, n, batch)
	layout, err := Sparse.layout(NeighbourCapacity{}, patterns)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		all := make([][][]float64, batch)
		for b, p := range patterns {
			for range snapshots {
				all[b] = append(all[b], mirrored(p, func() float64 { return rapid.Float64Range(-2, 2).Draw(r, "w") }))
			}
		}
		if !layout.fit(all).Symmetric {
			r.Fatal("symmetric snapshots do not fit")
		}
		b, j := rapid.IntRange(0, batch-1).Draw(r, "sample"), rapid.IntRange(0, snapshots-1).Draw(r, "snapshot")
		p := patterns[b]
		e := rapid.IntRange(0, p.Edges()-1).Filter(func(e int) bool { return p.From[e] != p.To[e] }).Draw(r, "edge")
		was := all[b][j][e]
		for _, other := range []float64{math.Nextafter(was, 3), was + 1, math.NaN()} {
			all[b][j][e] = other
			if layout.fit(all).Symmetric {
				r.Fatalf("weight %g of edge %d -> %d, its opposite has %g: fits", other, p.From[e], p.To[e], was)
			}
		}
	})
	ring, _, err := dyngraph.NewPattern(3, []int{0, 1, 2}, []int{1, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	layout, err = Sparse.layout(NeighbourCapacity{}, []*dyngraph.Pattern{ring})
	if err != nil {
		t.Fatal(err)
	}
	if layout.fit([][][]float64{{{0, 0, 0}}}).Symmetric {
		t.Error("a directed ring fits")
	}
}
