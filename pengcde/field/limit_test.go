package field_test

import (
	"context"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
)

// jump is a graph that changes once, at time jumpAt of a solve from 0 to 1.
const jumpNodes, jumpHidden, jumpAt = 5, 3, 0.6

// jumpSample is observed at the start, at the end, and at the ends of the pieces in which the graph changes along
// straight lines, each of length h, the last piece up to jumpAt. A piece ends with two changes at the given shares.
func jumpSample(t *testing.T, h float64, pieces ...[2]float64) field.Sample {
	t.Helper()
	pattern, _, err := dyngraph.NewPattern(jumpNodes, []int{0, 1, 2, 3, 4, 0, 2, 1}, []int{1, 2, 3, 4, 0, 2, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	graph := func(share [2]float64) []float64 {
		row := make([]float64, pattern.Edges())
		for e := range row { // the first change is of even edges, the second of odd ones
			row[e] = 0.5*math.Sin(float64(3*e+1)) + share[e%2]*math.Cos(float64(2*e))
		}
		return row
	}
	begin := jumpAt - float64(len(pieces))*h
	s := field.Sample{Pattern: pattern, GraphPath: path.Linear, FeaturePath: path.Linear,
		Knots: []float64{0, begin}, Snapshots: [][]float64{graph([2]float64{}), graph([2]float64{})}}
	for i, piece := range pieces {
		s.Knots, s.Snapshots = append(s.Knots, begin+float64(i+1)*h), append(s.Snapshots, graph(piece))
	}
	s.Knots, s.Snapshots = append(s.Knots, 1), append(s.Snapshots, s.Snapshots[len(s.Snapshots)-1])
	return s
}

// endOf solves a sample to the end of its knots, with steps that end on all of them.
func endOf(t *testing.T, rtol float64, f field.Field, sample field.Sample) []float64 {
	t.Helper()
	var owned xla.Buffers
	defer owned.Free()
	control, form, err := field.NewControl(dtypes.Float64, equivariant.Dense, []field.Sample{sample})
	if err != nil {
		t.Fatal(err)
	}
	solver := solverOf(t, xlatest.Go(t), f, form, ode.Config{StepSize: ode.PID{RTol: rtol, ATol: rtol / 100, First: 1e-7},
		MaxSteps: 1 << 20})
	z0 := make([]float64, jumpNodes*jumpHidden)
	for i := range z0 {
		z0[i] = math.Cos(1.3 * float64(i))
	}
	args := append(nn.Draw(f.Params(), dtypes.Float64, 3), control...)
	problem := ode.Problem{Z0: host.Tensor(dtypes.Float64, z0, 1, jumpNodes, jumpHidden), Forget: true,
		Times:  [][]float64{{sample.Knots[0], sample.Knots[len(sample.Knots)-1]}},
		StepTo: [][]float64{sample.Knots}, Args: owned.Own(append([]*tensors.Tensor{}, args...)...)}
	solution, err := solver.Run(context.Background(), problem)
	if err != nil {
		t.Fatal(err)
	}
	defer solution.Close()
	return host.Floats(solution.Z)[len(z0):]
}

// A jump of the graph that is spread over an interval of length h has a limit for fields that are affine in A'. The
// rectilinear axis gives the limit directly, and states converge to it at first order.
func TestJumpHasALimit(t *testing.T) {
	style := field.WellPosed()
	style.Linear, style.Feedback = true, true
	whole := [2]float64{1, 1}
	for name, f := range map[string]field.Field{
		"PENG":     field.PENG{Hidden: jumpHidden, Layers: 2, DerivativeIn: field.LastLayer, LocalScale: true, Style: style},
		"Original": field.Original{Hidden: jumpHidden, Layers: 3, DerivativeIn: field.LastLayer, Style: style},
	} {
		t.Run(name, func(t *testing.T) {
			axis := jumpSample(t, 1e-5, whole) // on an axis the length of the interval before is time without a change
			axis.Knots[1] = jumpAt / 2
			limit := endOf(t, 1e-10, f, axis.Axis().Sample)
			var lengths, errors []float64
			for _, h := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5} {
				end := endOf(t, 1e-10, f, jumpSample(t, h, whole))
				lengths, errors = append(lengths, math.Log(h)), append(errors, math.Log(fixture.Distance(end, limit)))
			}
			t.Logf("distance from the limit: %.3g", exp(errors))
			for i := 1; i < len(errors); i++ {
				if slope := (errors[i] - errors[i-1]) / (lengths[i] - lengths[i-1]); !(math.Abs(slope-1) <= 0.15) {
					t.Errorf("slope %g between h = %.0e and %.0e, want 1", slope, math.Exp(lengths[i-1]), math.Exp(lengths[i]))
				}
			}
		})
	}
}

// A field with A' in each layer has no limit without a norm between them: the state grows as the interval of a jump
// gets shorter.
func TestWithoutANormAJumpHasNoLimit(t *testing.T) {
	plain := field.PENG{Hidden: jumpHidden, Layers: 2, Style: field.Style{Norm: nn.Norm{Over: nn.NoNorm}}}
	var sizes []float64
	for _, h := range []float64{0.4, 0.2, 0.1} {
		sizes = append(sizes, floats.Norm(endOf(t, 1e-6, plain, jumpSample(t, h, [2]float64{1, 1})), math.Inf(1)))
	}
	t.Logf("largest state without a norm, jump over 0.4, 0.2, 0.1: %.3g", sizes)
	if sizes[1] < 2*sizes[0] || sizes[2] < 2*sizes[1] {
		t.Errorf("sizes %.3g, want growth as h falls", sizes)
	}
}

// The published field, with its norm, has a limit too: states with h and h/10 differ by a tenth as h falls to a tenth.
// But its response to two changes at once is not to first order the sum of the responses to each, as for a field that
// is affine in A': with short intervals the share of the response that depends on their order does not fall with the
// size of the changes.
func TestPublishedFieldIsNotAdditive(t *testing.T) {
	published := field.PENG{Hidden: jumpHidden, Layers: 2}
	var ends [][]float64
	for _, h := range []float64{1e-2, 1e-3, 1e-4, 1e-5} {
		ends = append(ends, endOf(t, 1e-9, published, jumpSample(t, h, [2]float64{1, 1})))
	}
	for i, before := 1, math.NaN(); i < len(ends); i++ {
		distance := fixture.Distance(ends[i], ends[i-1])
		if ratio := distance / before; math.Abs(ratio-0.1) > 0.01 { // not for the first, which is NaN
			t.Errorf("distances of states fall to %.3g of the last one, want 0.1", ratio)
		}
		before = distance
	}
	t.Logf("largest state as published: %.4g", floats.Norm(ends[3], math.Inf(1)))
	shares := func(f field.Field) (shares []float64) {
		for _, size := range []float64{0.4, 0.1, 0.025, 0.00025} {
			const h = 1e-7
			none := endOf(t, 1e-8, f, jumpSample(t, h, [2]float64{}))
			both := endOf(t, 1e-8, f, jumpSample(t, h, [2]float64{size, size}))
			each := endOf(t, 1e-8, f, jumpSample(t, h, [2]float64{size, 0}, [2]float64{size, size}))
			shares = append(shares, fixture.Distance(both, each)/fixture.Distance(both, none))
		}
		return shares
	}
	as, affine := shares(published), shares(field.PENG{Hidden: jumpHidden, Layers: 2, DerivativeIn: field.LastLayer})
	t.Logf("share of the response to changes of 0.4, 0.1, 0.025, 0.00025 that depends on their order: as published %.3g, "+
		"affine %.3g", as, affine)
	if !(as[3] >= as[0]/2 && affine[3] <= affine[0]/100) {
		t.Errorf("shares as published %.3g, affine %.3g, want the latter alone to vanish", as, affine)
	}
}

func exp(x []float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = math.Exp(x[i])
	}
	return out
}
