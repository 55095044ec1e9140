package equivariant

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// BenchmarkProduct measures the times on which [Product.Choose] is based: two layers of the 8 published maps, 16
// features, batches of 4, float32, forward and backward, dense and sparse in turns. The graphs are random; some have a
// hub with all edges.
func BenchmarkProduct(b *testing.B) {
	for _, size := range []struct{ n, edges, hub int }{
		{64, 256, 0}, {64, 1024, 0}, {100, 400, 0}, {100, 1600, 0}, {129, 516, 0}, {129, 2400, 0}, {256, 4096, 0},
		{256, 8192, 0}, {256, 16000, 0},
		{400, 6400, 0}, {1000, 16000, 0}, {1000, 125000, 0}, {1000, 250000, 0}, {1000, 4000, 819}, {2048, 32768, 0},
	} {
		b.Run(fmt.Sprintf("n=%d/edges=%d/hub=%d", size.n, size.edges, size.hub), func(b *testing.B) {
			layers := func(p Product) twoLayers { return randomLayers(b, size.n, size.edges, size.hub, p, 0) }
			chosen := "dense"
			if layers(Auto).layout.buckets != nil {
				chosen = "sparse"
			}
			edges := layers(Auto).layout.patterns[0].Edges() // without duplicate draws
			b.Logf("%.3f of the matrix is filled: %s is chosen", float64(edges)/float64(size.n*size.n), chosen)
			takeTurns(b, [2]string{"dense", "sparse"}, [2]func(){layers(Dense).prepare(b), layers(Sparse).prepare(b)})
		})
	}
}

// BenchmarkModulation measures the same with A and A' modulated by identities of size k, or without modulation for k =
// 0.
func BenchmarkModulation(b *testing.B) {
	for _, size := range []struct{ n, edges, hub int }{{400, 6400, 0}, {1000, 4000, 819}} {
		for _, product := range []Product{Dense, Sparse} {
			for _, k := range []int{0, 16, 512} {
				name := string(product)
				b.Run(fmt.Sprintf("n=%d/edges=%d/hub=%d/%s/k=%d", size.n, size.edges, size.hub, name, k), func(b *testing.B) {
					call := randomLayers(b, size.n, size.edges, size.hub, product, k).prepare(b)
					for b.Loop() {
						call()
					}
				})
			}
		}
	}
}

// BenchmarkUndirected measures the gain of [layout.fit] for undirected graphs of the given mean degree, forward only
// and with the backward pass: the same two layers in the general and in the symmetric layout, with the bytes of the
// control's rows for a pair of snapshots.
func BenchmarkUndirected(b *testing.B) {
	const batch = 4
	for _, n := range []int{400, 2048} {
		for _, degree := range []int{8, 16} {
			rng := rand.New(rand.NewPCG(1, 3))
			patterns := make([]*dyngraph.Pattern, batch)
			snapshots := make([][][]float64, batch)
			for i := range patterns {
				var from, to []int
				for range n * degree / 2 {
					u, v := rng.IntN(n), rng.IntN(n)
					from, to = append(from, u, v), append(to, v, u)
				}
				var err error
				if patterns[i], _, err = dyngraph.NewPattern(n, from, to); err != nil {
					b.Fatal(err)
				}
				for range 2 {
					snapshots[i] = append(snapshots[i], mirrored(patterns[i], func() float64 { return rng.Float64() / 16 }))
				}
			}
			general, err := Sparse.layout(NeighbourCapacity{}, patterns)
			if err != nil {
				b.Fatal(err)
			}
			for _, backward := range []bool{false, true} {
				b.Run(fmt.Sprintf("n=%d/degree=%d/backward=%t", n, degree, backward), func(b *testing.B) {
					var calls [2]func()
					layouts := []layout{general, general.fit(snapshots)}
					for i, layout := range layouts {
						calls[i] = twoLayers{layout: layout, snapshots: snapshots, forward: !backward}.prepare(b)
					}
					takeTurns(b, [2]string{"general", "symmetric"}, calls)
					for i, name := range []string{"row-bytes", "symmetric-row-bytes"} {
						b.ReportMetric(float64(2*batch*layouts[i].width()*4), name)
					}
				})
			}
		}
	}
}

