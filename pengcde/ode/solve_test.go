package ode

import (
	"context"
	"errors"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// pendulum is q” = -a sin q with a driving force that depends on t: state [batch, 2], args a [1] and force [2].
func pendulum(t, z *Node, args []*Node) *Node {
	q, p := Slice(z, AxisRange(), AxisElem(0)), Slice(z, AxisRange(), AxisElem(1))
	a, force := args[0], args[1]
	drive := Sin(ExpandAxes(Mul(t, BroadcastToDims(Slice(force, AxisElem(0)), t.Shape().Dimensions...)), -1))
	drive = Mul(drive, BroadcastToDims(Slice(force, AxisElem(1)), drive.Shape().Dimensions...))
	return Concatenate([]*Node{p, Sub(drive, Mul(BroadcastToDims(a, q.Shape().Dimensions...), Sin(q)))}, 1)
}

type problem struct {
	z0    []float64
	a     []float64
	force []float64
}

func (p problem) solve(t *testing.T, s *Solver, times [][]float64) *Solution {
	t.Helper()
	z0 := tensors.FromFlatDataAndDimensions(append([]float64{}, p.z0...), len(p.z0)/2, 2)
	sol, err := s.Solve(context.Background(), z0, times, tensors.FromValue(p.a), tensors.FromValue(p.force))
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

// newSolver returns a solver on the pure-Go backend.
func newSolver(t *testing.T, field Field, cfg Config) *Solver {
	t.Helper()
	return newSolverOn(t, xlatest.Go(t), field, cfg)
}

// newUserSolver returns a solver on the default backend of users.
func newUserSolver(t *testing.T, field Field, cfg Config) *Solver {
	t.Helper()
	return newSolverOn(t, xlatest.Backend(t), field, cfg)
}

func newSolverOn(t *testing.T, backend *xla.Backend, field Field, cfg Config) *Solver {
	t.Helper()
	s, err := New(backend, field, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// irregular are save times of three samples: interior to steps, repeated, at t0, several in one step.
var irregular = [][]float64{
	{0, 0.3, 0.31, 0.32, 0.33, 0.34, 0.35, 2},
	{0, 0, 0.5, 0.5, 1, 1.5, 2.9, 3},
	{-1, -0.2, 0.001, 0.7, 0.71, 4.9, 4.95, 5},
}

var swinging = problem{z0: []float64{0.5, 0, 1.5, -0.3, -2, 1}, a: []float64{2}, force: []float64{1.7, 0.4}}

// A tight solve at all save times agrees with a fine constant-step solve, for samples whose steps differ.
func TestAdaptiveAgainstFine(t *testing.T) {
	tight := newSolver(t, pendulum, Config{StepSize: PID{RTol: 1e-9, ATol: 1e-9}})
	fine := newSolver(t, pendulum, Config{StepSize: Constant{1.0 / 512}})
	a, b := swinging.solve(t, tight, irregular), swinging.solve(t, fine, irregular)
	defer a.Close()
	defer b.Close()
	x, y := tensors.MustCopyFlatData[float64](a.Z), tensors.MustCopyFlatData[float64](b.Z)
	for i := range x {
		if !(math.Abs(x[i]-y[i]) <= 1e-7) {
			t.Errorf("entry %d: adaptive %.10f, fine %.10f", i, x[i], y[i])
		}
	}
	if a.Stats[0].Accepted == a.Stats[2].Accepted {
		t.Errorf("samples took as many steps each (%+v): the test should have samples that differ", a.Stats)
	}
	for i, st := range a.Stats {
		if want := 1 + 6*(st.Accepted+st.Rejected); st.Evaluations != want {
			t.Errorf("sample %d: %d evaluations, want %d", i, st.Evaluations, want)
		}
	}
}

// Samples of a batch do not influence each other: solved separately they take the same steps to the same states.
func TestSamplesAreIndependent(t *testing.T) {
	s := newSolver(t, pendulum, Config{})
	for name, control := range map[string]StepSize{
		"adaptive": PID{RTol: 1e-5, ATol: 1e-7}, "automatic": PID{P: 0.4, I: 0.3, First: Automatic},
		"constant": Constant{0.13},
	} {
		t.Run(name, func(t *testing.T) {
			s.control.StepSize = control
			stepTo := [][]float64{{0.2}, {0.25, 1.7}, {-0.5, 0.3, 3}}
			batch := swinging.problem(irregular)
			batch.StepTo = stepTo
			together := run(t, s, batch)
			n := 2 * len(irregular[0])
			for b := range irregular {
				alone := swinging
				alone.z0 = swinging.z0[2*b : 2*b+2]
				single := alone.problem(irregular[b : b+1])
				single.StepTo = stepTo[b : b+1]
				sol := run(t, s, single)
				if sol.Stats[0] != together.Stats[b] {
					t.Errorf("sample %d: %+v alone, %+v in the batch", b, sol.Stats[0], together.Stats[b])
				}
				// step sizes amplify the rounding of programs compiled for another batch
				closeTo(t, "steps", sol.StepTimes(0), together.StepTimes(b), 1e-8)
				closeTo(t, "states", nnFloats(sol.Z), nnFloats(together.Z)[n*b:n*b+n], 1e-8)
			}
		})
	}
}

func TestPullbackAgainstDifferences(t *testing.T) {
	probe := make([]float64, 3*8*2)
	for i := range probe {
		probe[i] = math.Sin(float64(3*i + 1))
	}
	for name, control := range map[string]StepSize{
		"constant": Constant{0.13}, "adaptive": PID{RTol: 1e-3, ATol: 1e-4},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSolver(t, pendulum, Config{StepSize: control})
			sol := swinging.solve(t, s, irregular)
			defer sol.Close()
			if name == "adaptive" && sol.Stats[2].Rejected == 0 {
				t.Errorf("no rejected step in %+v: the test should have some", sol.Stats)
			}
			g, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(append([]float64{}, probe...), 3, 8,
				2))
			if err != nil {
				t.Fatal(err)
			}
			defer g.Free()
			// Differences of the same steps: the gradient holds step sizes constant.
			ends := make([][]float64, len(irregular))
			for b := range ends {
				ends[b] = sol.StepTimes(b)[1:]
			}
			replay := newSolver(t, pendulum, Config{StepSize: Given{ends}})
			value := func(p problem) (v float64) {
				sol := p.solve(t, replay, irregular)
				defer sol.Close()
				for i, z := range tensors.MustCopyFlatData[float64](sol.Z) {
					v += probe[i] * z
				}
				return v
			}
			check := func(what string, got []float64, entry func(*problem) []float64) {
				for i := range got {
					const h = 1e-5
					shifted := func(by float64) float64 {
						p := problem{append([]float64{}, swinging.z0...), append([]float64{}, swinging.a...),
							append([]float64{}, swinging.force...)}
						entry(&p)[i] += by
						return value(p)
					}
					want := (8*(shifted(h)-shifted(-h)) - (shifted(2*h) - shifted(-2*h))) / (12 * h)
					if !(math.Abs(got[i]-want) <= 1e-8*(1+math.Abs(want))) {
						t.Errorf("%s[%d]: gradient %.12g, differences %.12g", what, i, got[i], want)
					}
				}
			}
			check("z0", tensors.MustCopyFlatData[float64](g.Z0), func(p *problem) []float64 { return p.z0 })
			check("a", tensors.MustCopyFlatData[float64](g.Args[0]), func(p *problem) []float64 { return p.a })
			check("force", tensors.MustCopyFlatData[float64](g.Args[1]), func(p *problem) []float64 { return p.force })
		})
	}
}

func TestConstantStepEnds(t *testing.T) {
	steps, err := Constant{0.1}.Steps(0, 5, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	ends := steps.(*given).ends
	if len(ends) != 30 || ends[0] != 0.1 || ends[29] != 3 {
		t.Errorf("got %d steps, first end %v, last %v, want 30, 0.1, 3", len(ends), ends[0], ends[29])
	}
}

// If times are sums of steps up to rounding, the number of steps is the same and no step is tiny.
func TestConstantStepsOfRoundedTimes(t *testing.T) {
	for k := range 200 {
		t0 := 0.1 * float64(k)
		steps, err := Constant{0.1}.Steps(0, 5, t0, t0+0.1)
		if err != nil {
			t.Fatal(err)
		}
		if ends := steps.(*given).ends; len(ends) != 1 || ends[0] != t0+0.1 {
			t.Errorf("from %v to %v: steps end at %v", t0, t0+0.1, ends)
		}
	}
	if _, err := (Constant{1e-300}).Steps(0, 5, 0, 1); err == nil {
		t.Error("1e300 steps gave no error")
	}
}

func TestEvaluateEqualsSolve(t *testing.T) {
	s := newSolver(t, pendulum, Config{})
	sol := swinging.solve(t, s, irregular)
	defer sol.Close()
	z0 := tensors.FromFlatDataAndDimensions(append([]float64{}, swinging.z0...), 3, 2)
	other, err := s.Evaluate(context.Background(), z0, irregular, tensors.FromValue(swinging.a),
		tensors.FromValue(swinging.force))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if !sol.Z.Equal(other.Z) {
		t.Error("Evaluate and Solve differ")
	}
	if _, err := other.Pullback(context.Background(), other.Z); !errors.Is(err, ErrNoTrail) {
		t.Errorf("pullback of Evaluate: %v, want ErrNoTrail", err)
	}
}

func TestFailures(t *testing.T) {
	grow := func(t, z *Node, _ []*Node) *Node { return Square(z) } // z = 1/(1-t) leaves the floats at t = 1
	stiff := func(t, z *Node, _ []*Node) *Node {
		return MulScalar(Sub(z, ConvertDType(ExpandAxes(Cos(t), -1), z.DType())), -1e7)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name   string
		field  Field
		config Config
		ctx    context.Context
		want   error
	}{
		{"not finite, constant", grow, Config{StepSize: Constant{0.05}}, context.Background(), NotFinite},
		{"blow-up, adaptive", grow, Config{MaxSteps: 100000}, context.Background(), StepTooSmall},
		{"stiff, smallest step", stiff, Config{StepSize: PID{Min: 1e-4}}, context.Background(), StepTooSmall},
		{"step limit", stiff, Config{MaxSteps: 50}, context.Background(), StepLimit},
		{"cancelled", grow, Config{}, cancelled, Cancelled},
		{"cancelled, cause", grow, Config{}, cancelled, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSolver(t, c.field, c.config)
			_, err := s.Solve(c.ctx, tensors.FromValue([][]float64{{1}}), [][]float64{{0, 3}})
			var failure *Failure
			if !errors.Is(err, c.want) || !errors.As(err, &failure) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			t.Log(err)
		})
	}
}

func TestInputErrors(t *testing.T) {
	s := newSolver(t, pendulum, Config{})
	good := tensors.FromValue([][]float64{{1, 2}})
	for name, c := range map[string]struct {
		z0    *tensors.Tensor
		times [][]float64
	}{
		"decreasing times":   {good, [][]float64{{0, 2, 1}}},
		"NaN time":           {good, [][]float64{{0, math.NaN()}}},
		"no times":           {good, [][]float64{{}}},
		"too many samples":   {good, [][]float64{{0, 1}, {0, 1}}},
		"state of integers":  {tensors.FromValue([][]int32{{1, 2}}), [][]float64{{0, 1}}},
		"state of one axis":  {tensors.FromValue([]float64{1, 2}), [][]float64{{0, 1}}},
		"bad constant shape": {good, nil},
	} {
		if _, err := s.Solve(context.Background(), c.z0, c.times); !errors.Is(err, ErrInput) {
			t.Errorf("%s: got %v, want ErrInput", name, err)
		}
	}
	wrong := newSolver(t, func(t, z *Node, _ []*Node) *Node { return ReduceAllSum(z) }, Config{})
	if _, err := wrong.Solve(context.Background(), good, [][]float64{{0, 1}}); err == nil {
		t.Error("a field of another shape gave no error")
	}
}
