package ode

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// troubled is z' = c0 + c1 z² + c2 sqrt(c3 - t) z with a row c of args[0] for each sample.
func troubled(t, z *Node, args []*Node) *Node {
	column := func(i int) *Node { return Slice(args[0], AxisRange(), AxisElem(i)) }
	root := Sqrt(Sub(column(3), ExpandAxes(t, -1)))
	return Add(Add(Mul(column(0), OnesLike(z)), Mul(column(1), Square(z))), Mul(Mul(column(2), root), z))
}

var (
	blowUp   = []float64{0, 1, 0, 9}  // z = 1/(1-t) from z0 = 1
	singular = []float64{0, 0, -1, 1} // not finite after t = 1
	smooth   = []float64{0.5, 0, -0.3, 9}
	hopeless = []float64{0, 0, -1, -1} // not finite at t = 0
)

func trouble(rows ...[]float64) Problem {
	z0 := make([][]float64, len(rows))
	for b := range z0 {
		z0[b] = []float64{1}
	}
	return Problem{Z0: tensors.FromValue(z0), Times: [][]float64{{0, 0.5, 1.5, 2}},
		Args: []*tensors.Tensor{tensors.FromValue(rows)}}
}

// attempt runs a problem that may fail, and closes the solution when the test ends.
func attempt(ctx context.Context, t *testing.T, s *Solver, p Problem) (*Solution, error) {
	t.Helper()
	sol, err := s.Run(ctx, p)
	t.Cleanup(sol.Close)
	return sol, err
}

// A failed sample stops; the others give the same results and gradients as without it.
func TestFailedSampleDoesNotSpoilTheOthers(t *testing.T) {
	s := newSolver(t, troubled, Config{MaxSteps: 3000})
	for _, c := range []struct {
		name    string
		control StepSize
		bad     []float64
		code    Code
		least   float64 // time reached
	}{
		{"blow-up", PID{}, blowUp, StepTooSmall, 0.99},
		{"blow-up, smallest step", PID{Min: 1e-4}, blowUp, StepTooSmall, 0.9},
		{"not finite mid-way, adaptive", PID{}, singular, NotFinite, 0.99},
		{"not finite mid-way, constant", Constant{0.15}, singular, NotFinite, 0.8},
		{"not finite at the start", PID{}, hopeless, NotFinite, 0},
		{"not finite at the start, automatic", PID{First: Automatic}, hopeless, NotFinite, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.control.StepSize = c.control // one compiled solver for all cases
			p := trouble(smooth, c.bad, []float64{0, 0.3, -1, 9})
			p.Interpolant = true
			sol, err := attempt(context.Background(), t, s, p)
			var failure *Failure
			if !errors.As(err, &failure) || failure.Code != c.code || failure.Sample != 1 || sol == nil {
				t.Fatalf("got %v, want %v of sample 1 beside a solution", err, c.code)
			}
			if failure.T < c.least || failure.T > 1.001 || failure.Stats != sol.Stats[1] || len(failure.Also) != 0 {
				t.Errorf("got %+v, stats %+v", failure, sol.Stats[1])
			}
			if sol.Code(0) != Success || sol.Code(1) != c.code || sol.Code(2) != Success {
				t.Errorf("codes %v %v %v", sol.Code(0), sol.Code(1), sol.Code(2))
			}
			z := nnFloats(sol.Z) // [3, 4, 1]
			for i, v := range z {
				reached := i/4 != 1 || i%4 == 0 || i%4 == 1 && c.least > 0
				if reached == math.IsNaN(v) {
					t.Errorf("save %d of sample %d is %g", i%4, i/4, v)
				}
			}
			if times := sol.SaveTimes(1); c.least > 0 && len(times) != 2 || c.least == 0 && len(times) != 1 {
				t.Errorf("sample 1 has states at %v", times)
			}
			if _, err := sol.At(context.Background(), [][]float64{{1.9}, {slices.Max(sol.StepTimes(1))}, {1.9}}); err != nil {
				t.Error(err)
			}
			if _, err := sol.At(context.Background(), [][]float64{{1.9}}); !errors.Is(err, ErrInput) {
				t.Errorf("state at a time that was not reached: %v", err)
			}

			cotangent := []float64{1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10}
			if c.least == 0 {
				_, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(cotangent, 3, 4, 1))
				if !errors.Is(err, NotFinite) {
					t.Errorf("pullback of a sample that never was finite: %v", err)
				}
			} else {
				g, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(append([]float64{}, cotangent...), 3,
					4, 1))
				if err != nil {
					t.Fatal(err)
				}
				defer g.Free()
				for b, row := range [][]float64{smooth, nil, {0, 0.3, -1, 9}} {
					if row == nil {
						continue
					}
					alone := run(t, s, trouble(row))
					if alone.Stats[0] != sol.Stats[b] {
						t.Errorf("sample %d: %+v alone, %+v together", b, alone.Stats[0], sol.Stats[b])
					}
					closeTo(t, "states", z[4*b:4*b+4], nnFloats(alone.Z), 0)
					h, err := alone.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(append([]float64{},
						cotangent[4*b:4*b+4]...), 1, 4, 1))
					if err != nil {
						t.Fatal(err)
					}
					closeTo(t, "gradient of z0", nnFloats(g.Z0)[b:b+1], nnFloats(h.Z0), 1e-13)
					closeTo(t, "gradient of args", nnFloats(g.Args[0])[4*b:4*b+4], nnFloats(h.Args[0]), 1e-13)
					h.Free()
				}
				if v := nnFloats(g.Z0)[1]; !finite(v) || v == 0 {
					t.Errorf("gradient of the failed sample's z0 is %g", v)
				}
				cotangent[6] = 1
				var entry *InputError
				if _, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(cotangent, 3, 4,
					1)); !errors.As(err, &entry) || entry.Sample != 1 || entry.Entry != 2 {
					t.Errorf("cotangent at a time that was not reached: %v", err)
				}
			}
		})
	}
}

