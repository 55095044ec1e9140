package ode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
)

var memories = []Memory{
	{}, {Host: true}, {Checkpoints: 1}, {Checkpoints: 2, Host: true}, {Checkpoints: 3}, {Checkpoints: 5, Host: true},
	{Bytes: 4*48 + 47, Checkpoints: 20}, {Bytes: 1 << 40},
}

// closest returns the tolerance between the gradients of two memory choices. It is 0 if the backend computes a field
// alike in all programs.
func closest(s *Solver) float64 {
	if s.backend.Device == "go" {
		return 0
	}
	return 1e-12
}

// Every choice of memory gives the same gradient, and the plan of each holds. The host drives all solves, as it does
// with any Memory, so that the same programs compute them.
func TestMemoryChoices(t *testing.T) {
	forward, backward, users := newSolver(t, pendulum, Config{}), newSolver(t, mirrored, Config{}),
		newUserSolver(t, pendulum, Config{Loop: LoopHost})
	ends := [][]float64{{0.5, 1.1, 2}, {1, 2, 3}, {0, 1, 2, 3, 3.5, 5}}
	for _, c := range []struct {
		name    string
		solver  *Solver
		control StepSize
		every   bool
		stepTo  [][]float64
	}{
		{"adaptive, where users compute", users, PID{RTol: 1e-5, ATol: 1e-7}, false, nil},
		{"adaptive", forward, PID{RTol: 1e-5, ATol: 1e-7}, false, nil},
		{"automatic, backward", backward, PID{First: Automatic}, false, [][]float64{{-0.111, -1.234}}},
		{"constant", forward, Constant{0.13}, false, [][]float64{{0.111, 1.234}}},
		{"constant, backward", backward, Constant{0.2}, false, nil},
		{"given", forward, Given{ends}, false, [][]float64{{0.111, 1.234}}},
		{"adaptive, every step", forward, PID{RTol: 1e-5, ATol: 1e-7}, true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, times := c.solver, irregular
			if c.every {
				times = [][]float64{{0, 2}, {0, 3}, {-1, 5}}
			}
			if s == backward {
				times = negative(times)
			}
			s.control.StepSize = c.control
			p := swinging.problem(times)
			p.StepTo = c.stepTo
			if c.every {
				p.Save = EveryStep
			}
			want := differentiate(t, s, p)
			for _, m := range memories {
				p.Memory = m
				got := differentiate(t, s, p)
				name := fmt.Sprintf("%+v", m)
				closeTo(t, name+": z", got.z, want.z, 0)
				for i := range want.gradients {
					closeTo(t, fmt.Sprintf("%s: gradient %d", name, i), got.gradients[i], want.gradients[i], closest(s))
					closeTo(t, fmt.Sprintf("%s: gradient %d again", name, i), got.again[i], want.gradients[i], closest(s))
				}
				limit, err := p.limit()
				if err != nil {
					t.Fatal(err)
				}
				if limit > 0 && (got.kept > limit || got.left > limit) {
					t.Errorf("%s: %d states kept, %d after, want at most %d", name, got.kept, got.left, limit)
				}
				if limit > 0 && limit < 6 && got.replayed == 0 {
					t.Errorf("%s: no step was taken again: the test should have some", name)
				}
			}
		})
	}
}

type outcome struct {
	z                    []float64
	gradients, again     [][]float64
	kept, left, replayed int
}

// differentiate solves, compares with the plan, and pulls back twice.
func differentiate(t *testing.T, s *Solver, p Problem) (o outcome) {
	t.Helper()
	plan, err := s.Plan(p)
	if err != nil {
		t.Fatal(err)
	}
	sol := run(t, s, p)
	o.z, o.kept = nnFloats(sol.Z), sol.States()
	checkPlan(t, fmt.Sprintf("%+v", p.Memory), plan, sol)
	probe := cosines(sol.Z.Size())
	for i, z := range o.z {
		if z != z { // after a sample's last step
			probe[i] = 0
		}
	}
	for time := range 2 {
		g, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(append([]float64{}, probe...),
			sol.Z.Shape().Dimensions...))
		if err != nil {
			t.Fatal(err)
		}
		all := [][]float64{nnFloats(g.Z0)}
		for _, arg := range g.Args {
			all = append(all, nnFloats(arg))
		}
		if time == 0 {
			o.gradients, o.replayed = all, g.Replayed
			if plan.Exact && (g.Replayed != plan.Replayed || g.Evaluations != plan.PullbackEvaluations) ||
				g.Replayed > plan.Replayed || g.Evaluations > plan.PullbackEvaluations {
				t.Errorf("%+v: pullback took %d rounds again with %d evaluations, plan %d and %d (exact: %t)", p.Memory,
					g.Replayed, g.Evaluations, plan.Replayed, plan.PullbackEvaluations, plan.Exact)
			}
		} else {
			o.again = all
		}
		g.Free()
	}
	o.left = sol.States()
	return o
}

