package field

import (
	"context"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// responder is a field as a function of the control's value and derivative.
type responder interface {
	Params() []nn.Param
	respond(v nn.Values, s signal, z *Node) *Node
}

// The clock of the warped solve: t = φ(s), with the derivative between 0.4 and 1.6.
func warp(s *Node) (t, rate *Node) {
	t = Add(s, MulScalar(Sin(MulScalar(s, 2)), 0.3))
	return t, AddScalar(MulScalar(Cos(MulScalar(s, 2)), 0.6), 1)
}

const warpEnd = 1.5

var warpedEnd = warpEnd + 0.3*math.Sin(2*warpEnd)

// Under a change of clock the control is X(φ(s)), so all its derivatives, including the derivative of the time channel,
// gain the factor φ'(s). A field whose message matrix does not contain A', or contains it per unit of the time channel,
// has the same solution on both clocks. A field that takes A' per unit of time, as in the published code, does not.
// Fields of one layer are smooth, and no knot lies inside the solve, so the solver's error is below the tolerance.
func TestSolutionUnderAChangeOfClock(t *testing.T) {
	const n, p, hidden = 4, 2, 3
	pattern, _, err := dyngraph.NewPattern(n, []int{0, 1, 2, 3, 0, 2, 1}, []int{1, 2, 3, 0, 2, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	sample := Sample{Knots: []float64{-1, -0.2, 3}, Pattern: pattern}
	for k := range sample.Knots {
		wave := func(count int) []float64 {
			x := make([]float64, count)
			for i := range x {
				x[i] = math.Sin(float64(3*i + 5*k + 1))
			}
			return x
		}
		sample.Snapshots = append(sample.Snapshots, wave(pattern.Edges()))
		sample.Features = append(sample.Features, wave(n*p))
	}
	interpolated := func(p int) func(*Control, *Node) signal {
		return func(c *Control, t *Node) signal { return c.at(t, p) }
	}
	maps11, derivative11 := equivariant.Published11()
	whole := WellPosed()
	whole.Linear, whole.Feedback = true, true
	backend := xlatest.Go(t)
	for _, c := range []struct {
		name    string
		field   responder
		control func(*Control, *Node) signal
		same    bool
	}{
		{"Adjacency", Adjacency{Hidden: hidden, Layers: 1}, interpolated(0), true},
		{"Adjacency, features", Adjacency{Hidden: hidden, Layers: 1, Features: p}, interpolated(p), true},
		{"GNODE", GNODE{Hidden: hidden, Layers: 1},
			func(c *Control, t *Node) signal { return c.latest(t, false) }, true},
		{"Constant", Constant{Hidden: hidden}, interpolated(0), true},
		{"Original", Original{Hidden: hidden, Layers: 1, PerChannel: true}, interpolated(0), true},
		{"PreMult", PreMult{Hidden: hidden, Layers: 1, Nodes: n, PerChannel: true}, interpolated(0), true},
		{"PENG", PENG{Hidden: hidden, Layers: 1, PerChannel: true}, interpolated(0), true},
		{"PENG, features", PENG{Hidden: hidden, Layers: 1, Features: p, PerChannel: true}, interpolated(p), true},
		{"PENG, 15 maps", PENG{Hidden: hidden, Layers: 1, Maps: equivariant.All15(), PerChannel: true}, interpolated(0),
			true},
		{"PENG, 11 maps, features", PENG{Hidden: hidden, Layers: 1, Features: p, Maps: maps11, DerivativeMaps: derivative11,
			PerChannel: true}, interpolated(p), true},
		{"Original, features", Original{Hidden: hidden, Layers: 1, Features: p, PerChannel: true}, interpolated(p), true},
		{"PreMult, features", PreMult{Hidden: hidden, Layers: 1, Nodes: n, Features: p, PerChannel: true}, interpolated(p),
			true},
		{"PENG, affine", PENG{Hidden: hidden, Layers: 1, DerivativeIn: LastLayer, LocalScale: true, Style: whole},
			interpolated(0), true},
		{"PENG, affine, features", PENG{Hidden: hidden, Layers: 1, Features: p, DerivativeIn: LastLayer, Style: whole},
			interpolated(p), true},
		{"PENG, affine, 2 layers", PENG{Hidden: hidden, Layers: 2, DerivativeIn: LastLayer, Style: whole}, interpolated(0),
			true},
		{"PENG, affine, 2 layers, features", PENG{Hidden: hidden, Layers: 2, Features: p, DerivativeIn: LastLayer,
			Style: whole}, interpolated(p), true},
		{"PENG of A, features", PENG{Hidden: hidden, Layers: 2, Features: p, DerivativeIn: NoLayer, Style: whole},
			interpolated(p), true},
		{"Original, affine", Original{Hidden: hidden, Layers: 2, DerivativeIn: LastLayer, Style: whole}, interpolated(0),
			true},
		{"Original, affine, features", Original{Hidden: hidden, Layers: 2, Features: p, DerivativeIn: LastLayer,
			Style: whole}, interpolated(p), true},
		{"Original as published", Original{Hidden: hidden, Layers: 1}, interpolated(0), false},
		{"Original with features as published", Original{Hidden: hidden, Layers: 1, Features: p}, interpolated(p), false},
		{"PreMult with features as published", PreMult{Hidden: hidden, Layers: 1, Nodes: n, Features: p}, interpolated(p),
			false},
		{"PENG with 15 maps, not per channel", PENG{Hidden: hidden, Layers: 1, Maps: equivariant.All15()}, interpolated(0),
			false},
		{"PreMult as published", PreMult{Hidden: hidden, Layers: 1, Nodes: n}, interpolated(0), false},
		{"PENG as published", PENG{Hidden: hidden, Layers: 1}, interpolated(0), false},
		{"PENG with features as published", PENG{Hidden: hidden, Layers: 1, Features: p}, interpolated(p), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			declared := c.field.Params()
			solve := func(end float64, value func(*Control, *Node) signal) []float64 {
				var owned xla.Buffers
				defer owned.Free()
				control, form, err := NewControl(dtypes.Float64, equivariant.Dense, []Sample{sample})
				if err != nil {
					t.Fatal(err)
				}
				solver, err := ode.New(backend, func(t, z *Node, args []*Node) *Node {
					return c.field.respond(nn.Bind(declared, args), value(form.Control(args[len(declared):]), t), z)
				}, ode.Config{StepSize: ode.Constant{Step: 0.03}, Parameters: len(declared)})
				if err != nil {
					t.Fatal(err)
				}
				defer solver.Close()
				args := owned.Own(append(nn.Draw(declared, dtypes.Float64, 7), control...)...)
				z0 := make([]float64, n*hidden)
				for i := range z0 {
					z0[i] = math.Cos(1.3 * float64(i))
				}
				start := owned.Own(host.Tensor(dtypes.Float64, z0, 1, n, hidden))[0]
				solution, err := solver.Evaluate(context.Background(), start, [][]float64{{0, end}}, args...)
				if err != nil {
					t.Fatal(err)
				}
				defer solution.Close()
				return host.Floats(solution.Z)
			}
			plain := solve(warpedEnd, c.control)
			warped := solve(warpEnd, func(control *Control, s *Node) signal {
				time, rate := warp(s)
				value := c.control(control, time)
				value.rate = rate
				if value.da != nil {
					value.da = value.da.With(Mul(value.da.Rows, value.speed(value.da.Rows)))
				}
				if value.dx != nil {
					value.dx = Mul(value.dx, value.speed(value.dx))
				}
				return value
			})
			if c.same {
				fixture.Close(t, "solution on the other clock", warped, plain, 1e-6)
			} else if d := floats.Distance(warped, plain, math.Inf(1)); d < 1e-2 {
				t.Errorf("solutions on two clocks differ by %g only", d)
			}
		})
	}
}

// A sample whose time channel runs on another clock than the solver: observed at knots 2.5 t + 1 for values t of the
// channel, dz/ds is dz/dt divided by 2.5.
func TestClockOfASample(t *testing.T) {
	const n, p, hidden, slow = 3, 2, 3, 2.5
	pattern, _, err := dyngraph.NewPattern(n, []int{0, 1, 2, 2}, []int{1, 2, 0, 2})
	if err != nil {
		t.Fatal(err)
	}
	plain := Sample{Knots: []float64{0, 0.7, 1.1, 2}, Pattern: pattern}
	for k := range plain.Knots {
		plain.Snapshots = append(plain.Snapshots, []float64{1, float64(k), math.Sin(float64(k)), 0.5})
		plain.Features = append(plain.Features, []float64{0, math.Cos(float64(k)), 1, float64(k), 0.1, 2})
	}
	clocked := plain
	clocked.Knots, clocked.Clock = nil, plain.Knots
	for _, knot := range plain.Knots {
		clocked.Knots = append(clocked.Knots, slow*knot+1)
	}
	backend := xlatest.Go(t)
	derivative := func(f Field, s Sample, time float64) []float64 {
		control, form, err := NewControl(dtypes.Float64, equivariant.Sparse, []Sample{s})
		if err != nil {
			t.Fatal(err)
		}
		equation, declared := Equation(f, form)
		z := make([]float64, n*hidden)
		for i := range z {
			z[i] = math.Cos(1.3 * float64(i))
		}
		args := []any{tensors.FromValue([]float64{time}), host.Tensor(dtypes.Float64, z, 1, n, hidden)}
		for _, x := range append(nn.Draw(declared, dtypes.Float64, 7), control...) {
			args = append(args, x)
		}
		out, err := CallOnceN(backend.Compute, func(in []*Node) []*Node {
			return []*Node{equation(in[0], in[1], in[2:])}
		}, args...)
		if err != nil {
			t.Fatal(err)
		}
		return host.Floats(out[0])
	}
	for name, c := range map[string]struct {
		field Field
		same  bool
	}{
		"Constant":              {Constant{Hidden: hidden}, true},
		"GNODE":                 {GNODE{Hidden: hidden, Layers: 2}, true},
		"Adjacency":             {Adjacency{Hidden: hidden, Layers: 2}, true},
		"PENG":                  {PENG{Hidden: hidden, Layers: 2, Features: p, PerChannel: true}, true},
		"PENG without features": {PENG{Hidden: hidden, Layers: 2, PerChannel: true}, true},
		"PENG as published":     {PENG{Hidden: hidden, Layers: 2, Features: p}, false},
		"Original as published": {Original{Hidden: hidden, Layers: 2}, false},
	} {
		for _, time := range []float64{0.3, 0.9, 1.6} {
			want, got := derivative(c.field, plain, time), derivative(c.field, clocked, slow*time+1)
			floats.Scale(slow, got)
			if c.same {
				fixture.Close(t, name, got, want, 1e-12)
			} else if d := floats.Distance(got, want, math.Inf(1)); d < 1e-3*floats.Norm(want, math.Inf(1)) {
				t.Errorf("%s: dz/dt on two clocks differs by %g only", name, d)
			}
		}
	}
	clocked.Clock = []float64{0, 1, 0.5, 2}
	if _, _, err := NewControl(dtypes.Float64, equivariant.Auto, []Sample{clocked}); err == nil {
		t.Error("no error for a clock that runs back")
	}
	if _, _, err := NewControl(dtypes.Float64, equivariant.Auto, []Sample{plain, clocked}); err == nil {
		t.Error("no error for a clock in one sample only")
	}
}