func TestSeveralFailures(t *testing.T) {
	s := newSolver(t, troubled, Config{MaxSteps: 3000})
	_, err := attempt(context.Background(), t, s, trouble(smooth, blowUp, singular))
	var failure *Failure
	if !errors.As(err, &failure) || failure.Sample != 1 || len(failure.Also) != 1 || failure.Also[0].Sample != 2 {
		t.Fatalf("got %+v", failure)
	}
	if !errors.Is(err, StepTooSmall) || !errors.Is(err, NotFinite) || errors.Is(err, StepLimit) {
		t.Errorf("%v: want both codes found", err)
	}
	for _, word := range []string{"sample 1", "resolution", "try", "1 more"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
}

// The step limit holds for each sample separately.
func TestStepLimitIsPerSample(t *testing.T) {
	s := newSolver(t, troubled, Config{MaxSteps: 12})
	sol, err := attempt(context.Background(), t, s, trouble([]float64{0, 0, 0, 9}, blowUp, smooth))
	var failure *Failure
	if !errors.As(err, &failure) || failure.Code != StepLimit || failure.Sample != 1 || len(failure.Also) != 0 {
		t.Fatalf("got %v", err)
	}
	if tries := sol.Stats[1].Accepted + sol.Stats[1].Rejected; tries != 12 || failure.T <= 0 {
		t.Errorf("%d tries up to %g, want 12", tries, failure.T)
	}
	if sol.Code(0) != Success || sol.Code(2) != Success {
		t.Errorf("other samples: %v", sol.Failures)
	}
}

// counted is a context that ends after a number of calls.
type counted struct {
	context.Context
	left int
}

func (c *counted) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelledReturnsWhatItHas(t *testing.T) {
	s := newSolver(t, troubled, Config{StepSize: Constant{0.1}})
	// The first sample is already at t1 and is not cancelled.
	p := trouble(smooth, smooth, smooth)
	p.Times = [][]float64{{0, 0, 0}, {0, 0.35, 2}, {0, 0.1, 3}}
	sol, err := attempt(&counted{context.Background(), 4}, t, s, p)
	var failure *Failure
	if !errors.Is(err, Cancelled) || !errors.Is(err, context.Canceled) || !errors.As(err, &failure) ||
		len(failure.Also) != 1 {
		t.Fatalf("got %v", err)
	}
	if sol.Code(0) != Success || failure.Sample != 1 || !(math.Abs(failure.T-0.4) <= 1e-12) ||
		sol.Stats[1].Accepted != 4 {
		t.Errorf("got %+v, codes %v", failure, sol.Failures)
	}
	whole := p
	z, want := nnFloats(sol.Z), nnFloats(run(t, s, whole).Z)
	want[5], want[8] = math.NaN(), math.NaN()
	closeTo(t, "z", z, want, 0)
	g, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions([]float64{1, 1, 1, 0, 1, 0, 0, 1, 0}, 3,
		3, 1))
	if err != nil {
		t.Fatal(err)
	}
	g.Free()
}

// turning is a control whose steps reverse direction after the first.
type turning struct{ given }

func (c turning) Steps(int, int, float64, float64) (Steps, error) {
	return &turning{given{ends: []float64{0.5, 0.2, 1}}}, nil
}

