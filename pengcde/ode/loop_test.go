package ode

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// Solves and gradients in loops on the device are the same as with the host, step by step, for samples whose steps,
// save times and rejections differ, with more steps than a loop takes. Step sizes differ by the rounding of error
// norms, which are 1e-9 of the states for the tightest tolerance.
func TestLoopAgainstHost(t *testing.T) {
	stops := [][]float64{{0.31, 0.9, 1.7}, {0.5, 1.1, 2.2}, {-0.5, 0, 4}}
	for _, backend := range []*xla.Backend{xlatest.Go(t), xlatest.Backend(t)} {
		for name, c := range map[string]struct {
			step    StepSize
			problem Problem
		}{
			"adaptive":           {PID{RTol: 1e-5, ATol: 1e-6}, Problem{}},
			"large first step":   {PID{RTol: 1e-5, ATol: 1e-6, First: 3}, Problem{}},
			"fitted first step":  {PID{RTol: 1e-5, ATol: 1e-6, First: Automatic}, Problem{}},
			"proportional":       {PID{RTol: 1e-6, ATol: 1e-6, P: 0.3, I: 0.4, D: 0.1}, Problem{}},
			"bounded":            {PID{RTol: 1e-4, Max: 0.2, Shrink: 0.5, Grow: 1.5, First: 1}, Problem{}},
			"step-to times":      {PID{RTol: 1e-4, P: 0.1, I: 0.6}, Problem{StepTo: stops, Continuous: true}},
			"many steps":         {PID{RTol: 1e-9, ATol: 1e-9}, Problem{}},
			"constant":           {Constant{0.11}, Problem{StepTo: stops, Continuous: true}},
			"given":              {Given{[][]float64{{0.4, 2}, {1, 2, 3}, {0, 1, 2, 3, 4, 5}}}, Problem{}},
			"without a pullback": {PID{}, Problem{Forget: true}},
		} {
			t.Run(backend.Name()+"/"+name, func(t *testing.T) {
				p := c.problem
				p.Z0 = tensors.FromFlatDataAndDimensions(swinging.z0, 3, 2)
				p.Times, p.Args = irregular, []*tensors.Tensor{tensors.FromValue(swinging.a), tensors.FromValue(swinging.force)}
				solve := func(loop Loop) (*Solution, *Gradients) {
					s := newSolverOn(t, backend, pendulum, Config{StepSize: c.step, Loop: loop})
					solution, err := s.Run(context.Background(), p)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(solution.Close)
					if p.Forget {
						return solution, nil
					}
					cotangent := tensors.MustCopyFlatData[float64](solution.Z)
					for i := range cotangent {
						cotangent[i] = math.Sin(float64(i))
					}
					gradients, err := solution.Pullback(context.Background(),
						tensors.FromFlatDataAndDimensions(cotangent, solution.Z.Shape().Dimensions...))
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(gradients.Free)
					return solution, gradients
				}
				want, wanted := solve(LoopHost)
				got, gradients := solve(LoopDevice)
				if _, ok := got.history.(*loopHistory); !ok && !p.Forget {
					t.Fatalf("the history is %T, want a loopHistory", got.history)
				}
				if !p.Forget && got.history.(*loopHistory).byHost {
					t.Error("the host took a step")
				}
				for b := range want.Stats {
					if got.Stats[b] != want.Stats[b] {
						t.Errorf("sample %d: %+v, by the host %+v", b, got.Stats[b], want.Stats[b])
					}
					near(t, "step ends", got.taken[b], want.taken[b], 1e-9)
				}
				near(t, "states", entries(got.Z), entries(want.Z), 1e-9)
				if p.Forget {
					return
				}
				near(t, "gradient of z0", entries(gradients.Z0), entries(wanted.Z0), 1e-8)
				for i := range wanted.Args {
					near(t, "gradient of an arg", entries(gradients.Args[i]), entries(wanted.Args[i]), 1e-8)
				}
			})
		}
	}
}

