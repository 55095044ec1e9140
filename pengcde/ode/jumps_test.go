package ode

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes/float16"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/rk"
)

// limits names the two values that a field can have at a time at which it jumps.
func limits(t *testing.T, test func(t *testing.T, left bool)) {
	for name, left := range map[string]bool{"left-continuous": true, "right-continuous": false} {
		t.Run(name, func(t *testing.T) { test(t, left) })
	}
}

// solveTo returns the state at the last time.
func solveTo(t *testing.T, s *Solver, z0 []float64, from, to float64, stops []float64) ([]float64, Stats) {
	t.Helper()
	p := Problem{Z0: tensors.FromValue([][]float64{z0}), Times: [][]float64{{from, to}}, Forget: true}
	if stops != nil {
		p.StepTo = [][]float64{stops}
	}
	sol := run(t, s, p)
	return sol.Z.Value().([][][]float64)[0][1], sol.Stats[0]
}

// restarted solves each part between jumps separately.
func restarted(t *testing.T, s *Solver, z0 []float64, from, to float64, jumps []float64) (z []float64, stats Stats) {
	t.Helper()
	z = z0
	for _, end := range append(slices.Clone(jumps), to) {
		var part Stats
		z, part = solveTo(t, s, z, from, end, []float64{from, end})
		stats.Accepted, stats.Rejected = stats.Accepted+part.Accepted, stats.Rejected+part.Rejected
		from = end
	}
	return z, stats
}

// z' is 1 until t = 1, then 5: z(2) = 6, exactly for every method that steps to 1.
func TestJumpOfTheSlope(t *testing.T) {
	limits(t, func(t *testing.T, left bool) {
		forMethods(t, func(t *testing.T, m *Method, adaptive bool) {
			controls := map[string]StepSize{"constant 0.1": Constant{0.1}, "constant 0.3": Constant{0.3},
				"one step": Constant{5}}
			if adaptive {
				controls["PID"], controls["automatic"] = PID{}, PID{First: Automatic}
			}
			field := func(t, z *Node, _ []*Node) *Node {
				later := GreaterOrEqual(t, OnesLike(t))
				if left {
					later = GreaterThan(t, OnesLike(t))
				}
				slope := Where(later, MulScalar(OnesLike(t), 5), OnesLike(t))
				return Mul(OnesLike(z), ExpandAxes(slope, -1))
			}
			s := newSolver(t, field, Config{Method: m, StepSize: Constant{1}})
			for name, control := range controls {
				s.control.StepSize = control
				for _, way := range []struct{ from, to, z0, want float64 }{{0, 2, 0, 6}, {2, 0, 6, 0}, {1, 2, 1, 6}, {0, 1, 0, 1}} {
					z, stats := solveTo(t, s, []float64{way.z0}, way.from, way.to, []float64{1})
					if !(math.Abs(z[0]-way.want) <= 1e-13) || stats.Rejected != 0 {
						t.Errorf("%s, from %g to %g: ends at %.15g with %+v, want %g and no step rejected", name, way.from, way.to, z[0],
							stats, way.want)
					}
				}
			}
		})
	})
}

// With steps that end on the jumps every method keeps its order, forward and backward in time; without them none does.
func TestOrderAcrossJumps(t *testing.T) {
	counts := map[int][]int{1: {256, 384, 512}, 2: {64, 96, 128, 192}, 3: {48, 64, 96, 128}, 4: {40, 56, 80, 112},
		5: {40, 56, 80, 112}}
	limits(t, func(t *testing.T, left bool) {
		forMethods(t, func(t *testing.T, m *Method, _ bool) {
			p := squareWave(0.7, 3, left)
			s := newSolver(t, p.Field, Config{Method: m, StepSize: Constant{1}})
			last := p.Flow(0, 3, p.Start[:])
			for _, way := range []struct {
				from, to float64
				z0, want []float64
			}{{0, 3, p.Start[:], last}, {3, 0, last, p.Start[:]}} {
				var steps, with, without []float64
				for _, n := range counts[m.Order] {
					s.control.StepSize = Constant{3 / float64(n)}
					z, _ := solveTo(t, s, way.z0, way.from, way.to, p.At)
					plain, _ := solveTo(t, s, way.z0, way.from, way.to, nil)
					steps = append(steps, 3/float64(n))
					with, without = append(with, distanceOf(z, way.want)), append(without, distanceOf(plain, way.want))
				}
				order := orderOf(steps, with)
				t.Logf("to %g: order %.2f, errors %.1e to %.1e; without step-to times %.1e to %.1e",
					way.to, order, with[0], with[len(with)-1], without[0], without[len(without)-1])
				if !(order >= float64(m.Order)-0.3) || m.Order > 1 && without[len(without)-1] < 1e-3 {
					t.Errorf("to %g: error falls with the step to the power %.2f, want %d, and 1e-3 without step-to times, got %.1e",
						way.to, order, m.Order, without[len(without)-1])
				}
			}
		})
	})
}

