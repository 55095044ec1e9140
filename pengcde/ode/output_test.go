package ode

import (
	"context"
	"errors"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

func (p problem) problem(times [][]float64) Problem {
	return Problem{
		Z0:    tensors.FromFlatDataAndDimensions(append([]float64{}, p.z0...), len(p.z0)/2, 2),
		Times: times,
		Args:  []*tensors.Tensor{tensors.FromValue(p.a), tensors.FromValue(p.force)},
	}
}

func run(t *testing.T, s *Solver, p Problem) *Solution {
	t.Helper()
	sol, err := s.Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sol.Close)
	return sol
}

func closeTo(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d entries, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
			t.Errorf("%s: entry %d is %.15g, want %.15g", what, i, got[i], want[i])
		}
	}
}

// mirrored is the pendulum with time reversed: from -t0 to -t1 it does the same as pendulum does backward.
func mirrored(t, z *Node, args []*Node) *Node { return Neg(pendulum(Neg(t), z, args)) }

func negative(times [][]float64) [][]float64 {
	var out [][]float64
	for _, row := range times {
		var mirror []float64
		for _, x := range row {
			mirror = append(mirror, -x)
		}
		out = append(out, mirror)
	}
	return out
}

// A solve backward in time is the solve of the mirrored field forward in time, step by step, with all controls.
func TestBackwardInTime(t *testing.T) {
	forward, backward := newSolver(t, pendulum, Config{}), newSolver(t, mirrored, Config{})
	ends := [][]float64{{0.5, 1.1, 2}, {1, 2, 3}, {0, 1, 2, 3, 3.5, 5}}
	for name, controls := range map[string][2]StepSize{
		"adaptive":  {PID{RTol: 1e-5, ATol: 1e-7}, PID{RTol: 1e-5, ATol: 1e-7}},
		"automatic": {PID{First: Automatic}, PID{First: Automatic}},
		"constant":  {Constant{0.13}, Constant{0.13}},
		"given":     {Given{ends}, Given{negative(ends)}},
	} {
		t.Run(name, func(t *testing.T) {
			stepTo := [][]float64{{0.111, 1.234}}
			forth := swinging.problem(irregular)
			forth.StepTo = stepTo
			back := swinging.problem(negative(irregular))
			back.StepTo = negative(stepTo)
			tolerance := 1e-12
			if _, adaptive := controls[0].(PID); adaptive {
				tolerance = 1e-8 // step sizes amplify rounding, which compiled programs differ by
			}
			forward.control.StepSize, backward.control.StepSize = controls[0], controls[1] // compiled once for all controls
			a, b := run(t, forward, forth), run(t, backward, back)
			closeTo(t, "z", nnFloats(b.Z), nnFloats(a.Z), tolerance)
			probe := tensors.FromFlatDataAndDimensions(cosines(3*8*2), 3, 8, 2)
			ga, err := a.Pullback(context.Background(), probe)
			if err != nil {
				t.Fatal(err)
			}
			defer ga.Free()
			gb, err := b.Pullback(context.Background(), probe)
			if err != nil {
				t.Fatal(err)
			}
			defer gb.Free()
			closeTo(t, "gradient of z0", nnFloats(gb.Z0), nnFloats(ga.Z0), 10*tolerance)
			for i := range ga.Args {
				closeTo(t, "gradient of an arg", nnFloats(gb.Args[i]), nnFloats(ga.Args[i]), 10*tolerance)
			}
			for i := range irregular {
				if a.Stats[i] != b.Stats[i] {
					t.Errorf("sample %d: %+v forward, %+v backward", i, a.Stats[i], b.Stats[i])
				}
				closeTo(t, "steps", negative([][]float64{b.StepTimes(i)})[0], a.StepTimes(i), tolerance)
			}
			if !contains(a.StepTimes(0), 0.111, 1.234) || !contains(b.StepTimes(2), -0.111, -1.234) {
				t.Errorf("steps end at %v and %v, want the step-to times %v among them", a.StepTimes(0), b.StepTimes(2), stepTo)
			}
		})
	}
}

func nnFloats(x *tensors.Tensor) []float64 { return tensors.MustCopyFlatData[float64](x) }

func cosines(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Cos(float64(2*i + 1))
	}
	return x
}

// Forward and back to the start.
func TestReturnToTheStart(t *testing.T) {
	s := newSolver(t, pendulum, Config{StepSize: PID{RTol: 1e-10, ATol: 1e-10}})
	there := run(t, s, swinging.problem([][]float64{{0, 3}}))
	z := nnFloats(there.Z) // [3, 2, 2]
	back := swinging
	back.z0 = append(append(append([]float64{}, z[2:4]...), z[6:8]...), z[10:12]...)
	again := nnFloats(run(t, s, back.problem([][]float64{{3, 0}})).Z)
	closeTo(t, "z(0)", append(append(append([]float64{}, again[2:4]...), again[6:8]...), again[10:12]...), swinging.z0,
		1e-7)
}