// The control in a loop takes the same steps as the host's, for any settings, in both directions.
func TestLoopControl(t *testing.T) {
	host := newSolver(t, pendulum, Config{Loop: LoopHost, MaxSteps: 200})
	device := newSolver(t, pendulum, Config{Loop: LoopDevice, MaxSteps: 200})
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		control := PID{RTol: math.Pow(10, -number("digits", 1, 5)), ATol: 1e-6, P: number("P", 0, 0.5),
			I: number("I", 0.2, 1), D: number("D", 0, 0.2), First: number("first", 0.001, 4),
			Safety: number("safety", 0.5, 0.95), Grow: number("grow", 1, 10)}
		control.Shrink = number("shrink", 0.1, 1) * control.Safety
		if rapid.Bool().Draw(t, "bounded") {
			control.Min, control.Max = number("min", 0, 0.05), number("max", 0.05, 2)
		}
		p := Problem{Args: []*tensors.Tensor{tensors.FromValue(swinging.a), tensors.FromValue(swinging.force)},
			Z0: tensors.FromFlatDataAndDimensions(swinging.z0, 3, 2), StepSize: control, Continuous: true}
		toward := rapid.SampledFrom([]float64{1, -1}).Draw(t, "direction")
		for range 3 {
			t0 := number("t0", -2, 2)
			p.Times = append(p.Times, []float64{t0, t0 + toward*number("length", 0, 3)})
			p.StepTo = append(p.StepTo, []float64{t0 + 0.1, t0 + number("stop", 0.2, 4)})
		}
		want, wanted := host.Run(context.Background(), p)
		got, err := device.Run(context.Background(), p)
		if want == nil || got == nil || (err == nil) != (wanted == nil) {
			t.Errorf("%v, by the host %v", err, wanted)
			return
		}
		defer want.Close()
		defer got.Close()
		for b := range want.Stats {
			if got.Stats[b] != want.Stats[b] || got.Code(b) != want.Code(b) {
				t.Errorf("sample %d: %v with %+v, by the host %v with %+v", b, got.Code(b), got.Stats[b], want.Code(b),
					want.Stats[b])
			}
			near(t, "step ends", got.taken[b], want.taken[b], 1e-9)
		}
		near(t, "states", entries(got.final), entries(want.final), 1e-9)
	})
}

// Solves that fail in a loop end as with the host: with the same failures, states and gradients. XLA rounds the two
// programs of a step differently, and shortly before a failure rounding decides how many steps are left.
func TestLoopFailures(t *testing.T) {
	for _, backend := range []*xla.Backend{xlatest.Go(t), xlatest.Backend(t)} {
		host := newSolverOn(t, backend, troubled, Config{Loop: LoopHost, MaxSteps: 3000})
		device := newSolverOn(t, backend, troubled, Config{Loop: LoopDevice, MaxSteps: 3000})
		for name, c := range map[string]struct {
			steps StepSize
			limit int
			rows  [][]float64
		}{
			"blow-up":              {PID{}, 3000, [][]float64{smooth, blowUp, {0, 0.3, -1, 9}}},
			"smallest step":        {PID{Min: 1e-4}, 3000, [][]float64{smooth, blowUp, smooth}},
			"singular":             {PID{}, 3000, [][]float64{singular, smooth, smooth}},
			"long first step":      {PID{First: 1e3}, 20, [][]float64{singular, smooth, smooth}},
			"singular, constant":   {Constant{0.15}, 0, [][]float64{smooth, singular, smooth}},
			"not finite at all":    {PID{}, 3000, [][]float64{hopeless, smooth, smooth}},
			"too many steps":       {PID{}, 12, [][]float64{{0, 0, 0, 9}, blowUp, smooth}},
			"more than a loop has": {Constant{0.01}, 70, [][]float64{smooth, smooth, smooth}},
		} {
			t.Run(backend.Name()+"/"+name, func(t *testing.T) {
				host.maxSteps, device.maxSteps = c.limit, c.limit
				p := trouble(c.rows...)
				p.StepSize = c.steps
				want, wanted := failing(t, host, p)
				got, gradients := failing(t, device, p)
				for b := range c.rows {
					if got.Code(b) != want.Code(b) || backend.Device == "go" && got.Stats[b] != want.Stats[b] {
						t.Errorf("sample %d: %v with %+v, by the host %v with %+v", b, got.Code(b), got.Stats[b], want.Code(b),
							want.Stats[b])
					}
					if f, g := got.Failures[b], want.Failures[b]; f != nil && g != nil && !(math.Abs(f.T-g.T) <= 1e-3) {
						t.Errorf("sample %d: failed at %g, by the host at %g", b, f.T, g.T)
					}
				}
				if backend.Device != "go" {
					return
				}
				near(t, "states", zeroed(entries(got.Z)), zeroed(entries(want.Z)), 1e-9)
				if (wanted == nil) != (gradients == nil) {
					t.Fatalf("gradients %v, by the host %v", gradients, wanted)
				}
				if wanted == nil {
					return
				}
				near(t, "gradient of z0", zeroed(entries(gradients.Z0)), zeroed(entries(wanted.Z0)), 1e-8)
				near(t, "gradient of args", zeroed(entries(gradients.Args[0])), zeroed(entries(wanted.Args[0])), 1e-8)
			})
		}
	}
}