// A solve that steps to its jumps takes at most a tenth more tries than one restarted at each jump, and meets its
// tolerance in the same way.
func TestTriesAcrossJumps(t *testing.T) {
	limits(t, func(t *testing.T, left bool) {
		problems := map[string]switchedOscillator{}
		for _, half := range []float64{0.2, 0.5, 0.7, 1.9} {
			problems[fmt.Sprintf("square wave of half period %g", half)] = squareWave(half, 10.1, left)
		}
		for _, gap := range []float64{0.3, 2} {
			for _, width := range []float64{0.02, 0.1} {
				pulses := pulses(gap, width, 10)
				pulses.Left = left
				problems[fmt.Sprintf("pulses of %g every %g", width, gap)] = pulses
			}
		}
		for name, p := range problems {
			end := p.At[len(p.At)-1] + 0.25
			for _, m := range []*Method{Tsit5, Dopri5, Bosh3} {
				s := newSolver(t, p.Field, Config{Method: m, MaxSteps: 1 << 20})
				for _, rtol := range []float64{1e-3, 1e-6} {
					s.control.StepSize = PID{RTol: rtol, ATol: rtol / 1000}
					want := p.Flow(0, end, p.Start[:])
					z, stats := solveTo(t, s, p.Start[:], 0, end, p.At)
					anew, parts := restarted(t, s, p.Start[:], 0, end, p.At)
					_, plain := solveTo(t, s, p.Start[:], 0, end, nil)
					tries, most := stats.Accepted+stats.Rejected, float64(parts.Accepted+parts.Rejected)*1.1
					off, offAnew := distanceOf(z, want), distanceOf(anew, want)
					t.Logf("%s, %s, RTol %g: %d + %d tries, error %.1e; started anew %d + %d, %.1e; plain %d + %d", name, m.Name, rtol,
						stats.Accepted, stats.Rejected, off, parts.Accepted, parts.Rejected, offAnew, plain.Accepted, plain.Rejected)
					if float64(tries) > most || !(off <= 10*math.Max(offAnew, rtol)) {
						t.Errorf("%s, %s, RTol %g: %d + %d tries, error %.1e, want at most %.0f, as started anew and a tenth, and %.1e",
							name, m.Name, rtol, stats.Accepted, stats.Rejected, off, most, 10*math.Max(offAnew, rtol))
					}
				}
			}
		}
	})
}

// If save times lie inside steps that end on a jump, states are the method's, and gradients agree with differences of
// the steps that were taken, for every choice of memory, forward and backward in time. Counts agree with the plan.
func TestPullbackAcrossJumps(t *testing.T) {
	limits(t, func(t *testing.T, left bool) {
		wave := squareWave(0.7, 3, left)
		field := func(at, z *Node, args []*Node) *Node { // depends on parameters at both sides
			a := BroadcastToDims(args[0], z.Shape().Dimensions...)
			return Add(Mul(a, wave.Field(at, z, nil)), MulScalar(Sin(Mul(z, a)), 0.3))
		}
		forward, backward := []float64{0, 0.1, 0.5, 0.6, 0.69, 0.7, 1, 1.3, 1.38, 1.4, 2.05, 2.09}, []float64{}
		for _, at := range forward {
			backward = append(backward, 2.1-at)
		}
		for name, c := range map[string]struct {
			times []float64
			stops []float64
		}{
			"forward":              {forward, wave.At},
			"backward":             {backward, wave.At},
			"ends on a jump":       {append(slices.Clone(forward), 2.1), wave.At},
			"begins on a jump":     {[]float64{0.7, 0.9, 1.39, 1.5}, wave.At},
			"backward to a jump":   {[]float64{1.9, 1.41, 1.2, 0.71, 0.7}, wave.At},
			"continuous elsewhere": {forward, []float64{0.25, 0.95}},
			"named at both ends":   {forward, []float64{0, 0.7, 1.4, 2.09}},
		} {
			for _, control := range []StepSize{PID{}, Constant{0.45}} {
				s := newSolver(t, field, Config{StepSize: control})
				what := fmt.Sprintf("%s, %T", name, control)
				checkJumpGradients(t, s, what, c.times, c.stops)
			}
		}
	})
}