// Every bad input is an error that wraps ErrInput and names the entry if there is one.
func TestBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := [][]float64{{1, 2}, {3, 4}}
	span := [][]float64{{0, 1, 2}}
	s := newSolver(t, func(_, z *Node, args []*Node) *Node {
		if len(args) > 0 {
			return Mul(z, args[0])
		}
		return z
	}, Config{})
	for _, c := range []struct {
		name          string
		problem       Problem
		sample, entry int // -1: no single entry
	}{
		{"NaN in z0", Problem{Z0: tensors.FromValue([][]float64{{1, 2}, {3, nan}}), Times: span}, 1, 1},
		{"infinity in z0", Problem{Z0: tensors.FromValue([][]float64{{1, 2}, {-inf, 3}}), Times: span}, 1, 0},
		{"infinity in z0, float32", Problem{Z0: tensors.FromValue([][]float32{{float32(inf), 2}}), Times: span}, 0, 0},
		{"no z0", Problem{Times: span}, -1, -1},
		{"z0 of one axis", Problem{Z0: tensors.FromValue([]float64{1}), Times: span}, -1, -1},
		{"z0 of integers", Problem{Z0: tensors.FromValue([][]int32{{1}}), Times: span}, -1, -1},
		{"NaN time", Problem{Times: [][]float64{{0, 1, 2}, {0, nan, 2}}}, 1, 1},
		{"infinite end", Problem{Times: [][]float64{{0, 1, inf}}}, 0, 2},
		{"turns back", Problem{Times: [][]float64{{0, 1, 2}, {0, 2, 1}}}, 1, 2},
		{"turns back on the way backward", Problem{Times: [][]float64{{0, -2, -1}}}, 0, 2},
		{"before t0", Problem{Times: [][]float64{{0, 1, 2}, {0, -1, 2}}}, 1, 1},
		{"after t1", Problem{Times: [][]float64{{0, 3, 2}}}, 0, 2},
		{"away and back", Problem{Times: [][]float64{{0, 1, 0}}}, 0, 1},
		{"no times", Problem{Times: [][]float64{}}, -1, -1},
		{"empty row", Problem{Times: [][]float64{{}}}, -1, -1},
		{"rows of different length", Problem{Times: [][]float64{{0, 1}, {0, 1, 2}}}, -1, -1},
		{"rows for three samples", Problem{Times: [][]float64{{0, 1}, {0, 1}, {0, 1}}}, -1, -1},
		{"an unknown Save", Problem{Times: span, Save: "some steps"}, -1, -1},
		{"memory beside dense", Problem{Times: span, Interpolant: true, Memory: Memory{Checkpoints: 2}}, -1, -1},
		{"every step with more times", Problem{Times: span, Save: EveryStep}, -1, -1},
		{"NaN step-to time", Problem{Times: span, StepTo: [][]float64{{0.5}, {0.5, nan}}}, 1, 1},
		{"duplicate step-to time", Problem{Times: span, StepTo: [][]float64{{0.5, 0.5}}}, 0, 1},
		{"step-to times that turn back", Problem{Times: span, StepTo: [][]float64{{0.5, 1, 0.7}}}, 0, 2},
		{"step-to times for three samples", Problem{Times: span, StepTo: [][]float64{{1}, {1}, {1}}}, -1, -1},
		{"nil arg", Problem{Times: span, Args: []*tensors.Tensor{nil}}, -1, -1},
		{"arg of another shape", Problem{Times: span, Args: []*tensors.Tensor{tensors.FromValue([]float64{1, 2, 3})}}, -1,
			-1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.problem.Z0 == nil && c.name != "no z0" {
				c.problem.Z0 = tensors.FromValue(good)
			}
			sol, err := s.Run(context.Background(), c.problem)
			if !errors.Is(err, ErrInput) || sol != nil {
				t.Fatalf("got %v and a solution: %v, want ErrInput and none", err, sol != nil)
			}
			var entry *InputError
			if named := errors.As(err, &entry); named != (c.sample >= 0) || named &&
				(entry.Sample != c.sample || entry.Entry != c.entry) {
				t.Errorf("got %v (%+v), want entry %d of sample %d", err, entry, c.entry, c.sample)
			}
		})
	}
	t.Run("field of another shape", func(t *testing.T) {
		s := newSolver(t, func(_, z *Node, _ []*Node) *Node { return ReduceAllSum(z) }, Config{})
		if _, err := s.Solve(context.Background(), tensors.FromValue(good), span); !errors.Is(err, ErrInput) {
			t.Errorf("got %v, want ErrInput", err)
		}
	})
	t.Run("a step of the wrong sign", func(t *testing.T) {
		s := newSolver(t, troubled, Config{StepSize: turning{}})
		if _, err := s.Run(context.Background(), trouble(smooth)); !errors.Is(err, ErrInput) {
			t.Errorf("got %v, want ErrInput", err)
		}
		s.control.StepSize = Given{[][]float64{{2, 1, 0}}}
		var entry *InputError
		if _, err := s.Run(context.Background(), trouble(smooth)); !errors.As(err, &entry) || entry.Entry != 1 {
			t.Errorf("got %v, want the step named", err)
		}
	})
}

