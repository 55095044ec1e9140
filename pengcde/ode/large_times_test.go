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

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// Constant steps at times far from 0 are the steps near 0, or an error where times cannot be told apart.
func TestConstantStepsAtLargeTimes(t *testing.T) {
	const base, span = 1.7e18, 1 << 20 // nanoseconds since 1970, of which 256 are the difference of neighbours
	z0 := tensors.FromValue([][]float64{{1}})
	for _, loop := range []Loop{"", LoopHost} {
		slow := func(_, z *Node, _ []*Node) *Node { return MulScalar(z, -1e-6) }
		s := newUserSolver(t, slow, Config{Loop: loop, StepSize: Constant{1024}})
		var near, far []float64
		for from, z := range map[float64]*[]float64{0: &near, base: &far} {
			sol, err := s.Solve(context.Background(), z0, [][]float64{{from, from + span}})
			if err != nil {
				t.Fatal(err)
			}
			if n := sol.Stats[0].Accepted; n != 1024 {
				t.Errorf("loop %q from %g: %d steps, want 1024", loop, from, n)
			}
			*z = tensors.MustCopyFlatData[float64](sol.Z)
			sol.Close()
		}
		if math.Abs(near[1]-far[1]) > 1e-12 {
			t.Errorf("loop %q: %g near 0, %g far from it", loop, near[1], far[1])
		}
		_, err := s.Run(context.Background(), Problem{Z0: z0, Times: [][]float64{{base, base + span}},
			StepSize: Constant{100}})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "cannot be told apart") {
			t.Errorf("loop %q: steps below the distance of neighbouring times: %v", loop, err)
		}
	}
}

// A jump between two knots that are far from 0 and close together is not lost.
func TestJumpAtLargeTimes(t *testing.T) {
	for _, kind := range []path.Kind{path.Linear, path.Ramp} {
		for from, tolerance := range map[float64]float64{0: 1e-3, 1.7e15: 0.05} { // where a jump takes 40 neighbouring times
			knots := []float64{from, from + 1e6, from + 1e6 + 10, from + 2e6}
			args, err := path.Knots(kind, [][]float64{knots})
			if err != nil {
				t.Fatal(err)
			}
			s, err := NewPiecewise(xlatest.Backend(t), func(at, side, z *Node, args []*Node) *Node {
				_, dx := path.Locate(kind, args[:len(args)-1], at, side).Eval(args[len(args)-1])
				return dx
			}, Config{StepSize: PID{First: 1000}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			sol, err := s.Run(context.Background(), Problem{Z0: tensors.FromValue([][]float64{{0}}),
				Times: [][]float64{{knots[0], knots[3]}}, StepTo: [][]float64{knots}, Continuous: kind != path.Linear,
				Args: append(slices.Clone(args), tensors.FromValue([][][]float64{{{0}, {0}, {1}, {1}}}))})
			if err != nil {
				t.Fatal(err)
			}
			if z := tensors.MustCopyFlatData[float64](sol.Z); math.Abs(z[1]-1) > tolerance {
				t.Errorf("%s from %g: %g, want the whole jump", kind, from, z[1])
			}
			sol.Close()
		}
	}
}

// An absolute tolerance that float32 does not hold is an error, and in float64 a tolerance.
func TestToleranceBelowFloat32(t *testing.T) {
	s := newUserSolver(t, fading, Config{StepSize: PID{ATol: 1e-40}})
	short, long := tensors.FromValue([][]float32{{1, 0}}), tensors.FromValue([][]float64{{1, 0}})
	if _, err := s.Solve(context.Background(), short, [][]float64{{0, 1}}); !errors.Is(err, ErrInput) {
		t.Errorf("float32: %v, want ErrInput", err)
	}
	sol, err := s.Solve(context.Background(), long, [][]float64{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	sol.Close()
}

// A largest step below the distance of neighbouring times is an error, also far from 0; one above it that takes too
// many steps is named at the step limit, which otherwise names the tolerances.
func TestLargestStepTooSmall(t *testing.T) {
	z0 := tensors.FromValue([][]float64{{1, 0}})
	for _, loop := range []Loop{"", LoopHost} {
		s := newUserSolver(t, fading, Config{Loop: loop, MaxSteps: 100})
		for _, c := range []struct {
			max, from, to float64
			want          error
			says, hides   string
		}{
			{1e-20, 0, 1, ErrInput, "PID.Max 1e-20 from 0 to 1, where", "tolerances"},
			{1e-20, 1, 0, ErrInput, "cannot be told apart: try a larger step", "tolerances"},
			{100, 1.7e18, 1.7e18 + 1<<20, ErrInput, "PID.Max 100 from", "tolerances"},
			{1e-6, 0, 1, StepLimit, "than PID.Max; try a larger one, or raise Config.MaxSteps", "tolerances"},
			{1e-6, 1, 0, StepLimit, "than PID.Max; try a larger one, or raise Config.MaxSteps", "tolerances"},
			{0, 0, 1e9, StepLimit, "try larger tolerances", "PID.Max"},
		} {
			sol, err := s.Run(context.Background(), Problem{Z0: z0, Times: [][]float64{{c.from, c.to}},
				StepSize: PID{Max: c.max}})
			sol.Close()
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), c.hides) {
				t.Errorf("loop %q, %+v: %v", loop, c, err)
			}
		}
		sol, err := s.Run(context.Background(), Problem{Z0: z0, Times: [][]float64{{1, 1 + 0x1p-50}},
			StepSize: PID{Max: 0x1p-50}}) // one step
		if err != nil {
			t.Errorf("loop %q: %v", loop, err)
		}
		sol.Close()
	}
}