// The rule of the step after a jump does not depend on the unit of time: with a fitted first step, tries are the same
// in any unit.
func TestTriesInAnyUnitOfTime(t *testing.T) {
	var tries []int
	for _, unit := range []float64{1, 1e-3} {
		p := pulses(1, 0.3, 6)
		for i := range p.At {
			p.At[i] *= unit
		}
		for i := range p.Frequency {
			p.Frequency[i] /= unit
		}
		s := newSolver(t, p.Field, Config{StepSize: PID{First: Automatic}})
		_, stats := solveTo(t, s, p.Start[:], 0, 7*unit, p.At)
		tries = append(tries, stats.Accepted+stats.Rejected)
	}
	if apart := math.Abs(float64(tries[0] - tries[1])); !(apart <= 5) {
		t.Errorf("%d tries in units of 1 and of 1e-3, want as many", tries)
	}
}

func checkJumpGradients(t *testing.T, s *Solver, what string, times, stops []float64) {
	t.Helper()
	const other = 0.05 // the second sample has other jumps: its steps differ
	z0, a := []float64{0.3, -0.2, 0.1, 0.5}, []float64{1.1}
	problem := func(z0, a []float64) Problem {
		return Problem{Z0: tensors.FromFlatDataAndDimensions(slices.Clone(z0), 2, 2), Times: [][]float64{times, times},
			StepTo: [][]float64{stops, append(slices.Clone(stops[:len(stops)-1]), stops[len(stops)-1]+other)},
			Args:   []*tensors.Tensor{tensors.FromValue(a)}}
	}
	control := s.control.StepSize
	defer func() { s.control.StepSize = control }()
	p := problem(z0, a)
	var want *Gradients
	var probe []float64
	var ends [][]float64
	for _, memory := range []Memory{{}, {Checkpoints: 2}, {Checkpoints: 1, Host: true}} {
		p.Memory = memory
		plan, err := s.Plan(p)
		if err != nil {
			t.Fatal(err)
		}
		sol := run(t, s, p)
		checkPlan(t, what, plan, sol)
		probe = cosines(sol.Z.Size())
		ends = [][]float64{sol.StepTimes(0)[1:], sol.StepTimes(1)[1:]}
		g, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(slices.Clone(probe),
			sol.Z.Shape().Dimensions...))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.Free)
		if plan.Exact && (plan.PullbackEvaluations != g.Evaluations || plan.Replayed != g.Replayed) {
			t.Errorf("%s, %+v: %d evaluations and %d steps taken again, plan %d and %d", what, memory,
				g.Evaluations, g.Replayed, plan.PullbackEvaluations, plan.Replayed)
		}
		if want == nil {
			want = g
			continue
		}
		closeTo(t, what+": gradient of z0 with fewer states", nnFloats(g.Z0), nnFloats(want.Z0), 1e-13)
		closeTo(t, what+": gradient of args with fewer states", nnFloats(g.Args[0]), nnFloats(want.Args[0]), 1e-13)
	}
	s.control.StepSize = Given{ends}
	value := func(z0, a []float64) (v float64) {
		sol := run(t, s, problem(z0, a))
		for i, z := range nnFloats(sol.Z) {
			v += probe[i] * z
		}
		return v
	}
	difference := func(x []float64, i int, value func([]float64) float64) float64 {
		const h = 1e-3
		moved := func(by float64) float64 {
			other := slices.Clone(x)
			other[i] += by
			return value(other)
		}
		return (8*(moved(h)-moved(-h)) - (moved(2*h) - moved(-2*h))) / (12 * h)
	}
	for i, got := range nnFloats(want.Z0) {
		if d := difference(z0, i, func(x []float64) float64 {
			return value(x,
				a)
		}); !(math.Abs(got-d) <= 1e-8*(1+math.Abs(d))) {
			t.Errorf("%s: gradient of z0[%d] %.12g, differences %.12g", what, i, got, d)
		}
	}
	if d := difference(a, 0, func(x []float64) float64 {
		return value(z0,
			x)
	}); !(math.Abs(nnFloats(want.Args[0])[0]-d) <= 1e-8*(1+math.Abs(d))) {
		t.Errorf("%s: gradient of a %.12g, differences %.12g", what, nnFloats(want.Args[0])[0], d)
	}
}