// takeTurns calls the two functions in turns and reports the fastest call of each and the ratio of the second to the
// first. Other work on the machine then affects neither.
func takeTurns(b *testing.B, names [2]string, calls [2]func()) {
	var fastest [2]time.Duration
	for b.Loop() {
		for i, call := range calls {
			start := time.Now()
			call()
			if took := time.Since(start); fastest[i] == 0 || took < fastest[i] {
				fastest[i] = took
			}
		}
	}
	for i, name := range names {
		b.ReportMetric(float64(fastest[i].Microseconds()), name+"-µs")
	}
	b.ReportMetric(float64(fastest[1])/float64(fastest[0]), "ratio")
}

// randomLayers are on random graphs.
func randomLayers(b *testing.B, n, edges, hub int, product Product, identitySize int) twoLayers {
	const batch = 4
	rng := rand.New(rand.NewPCG(1, 2))
	patterns := make([]*dyngraph.Pattern, batch)
	snapshots := make([][][]float64, batch)
	for i := range patterns {
		from, to := make([]int, edges), make([]int, edges)
		for e := range from {
			if from[e], to[e] = rng.IntN(n), rng.IntN(n); e < hub {
				from[e], to[e] = e, 0
			}
		}
		p, _, err := dyngraph.NewPattern(n, from, to)
		if err != nil {
			b.Fatal(err)
		}
		for range 2 {
			weights := make([]float64, p.Edges())
			for e := range weights {
				weights[e] = rng.Float64() / 16
			}
			snapshots[i] = append(snapshots[i], weights)
		}
		patterns[i] = p
	}
	layout, err := product.layout(NeighbourCapacity{}, patterns)
	if err != nil {
		b.Fatal(err)
	}
	return twoLayers{layout: layout, snapshots: snapshots, identitySize: identitySize}
}

// twoLayers are layers of the 8 published maps on 16 features in float32.
type twoLayers struct {
	layout       layout
	snapshots    [][][]float64 // [samples], A and A', [edges]
	identitySize int
	forward      bool // without the backward pass
}

// prepare compiles and returns the function that calls the program.
func (w twoLayers) prepare(b *testing.B) (call func()) {
	const width = 16
	layout, n, batch, identitySize := w.layout, w.layout.Nodes, len(w.snapshots), w.identitySize
	rng := rand.New(rand.NewPCG(2, 2))
	z := make([]float64, batch*n*width)
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	var owned xla.Buffers
	b.Cleanup(owned.Free)
	var rows [2][]float64
	for i, pair := range w.snapshots {
		for side := range rows {
			rows[side] = append(rows[side], rowOf(layout, i, pair[side])...)
		}
	}
	layer := Layer{Name: "l", In: width, Out: width, Fusion: Fusion{Maps: Published8()}}
	identities := Identities{Name: "id", Size: identitySize}
	params := layer.Params()
	if identitySize > 0 {
		params = append(params, identities.Params()...)
		for _, name := range []string{"a", "da"} {
			params = append(params, Modulation{Name: name, Size: identitySize}.Params()...)
		}
	}
	inputs := owned.Own(
		host.Tensor(dtypes.Float32, rows[0], batch, layout.width()),
		host.Tensor(dtypes.Float32, rows[1], batch, layout.width()),
		host.Tensor(dtypes.Float32, z, batch, n, width))
	inputs = append(inputs, owned.Own(nn.Draw(params, dtypes.Float32, 1)...)...)
	inputs = append(inputs, owned.Own(layout.tables()...)...)
	program, err := xla.NewProgram(xlatest.Backend(b), "layers", func(in []*Node) []*Node {
		args := in[3:]
		v, tables := nn.Bind(params, args), args[len(params):]
		a, da := layout.Matrix(in[0], tables), layout.Matrix(in[1], tables)
		if identitySize > 0 {
			phi := identities.Apply(v, n)
			a = Modulation{Name: "a", Size: identitySize}.Apply(v, a, phi)
			da = Modulation{Name: "da", Size: identitySize}.Apply(v, da, phi)
		}
		pair := NewPair(a, da)
		y := layer.Apply(v, pair, nn.ReLU(layer.Apply(v, pair, in[2])))
		if w.forward {
			return []*Node{y, ReduceAllSum(y)}
		}
		return Gradient(ReduceAllSum(Square(y)), append([]*Node{in[2]}, args[:len(params)]...)...)
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(program.Close)
	args := make([]any, len(inputs))
	for i, input := range inputs {
		args[i] = input
	}
	call = func() {
		out, err := program.Call(args...)
		if err != nil {
			b.Fatal(err)
		}
		host.Floats(out[1])
		xla.Free(out...)
	}
	call() // compiles
	return call
}