// Repeated save times give the same state twice, forward and backward.
func TestRepeatedTimes(t *testing.T) {
	s := newSolver(t, troubled, Config{})
	for _, times := range [][]float64{{0, 0, 0.5, 0.5, 1, 1}, {0, 0, -0.5, -0.5, -1, -1}} {
		p := trouble(smooth)
		p.Times = [][]float64{times}
		z := nnFloats(run(t, s, p).Z)
		for i := 0; i < len(z); i += 2 {
			if !(math.Abs(z[i]-z[i+1]) <= 1e-14) || i > 0 && z[i] == z[i-1] {
				t.Errorf("times %v: states %v", times, z)
			}
		}
	}
}

// A field that is not finite at the end of a step makes the step fail, also if the method gives this slope no weight.
// No saved state is then NaN without a failure.
func TestNotFiniteAtTheEndOfAStep(t *testing.T) {
	root := func(t, z *Node, _ []*Node) *Node { return Mul(Sqrt(OneMinus(ExpandAxes(t, -1))), z) }
	forMethods(t, func(t *testing.T, m *Method, _ bool) {
		s := newSolver(t, root, Config{Method: m, StepSize: Constant{0.5}})
		sol, err := attempt(context.Background(), t, s, Problem{Z0: tensors.FromValue([][]float64{{1}}),
			Times: [][]float64{{0, 0.3, 1, 1.2, 1.5}}})
		if err == nil || sol.Code(0) != NotFinite {
			t.Fatalf("got %v, want NotFinite", err)
		}
		for i, z := range nnFloats(sol.Z) {
			if reached := i < len(sol.SaveTimes(0)); reached == math.IsNaN(z) {
				t.Errorf("save %d is %g, %d were reached", i, z, len(sol.SaveTimes(0)))
			}
		}
		if times := sol.SaveTimes(0); len(times) != 3 || times[2] != 1 {
			t.Errorf("states at %v, want up to 1", times)
		}
	})
}

// Every code has a name, and codes with a remedy name it.
func TestFailuresSayWhatToTry(t *testing.T) {
	for code, words := range map[Code][]string{
		StepLimit:    {"step limit", "stiff", "try larger tolerances", "MaxSteps"},
		StepTooSmall: {"too small", "try larger tolerances", "PID.Min"},
		NotFinite:    {"not finite", "try a smaller step", "check"}, Cancelled: {"cancelled"},
	} {
		text := (&Failure{Code: code, Sample: 3, T: 1.25, Step: 0.5, Stats: Stats{Accepted: 7, Rejected: 2}}).Error()
		for _, word := range append(words, "pengcde/ode: ", "t=1.25", "sample 3", "7 steps accepted", "2 rejected") {
			if !strings.Contains(text, word) {
				t.Errorf("%q does not say %q", text, word)
			}
		}
	}
}

// At the step limit, counts and lengths of steps are alike for a stiff field and for tight tolerances.
// Solution.Stiffness of the solved part tells them apart, as the advice says; larger tolerances lead much farther only
// where it is small.
func TestStepLimitOfAStiffFieldAndOfTightTolerances(t *testing.T) {
	for name, c := range map[string]struct {
		rate  float64 // of z' = -rate z
		steps PID
		stiff bool
	}{"stiff": {1e4, PID{RTol: 1e-3, ATol: 1e-6}, true}, "tight": {1, PID{RTol: 1e-13, ATol: 1e-13}, false}} {
		t.Run(name, func(t *testing.T) {
			linear := func(_, z *Node, _ []*Node) *Node { return MulScalar(z, -c.rate) }
			s := newSolver(t, linear, Config{StepSize: c.steps, MaxSteps: 40})
			p := Problem{Z0: tensors.FromValue([][]float64{{1}}), Times: [][]float64{{0, 100}}}
			sol, err := attempt(context.Background(), t, s, p)
			if !errors.Is(err, StepLimit) || !strings.Contains(err.Error(), "Solution.Stiffness tells") {
				t.Fatalf("got %v, want the step limit and how to tell its cause", err)
			}
			measured, err := sol.Stiffness(context.Background())
			if err != nil || (measured[0].Product > 2) != c.stiff || (measured[0].Product < 0.5) == c.stiff {
				t.Errorf("%+v, %v, want a product above 2 if stiff (%t), else below 0.5", measured, err, c.stiff)
			}
			p.StepSize = PID{RTol: 100 * c.steps.RTol, ATol: 100 * c.steps.ATol}
			loose, err := attempt(context.Background(), t, s, p)
			if !errors.Is(err, StepLimit) {
				t.Fatal(err)
			}
			if farther := loose.Failures[0].T / sol.Failures[0].T; (farther < 1.5) != c.stiff {
				t.Errorf("100 times the tolerances lead %.2f times as far; stiff: %t", farther, c.stiff)
			}
		})
	}
}