func checkPlan(t *testing.T, name string, plan *Plan, sol *Solution) {
	t.Helper()
	if sol.States() > plan.States || plan.Exact && sol.States() != plan.kept {
		t.Errorf("%s: %d states kept, plan %d, at most %d (exact: %t)", name, sol.States(), plan.kept, plan.States,
			plan.Exact)
	}
	for b, stats := range sol.Stats {
		if plan.Exact && (stats.Accepted != plan.Steps[b] || stats.Evaluations != plan.Evaluations[b]) ||
			stats.Accepted > plan.Steps[b] || stats.Evaluations > plan.Evaluations[b] {
			t.Errorf("%s: sample %d: %+v, plan %d steps and %d evaluations (exact: %t)", name, b, stats, plan.Steps[b],
				plan.Evaluations[b], plan.Exact)
		}
	}
}

// The gradient of the part that was solved is also the same if a sample fails or the solve is cancelled.
func TestMemoryOfPartialSolves(t *testing.T) {
	s := newSolver(t, pendulum, Config{StepSize: PID{RTol: 1e-5, ATol: 1e-7}})
	for name, c := range map[string]struct {
		calls, limit int
		control      StepSize
	}{"cancelled": {9, 0, PID{RTol: 1e-5, ATol: 1e-7}}, "step limit": {1 << 30, 14, PID{RTol: 1e-5, ATol: 1e-7}},
		"cancelled, constant": {9, 0, Constant{0.1}}} {
		s.control.StepSize, s.control.maxSteps = c.control, c.limit
		var want []float64
		for _, m := range memories {
			p := swinging.problem(irregular)
			p.Memory = m
			sol, err := s.Run(&counted{context.Background(), c.calls}, p)
			var failure *Failure
			if !errors.As(err, &failure) {
				t.Fatalf("%s: got %v, want a failure", name, err)
			}
			t.Cleanup(sol.Close)
			probe := cosines(sol.Z.Size())
			for i, z := range nnFloats(sol.Z) {
				if z != z {
					probe[i] = 0
				}
			}
			g, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(probe, sol.Z.Shape().Dimensions...))
			if err != nil {
				t.Fatal(err)
			}
			got := append(nnFloats(g.Z0), nnFloats(g.Args[0])...)
			g.Free()
			if want == nil {
				want = got
			}
			closeTo(t, fmt.Sprintf("%s, %+v", name, m), got, want, closest(s))
		}
	}
}

// A pullback that is cancelled while it takes steps again can be repeated.
func TestPullbackCancelledWithCheckpoints(t *testing.T) {
	s := newSolver(t, pendulum, Config{StepSize: Constant{0.1}})
	p := swinging.problem(irregular)
	want := differentiate(t, s, p)
	p.Memory.Checkpoints = 3
	sol := run(t, s, p)
	probe := tensors.FromFlatDataAndDimensions(cosines(sol.Z.Size()), sol.Z.Shape().Dimensions...)
	for calls := 0; calls < 60; calls += 4 {
		if _, err := sol.Pullback(&counted{context.Background(), calls}, probe); !errors.Is(err, Cancelled) {
			t.Fatalf("after %d calls: got %v, want Cancelled", calls, err)
		}
	}
	g, err := sol.Pullback(context.Background(), probe)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Free()
	closeTo(t, "gradient of z0", nnFloats(g.Z0), want.gradients[0], closest(s))
}

// A limit beyond any number of steps keeps all states.
func TestHugeMemory(t *testing.T) {
	for name, control := range map[string]StepSize{"constant": Constant{0.1}, "adaptive": PID{}} {
		s, p := newSolver(t, pendulum, Config{StepSize: control}), swinging.problem(irregular)
		p.Memory = Memory{Checkpoints: math.MaxInt, Bytes: math.MaxInt64}
		solution, err := s.Run(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		for _, stats := range solution.Stats {
			steps = max(steps, stats.Accepted)
		}
		if got := solution.States(); got < steps {
			t.Errorf("%s: %d states kept of %d steps", name, got, steps)
		}
		solution.Close()
		if _, err := s.Plan(p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := newSolver(t, pendulum, Config{MaxSteps: 1 << 40})
	if _, err := s.Plan(swinging.problem(irregular)); !errors.Is(err, ErrInput) {
		t.Errorf("plan of 1<<40 steps: %v, want ErrInput", err)
	}
}

func TestMemoryErrors(t *testing.T) {
	s := newSolver(t, pendulum, Config{StepSize: Constant{0.1}})
	for name, change := range map[string]func(*Problem){
		"negative count":     func(p *Problem) { p.Memory.Checkpoints = -1 },
		"negative bytes":     func(p *Problem) { p.Memory.Bytes = -1 },
		"below a state":      func(p *Problem) { p.Memory.Bytes = 47 },
		"beside Interpolant": func(p *Problem) { p.Memory.Host, p.Interpolant = true, true },
		"beside Forget":      func(p *Problem) { p.Memory.Checkpoints, p.Forget = 2, true },
	} {
		p := swinging.problem(irregular)
		change(&p)
		if _, err := s.Run(context.Background(), p); !errors.Is(err, ErrInput) {
			t.Errorf("%s: Run gave %v, want ErrInput", name, err)
		}
		if _, err := s.Plan(p); !errors.Is(err, ErrInput) {
			t.Errorf("%s: Plan gave %v, want ErrInput", name, err)
		}
	}
}