func TestDense(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		times, field := irregular, Field(pendulum)
		if sign < 0 {
			times, field = negative(irregular), mirrored
		}
		s := newSolver(t, field, Config{StepSize: PID{RTol: 1e-4, ATol: 1e-6}})
		for _, forget := range []bool{false, true} {
			p := swinging.problem(times)
			p.Interpolant, p.Forget = true, forget
			sol := run(t, s, p)
			if rejected := sol.Stats[0].Rejected + sol.Stats[1].Rejected + sol.Stats[2].Rejected; rejected == 0 {
				t.Errorf("no rejected step in %+v: the test should have some", sol.Stats)
			}
			at, err := sol.At(context.Background(), times)
			if err != nil {
				t.Fatal(err)
			}
			closeTo(t, "at the save times", nnFloats(at), nnFloats(sol.Z), 0)
			var turned [][]float64 // any order
			for _, row := range times {
				turned = append(turned, []float64{row[7], row[2], row[0], row[3], row[7]})
			}
			at, err = sol.At(context.Background(), turned)
			if err != nil {
				t.Fatal(err)
			}
			z := nnFloats(sol.Z)
			var want []float64
			for b := range times {
				for _, i := range []int{7, 2, 0, 3, 7} {
					want = append(want, z[(b*8+i)*2:(b*8+i)*2+2]...)
				}
			}
			closeTo(t, "in another order", nnFloats(at), want, 0)
			for _, bad := range []float64{math.NaN(), sign * 5.1, sign * -1.1} {
				var entry *InputError
				_, err := sol.At(context.Background(), [][]float64{{sign * 0}, {sign * 1}, {bad}})
				if !errors.As(err, &entry) || entry.Sample != 2 || entry.Entry != 0 {
					t.Errorf("at %g: got %v, want sample 2 named", bad, err)
				}
			}
		}
	}
	if _, err := run(t, newSolver(t, pendulum, Config{}), swinging.problem(irregular)).At(context.Background(),
		irregular); !errors.Is(err, ErrNoInterpolant) {
		t.Errorf("got %v, want ErrNoInterpolant", err)
	}
}

func TestEveryStep(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		spans, field := [][]float64{{0, 2}, {0, 0}, {-1, 5}}, Field(pendulum)
		if sign < 0 {
			spans, field = negative(spans), mirrored
		}
		s := newSolver(t, field, Config{StepSize: PID{RTol: 1e-4, ATol: 1e-6}})
		p := swinging.problem(spans)
		p.Save, p.Interpolant = EveryStep, true
		sol := run(t, s, p)
		dims := sol.Z.Shape().Dimensions
		if want := sol.Stats[2].Accepted + 1; dims[1] != want || sol.Stats[2].Accepted <= sol.Stats[0].Accepted {
			t.Fatalf("Z is %v, want %d states for %+v", dims, want, sol.Stats)
		}
		z, cotangent := nnFloats(sol.Z), make([]float64, sol.Z.Size())
		for b := range spans {
			times := sol.SaveTimes(b)
			closeTo(t, "save times", times, sol.StepTimes(b), 0)
			rows := make([][]float64, len(spans))
			for other := range rows {
				for range times {
					rows[other] = append(rows[other], spans[other][0])
				}
			}
			rows[b] = times
			at, err := sol.At(context.Background(), rows)
			if err != nil {
				t.Fatal(err)
			}
			n := 2 * len(times)
			closeTo(t, "states", z[b*dims[1]*2:b*dims[1]*2+n], nnFloats(at)[b*n:b*n+n], 0)
			for i, v := range z[b*dims[1]*2+n : (b+1)*dims[1]*2] {
				if !math.IsNaN(v) {
					t.Errorf("sample %d: %g at %d after the last step, want NaN", b, v, i)
				}
			}
			copy(cotangent[b*dims[1]*2:], cosines(n))
		}
		// The gradient equals the gradient of a solve that saves at these times.
		every, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(cotangent, dims...))
		if err != nil {
			t.Fatal(err)
		}
		defer every.Free()
		last := len(sol.SaveTimes(2))
		times := [][]float64{append(sol.SaveTimes(0), repeat(spans[0][1], last-len(sol.SaveTimes(0)))...),
			repeat(spans[1][0], last), sol.SaveTimes(2)}
		listed, err := run(t, s, swinging.problem(times)).Pullback(context.Background(),
			tensors.FromFlatDataAndDimensions(cotangent, dims...))
		if err != nil {
			t.Fatal(err)
		}
		defer listed.Free()
		closeTo(t, "gradient of z0", nnFloats(every.Z0), nnFloats(listed.Z0), 1e-13)
		closeTo(t, "gradient of a", nnFloats(every.Args[0]), nnFloats(listed.Args[0]), 1e-13)
	}
}