// failing solves a problem that fails, and returns the gradients of what was reached; nil if there are none.
func failing(t *testing.T, s *Solver, p Problem) (*Solution, *Gradients) {
	t.Helper()
	solution, err := attempt(context.Background(), t, s, p)
	var failure *Failure
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want a Failure", err)
	}
	cotangent := entries(solution.Z)
	for i, z := range cotangent {
		if cotangent[i] = math.Cos(float64(i)); math.IsNaN(z) {
			cotangent[i] = 0
		}
	}
	gradients, err := solution.Pullback(context.Background(),
		tensors.FromFlatDataAndDimensions(cotangent, solution.Z.Shape().Dimensions...))
	if err != nil {
		if failure.Code != NotFinite || failure.T != 0 {
			t.Fatal(err)
		}
		return solution, nil
	}
	t.Cleanup(gradients.Free)
	return solution, gradients
}

// zeroed replaces NaN by 0.
func zeroed(x []float64) []float64 {
	for i, v := range x {
		if math.IsNaN(v) {
			x[i] = 0
		}
	}
	return x
}

// An unknown loop is refused, with the known ones.
func TestLoopUnknown(t *testing.T) {
	_, err := New(xlatest.Go(t), pendulum, Config{Loop: "elsewhere"})
	if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), `"device" "host"`) {
		t.Errorf("got %v, want an ErrInput with the known loops", err)
	}
}

// A cancelled context ends a solve between two loops, and a pullback between two pieces.
func TestLoopCancelled(t *testing.T) {
	s := newSolver(t, troubled, Config{StepSize: Constant{0.02}, Loop: LoopDevice})
	sol, err := attempt(&counted{context.Background(), 2}, t, s, trouble(smooth, smooth))
	if !errors.Is(err, Cancelled) || sol.Stats[0].Accepted != 64 || !(math.Abs(sol.Failures[0].T-1.28) <= 1e-12) {
		t.Fatalf("got %v after %+v, want it cancelled after two loops of 32 steps", err, sol.Stats)
	}
	if sol, err = attempt(context.Background(), t, s, trouble(smooth, smooth)); err != nil {
		t.Fatal(err)
	}
	if _, err := sol.Pullback(&counted{context.Background(), 2}, sol.Z); !errors.Is(err, Cancelled) {
		t.Errorf("pullback: got %v, want Cancelled", err)
	}
}

func entries(x *tensors.Tensor) []float64 { return tensors.MustCopyFlatData[float64](x) }

// near compares relative to the largest entry.
func near(t interface {
	Helper()
	Errorf(string, ...any)
}, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	largest := 1e-300
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*largest) {
			t.Errorf("%s: entry %d is %.17g, want %.17g", what, i, got[i], want[i])
			return
		}
	}
}
