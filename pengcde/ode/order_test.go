package ode

import (
	"context"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
)

// states solves a problem for one equal sample per row of times, and returns [batch][saves][dim].
func states(t *testing.T, s *Solver, p knownProblem, times [][]float64) [][][]float64 {
	t.Helper()
	sol, err := s.Solve(context.Background(), p.Start(len(times)), times, p.Params())
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	return sol.Z.Value().([][][]float64)
}

// The error at T1 falls as the step to the power of the order. The samples of one solve take different steps.
func TestOrderOfMethods(t *testing.T) {
	counts := map[int][]int{1: {256, 384, 512}, 2: {64, 96, 128, 192}, 3: {48, 64, 96, 128}, 4: {40, 56, 80, 112},
		5: {40, 56, 80, 112}}
	forMethods(t, func(t *testing.T, m *Method, _ bool) {
		for _, p := range smoothProblems() {
			var ends, times [][]float64
			var steps, errs []float64
			for _, n := range counts[m.Order] {
				h := (p.T1 - p.T0) / float64(n)
				row := make([]float64, n)
				for k := range row {
					row[k] = p.T0 + float64(k+1)*h
				}
				row[n-1] = p.T1
				ends, times, steps = append(ends, row), append(times, []float64{p.T0, p.T1}), append(steps, h)
			}
			for _, z := range states(t, newSolver(t, p.Field, Config{Method: m, StepSize: Given{ends}}), p, times) {
				errs = append(errs, distanceOf(z[1], p.At(p.T1)))
			}
			got := orderOf(steps, errs)
			t.Logf("%-12s order %.2f, errors %.2g to %.2g", p.Name, got, errs[0], errs[len(errs)-1])
			if !(math.Abs(got-float64(m.Order)) <= 0.3) {
				t.Errorf("%s: error falls with the step to the power %.2f, want %d", p.Name, got, m.Order)
			}
		}
	})
}

// The error inside one step from the exact state falls as the step to the power of the extension's order plus one.
func TestOrderOfExtensions(t *testing.T) {
	steps := []float64{0.08, 0.056, 0.04, 0.028, 0.02}
	inside := []float64{0.15, 0.3, 0.45, 0.6, 0.75, 0.9}
	forMethods(t, func(t *testing.T, m *Method, _ bool) {
		for _, p := range smoothProblems() {
			from := p.T0 + 0.3*(p.T1-p.T0)
			p.Z0, p.T0 = p.At(from), from
			var ends, times [][]float64
			errs := make([]float64, len(steps))
			for _, h := range steps {
				row := []float64{p.T0}
				for _, theta := range inside {
					row = append(row, p.T0+theta*h)
				}
				ends, times = append(ends, []float64{p.T0 + h}), append(times, append(row, p.T0+h))
			}
			solved := states(t, newSolver(t, p.Field, Config{Method: m, StepSize: Given{ends}}), p, times)
			for b, z := range solved {
				for i := 1; i <= len(inside); i++ {
					errs[b] = max(errs[b], distanceOf(z[i], p.At(times[b][i])))
				}
			}
			got := orderOf(steps, errs) - 1
			t.Logf("%-12s order %.2f, errors %.2g to %.2g", p.Name, got, errs[0], errs[len(errs)-1])
			if !(math.Abs(got-float64(m.InterpolantOrder)) <= 0.3) {
				t.Errorf("%s: error inside a step is of order %.2f, want %d", p.Name, got, m.InterpolantOrder)
			}
		}
	})
}

// Gradients with respect to the state and the parameters agree with differences of the same steps.
func TestGradientsOfMethods(t *testing.T) {
	forMethods(t, func(t *testing.T, m *Method, adaptive bool) {
		controls := map[string]StepSize{"constant": Constant{0.11}}
		if adaptive {
			controls["adaptive"] = PID{RTol: 1e-3, ATol: 1e-5, First: 1}
		}
		for name, control := range controls {
			t.Run(name, func(t *testing.T) { checkGradients(t, newSolver, m, control) })
		}
	})
	// A method whose published stages do not end at the end of the step, on the default backend.
	t.Run("default backend", func(t *testing.T) {
		checkGradients(t, newUserSolver, Heun,
			PID{RTol: 1e-3, ATol: 1e-5, First: 1})
	})
}

func checkGradients(t *testing.T, open func(*testing.T, Field, Config) *Solver, m *Method, control StepSize) {
	p := knownLimitCycle
	times := [][]float64{
		{p.T0, p.T0, 0.05, 0.3, 0.31, 0.32, 0.33, 1.97, p.T1},
		{p.T0, 0.1, 0.1, 0.9, 0.95, 1, 1.3, 1.31, 1.4},
	}
	ctx := context.Background()
	s := open(t, p.Field, Config{Method: m, StepSize: control})
	sol, err := s.Solve(ctx, p.Start(2), times, p.Params())
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	if _, constant := control.(Constant); !constant && sol.Stats[0].Rejected == 0 {
		t.Errorf("no rejected step in %+v: the test should have some", sol.Stats)
	}
	probe := make([]float64, sol.Z.Size())
	for i := range probe {
		probe[i] = math.Sin(float64(3*i + 1))
	}
	g, err := sol.Pullback(ctx, tensors.FromFlatDataAndDimensions(append([]float64{}, probe...),
		sol.Z.Shape().Dimensions...))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Free()

	ends := [][]float64{sol.StepTimes(0)[1:], sol.StepTimes(1)[1:]}
	s.control.StepSize = Given{ends} // compiled once for both
	z0 := tensors.MustCopyFlatData[float64](p.Start(2))
	value := func(z0, a []float64) (v float64) {
		sol, err := s.Evaluate(ctx, tensors.FromFlatDataAndDimensions(z0, 2, 2), times, tensors.FromValue(a))
		if err != nil {
			t.Fatal(err)
		}
		defer sol.Close()
		for i, z := range tensors.MustCopyFlatData[float64](sol.Z) {
			v += probe[i] * z
		}
		return v
	}
	check := func(what string, got, at []float64, value func(x []float64) float64) {
		for i := range got {
			const h = 1e-3
			difference := func(by float64) float64 {
				up, down := append([]float64{}, at...), append([]float64{}, at...)
				up[i], down[i] = up[i]+by, down[i]-by
				return value(up) - value(down)
			}
			want := (8*difference(h) - difference(2*h)) / (12 * h)
			if !(math.Abs(got[i]-want) <= 1e-8*(1+math.Abs(want))) {
				t.Errorf("%s[%d]: gradient %.12g, differences %.12g", what, i, got[i], want)
			}
		}
	}
	check("z0", tensors.MustCopyFlatData[float64](g.Z0), z0, func(x []float64) float64 { return value(x, p.A) })
	check("a", tensors.MustCopyFlatData[float64](g.Args[0]), p.A, func(x []float64) float64 { return value(z0, x) })
}