// The states inside a step that ends on a jump depend only on this step.
func TestStatesInsideStepsThatEndOnJumps(t *testing.T) {
	limits(t, func(t *testing.T, left bool) {
		p := squareWave(0.7, 3, left)
		times := []float64{0, 0.2, 0.45, 0.65, 0.7, 0.95, 1.2, 1.4, 1.6, 1.75, 2}
		for _, dense := range []bool{false, true} {
			s := newSolver(t, p.Field, Config{StepSize: PID{RTol: 1e-9, ATol: 1e-11}})
			sol := run(t, s, Problem{Z0: tensors.FromValue([][]float64{p.Start[:]}), Times: [][]float64{times},
				StepTo: [][]float64{p.At}, Interpolant: dense})
			z := sol.Z
			if dense {
				var err error
				if z, err = sol.At(context.Background(), [][]float64{times}); err != nil {
					t.Fatal(err)
				}
			}
			for i, got := range z.Value().([][][]float64)[0] {
				if off := distanceOf(got, p.Flow(0, times[i], p.Start[:])); !(off <= 1e-7) {
					t.Errorf("dense %t: state at %g is off by %.1e, want 1e-7", dense, times[i], off)
				}
			}
		}
	})
}

// Large states are finite, whatever their sum is.
func TestLargeStatesAreFinite(t *testing.T) {
	s := newSolver(t, func(_, z *Node, _ []*Node) *Node { return Neg(z) }, Config{StepSize: Constant{0.1}})
	for _, c := range []struct {
		name string
		z0   *tensors.Tensor
	}{
		{"float16", halves(1000, 50)},
		{"float32", tensors.FromFlatDataAndDimensions(slices.Repeat([]float32{1e35}, 4000), 1, 4000)},
	} {
		for _, control := range []StepSize{Constant{0.1}, PID{}} {
			s.control.StepSize = control
			sol, err := s.Solve(context.Background(), c.z0, [][]float64{{0, 1}})
			if err != nil {
				t.Errorf("%s, %T: %v", c.name, control, err)
				continue
			}
			sol.Close()
		}
	}
}

// A sample that stands still while others go on, because it is done or t0 = t1, propagates no cotangent through a slope
// at its time: here the root of 0, whose slope is infinite.
func TestPullbackOfASampleThatStandsStill(t *testing.T) {
	root := func(_, z *Node, _ []*Node) *Node { return Neg(Sqrt(z)) }
	s := newSolver(t, root, Config{Method: Euler, StepSize: Constant{1}})
	for _, c := range []struct {
		name  string
		z0    []float64
		times [][]float64
		ends  [][]float64
		want  []float64
	}{
		{"done", []float64{1, 4}, [][]float64{{0, 1}, {0, 1.5}}, [][]float64{{1}, {0.5, 1.5}},
			[]float64{0.5, 0.875 * (1 - 0.5/math.Sqrt(3))}},
		{"no way", []float64{0, 4}, [][]float64{{1, 1}, {0, 0.5}}, [][]float64{{2}, {0.5}}, []float64{1, 0.875}},
		{"none goes", []float64{0, 0}, [][]float64{{1, 1}, {0, 0}}, [][]float64{{2}, {2}}, []float64{1, 1}},
	} {
		s.control.StepSize = Given{c.ends}
		for _, memory := range []Memory{{}, {Checkpoints: 1}, {Checkpoints: 1, Host: true}} {
			sol := run(t, s, Problem{Z0: tensors.FromFlatDataAndDimensions(slices.Clone(c.z0), 2, 1), Times: c.times,
				Memory: memory})
			g, err := sol.Pullback(context.Background(), tensors.FromValue([][][]float64{{{0}, {1}}, {{0}, {1}}}))
			if err != nil {
				t.Fatal(err)
			}
			closeTo(t, c.name+": gradient of z0", nnFloats(g.Z0), c.want, 1e-15)
			g.Free()
		}
	}
}