func repeat(x float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = x
	}
	return xs
}

// No time passes: the result is z0, without a step or an evaluation.
func TestNoTime(t *testing.T) {
	s := newSolver(t, pendulum, Config{StepSize: Constant{0.1}})
	for _, times := range [][][]float64{{{1}}, {{1, 1, 1}}} {
		sol := run(t, s, swinging.problem(times))
		for b := range 3 {
			if sol.Stats[b] != (Stats{}) || sol.Code(b) != Success || len(sol.StepTimes(b)) != 1 {
				t.Errorf("%v: %+v, %v", times, sol.Stats[b], sol.StepTimes(b))
			}
		}
		n := len(times[0])
		var want []float64
		for b := range 3 {
			for range n {
				want = append(want, swinging.z0[2*b:2*b+2]...)
			}
		}
		closeTo(t, "z", nnFloats(sol.Z), want, 0)
		g, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(repeat(1, 6*n), 3, n, 2))
		if err != nil {
			t.Fatal(err)
		}
		defer g.Free()
		closeTo(t, "gradient of z0", nnFloats(g.Z0), repeat(float64(n), 6), 0)
		closeTo(t, "gradient of a", nnFloats(g.Args[0]), []float64{0}, 0)
	}
}

// The automatic first step of z' = -a z from z0 = 1, by hand: with s = atol + rtol, d0 = 1/s, d1 = a/s, h0 = 0.01/a,
// f1 - f0 = a² h0, so max(d1, d2) = max(a, a²)/s.
func TestAutomaticFirstStep(t *testing.T) {
	decay := func(_, z *Node, args []*Node) *Node { return Neg(Mul(args[0], z)) }
	s := newSolver(t, decay, Config{StepSize: PID{First: Automatic}})
	a := []float64{0.5, 3, 200}
	sol := run(t, s, Problem{
		Z0: tensors.FromValue([][]float64{{1}, {1}, {1}}), Times: [][]float64{{0, 10}, {2, -1}, {0, 1}},
		Args: []*tensors.Tensor{tensors.FromValue([][]float64{{a[0]}, {a[1]}, {a[2]}})},
	})
	for b, rate := range a {
		want := math.Pow(0.01*(1e-6+1e-3)/math.Max(rate, rate*rate), 0.2)
		want = math.Min(want, 100*0.01/rate)
		times := sol.StepTimes(b)
		if got := math.Abs(times[1] - times[0]); !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("sample %d: first step %.12g, want %.12g", b, got, want)
		}
		if want := 2 + 6*(sol.Stats[b].Accepted+sol.Stats[b].Rejected); sol.Stats[b].Evaluations != want {
			t.Errorf("sample %d: %d evaluations, want %d", b, sol.Stats[b].Evaluations, want)
		}
	}
}

// Times far from 0 are not rounded to the state's float32: a pendulum started at 1e6 with a drive of the same phase.
func TestFloat32AtLargeTimes(t *testing.T) {
	const far = 1 << 20
	drive := func(t, z *Node, args []*Node) *Node {
		return Sub(ConvertDType(ExpandAxes(Sin(MulScalar(t, 2*math.Pi)), -1), z.DType()), z)
	}
	s := newSolver(t, drive, Config{})
	for name, control := range map[string]StepSize{"constant": Constant{1.0 / 64}, "adaptive": PID{},
		"automatic": PID{First: Automatic}} {
		s.control.StepSize = control
		solve := func(t0 float64) ([]float32, Stats) {
			sol := run(t, s, Problem{Z0: tensors.FromValue([][]float32{{1}}), Times: [][]float64{{t0, t0 + 0.25, t0 + 1.5}},
				StepTo: [][]float64{{t0 + 0.625}}})
			return tensors.MustCopyFlatData[float32](sol.Z), sol.Stats[0]
		}
		near, nearStats := solve(0)
		away, awayStats := solve(far)
		if nearStats.Accepted < 5 || nearStats != awayStats {
			t.Errorf("%s: %+v from 0, %+v from 2^20", name, nearStats, awayStats)
		}
		for i := range near {
			if d := math.Abs(float64(near[i] - away[i])); !(d <= 1e-6) {
				t.Errorf("%s: state %d is %g from 0, %g from 2^20", name, i, near[i], away[i])
			}
		}
	}
}
