package nn

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// BenchmarkNormalised measures an activation, a norm and a linear map of 16 features, for batches of 4 in float32. It
// alternates between plain operations, only the activation in plain operations, and all in C. A program has eight in
// sequence, so that the overhead of its call is small; the result is the fastest call divided by eight.
func BenchmarkNormalised(b *testing.B) {
	silu, relu := SiLU, Rectified
	for _, variant := range []struct {
		name   string
		norm   Norm
		before *Activation
	}{{"graph-silu", Norm{Over: GraphNorm}, &silu}, {"row-silu", Norm{}, &silu}, {"row-relu", Norm{}, &relu},
		{"none-silu", Norm{Over: NoNorm}, &silu}} {
		for _, n := range []int{100, 144, 529} {
			for _, pull := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/n=%d/pullback=%t", variant.name, n, pull), func(b *testing.B) {
					r := RMSNorm{Name: "norm", Size: benchWidth, Norm: variant.norm}
					takeTurns(b, n, pull, r, map[string]func(v Values, l Linear, x *Node) *Node{
						"plain": func(v Values, l Linear, x *Node) *Node {
							return l.Apply(v, r.Apply(v, variant.before.Apply(x)))
						},
						"kernel": func(v Values, l Linear, x *Node) *Node {
							return Normalised(v, nil, r, l, variant.before.Apply(x))
						},
						"fused": func(v Values, l Linear, x *Node) *Node { return Normalised(v, variant.before, r, l, x) },
					})
				})
			}
		}
	}
}

const benchWidth, benchDepth = 16, 8

func takeTurns(b *testing.B, n int, pull bool, r RMSNorm, ways map[string]func(v Values, l Linear, x *Node) *Node) {
	const batch = 4
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, batch*n*benchWidth)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	l := Linear{Name: "linear", In: benchWidth, Out: benchWidth}
	declared := append(l.Params(), r.Params()...)
	var owned xla.Buffers
	defer owned.Free()
	var args []any
	for _, x := range owned.Own(append(Draw(declared, dtypes.Float32, 1),
		host.Tensor(dtypes.Float32, values, batch, n, benchWidth))...) {
		args = append(args, x)
	}
	calls, fastest := map[string]func(){}, map[string]time.Duration{}
	for name, way := range ways {
		program, err := xla.NewProgram(xlatest.Backend(b), "normalised", func(in []*Node) []*Node {
			x := in[len(in)-1]
			for range benchDepth {
				x = way(Bind(declared, in), l, x)
			}
			if pull {
				return append([]*Node{x}, Gradient(ReduceAllSum(Square(x)), in...)...)
			}
			return []*Node{x}
		})
		if err != nil {
			b.Fatal(err)
		}
		defer program.Close()
		calls[name] = func() {
			out, err := program.Call(args...)
			if err != nil {
				b.Fatal(err)
			}
			host.Floats(out[0])
			xla.Free(out...)
		}
		calls[name]() // compiles
	}
	for b.Loop() {
		for name, call := range calls {
			start := time.Now()
			call()
			if took := time.Since(start); fastest[name] == 0 || took < fastest[name] {
				fastest[name] = took
			}
		}
	}
	for name, took := range fastest {
		b.ReportMetric(float64(took.Nanoseconds())/1000/benchDepth, name+"-µs")
	}
}