// A finished sample is not evaluated beyond its start, where a root is not real, even if another sample pulls back a
// jump.
func TestPullbackBesideTheStart(t *testing.T) {
	field := func(t, z *Node, args []*Node) *Node { // z' = a sqrt(t) z
		return Mul(Mul(BroadcastToDims(args[0], z.Shape().Dimensions...), Sqrt(ExpandAxes(t, -1))), z)
	}
	s := newSolver(t, field, Config{StepSize: Constant{0.3}})
	var want []float64
	for _, stops := range [][]float64{{1}, {0, 1}} {
		sol := run(t, s, Problem{Z0: tensors.FromValue([][]float64{{1}, {1}}),
			Times:  [][]float64{{0, 0.95, 2}, {0, 0.2, 0.3}},
			StepTo: [][]float64{stops}, Args: []*tensors.Tensor{tensors.FromValue([]float64{1})}})
		g, err := sol.Pullback(context.Background(), tensors.FromValue([][][]float64{{{1}, {1}, {1}}, {{1}, {1}, {1}}}))
		if err != nil {
			t.Fatal(err)
		}
		got := append(nnFloats(g.Z0), nnFloats(g.Args[0])...)
		g.Free()
		if want == nil {
			want = got
		}
		closeTo(t, fmt.Sprintf("step to %v: gradients", stops), got, want, 1e-4)
	}
}

// A step-to time that rounding has moved off the ends of a solve still counts.
func TestJumpBesideTheEnds(t *testing.T) {
	limits(t, func(t *testing.T, left bool) {
		for _, units := range []float64{-99, -50, -2, -1, 1, 2, 50, 99} {
			at := 1 + units*rk.ULP(1)
			field := func(t, z *Node, _ []*Node) *Node {
				border := Scalar(t.Graph(), t.DType(), at)
				later := GreaterOrEqual(t, border)
				if left {
					later = GreaterThan(t, border)
				}
				return Mul(OnesLike(z), ExpandAxes(Where(later, MulScalar(OnesLike(t), 5), OnesLike(t)), -1))
			}
			s := newSolver(t, field, Config{StepSize: Constant{0.1}})
			for _, way := range []struct{ from, to, want float64 }{{1, 2, 5}, {2, 1, -5}, {0, 1, 1}, {1, 0, -1}} {
				z, _ := solveTo(t, s, []float64{0}, way.from, way.to, []float64{at})
				if !(math.Abs(z[0]-way.want) <= 1e-12) {
					t.Errorf("jump at 1 %+g units, from %g to %g: ends at %g, want %g", units, way.from, way.to, z[0], way.want)
				}
			}
		}
	})
}

// The counts of a plan bound the cost of a solve with jumps, also with all stages kept, and with adaptive steps.
func TestPlanAcrossJumps(t *testing.T) {
	wave := squareWave(0.2, 3, false)
	for _, control := range []StepSize{Constant{0.1}, PID{}} {
		s := newSolver(t, wave.Field, Config{StepSize: control, MaxSteps: 80})
		for _, memory := range []Memory{{}, {Checkpoints: 2}} {
			p := Problem{Z0: tensors.FromValue([][]float64{wave.Start[:]}), Times: [][]float64{{0, 0.5, 1.1, 3}},
				StepTo: [][]float64{wave.At}, Memory: memory}
			plan, err := s.Plan(p)
			if err != nil {
				t.Fatal(err)
			}
			sol := run(t, s, p)
			checkPlan(t, fmt.Sprintf("%T, %+v", control, memory), plan, sol)
			g, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(cosines(sol.Z.Size()),
				sol.Z.Shape().Dimensions...))
			if err != nil {
				t.Fatal(err)
			}
			if g.Evaluations > plan.PullbackEvaluations || plan.Exact && g.Evaluations != plan.PullbackEvaluations {
				t.Errorf("%T, %+v: %d evaluations, plan %d (exact: %t)", control, memory, g.Evaluations, plan.PullbackEvaluations,
					plan.Exact)
			}
			g.Free()
		}
	}
}

func halves(n int, x float32) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(slices.Repeat([]float16.Float16{float16.FromFloat32(x)}, n), 1, n)
}
