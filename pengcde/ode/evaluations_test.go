package ode

import (
	"context"
	"math"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// A step evaluates the field as often as the table at [Method] says, since the slope at its start is the one that the step
// before has left: the program of a step holds the field so many times, and that of the start once.
func TestFirstSameAsLast(t *testing.T) {
	want := map[string]int{"Euler": 1, "Midpoint": 2, "Heun": 2, "Bosh3": 3, "RK4": 4, "Dopri5": 6, "Tsit5": 6}
	forMethods(t, func(t *testing.T, m *Method, adaptive bool) {
		built := 0
		config := Config{Method: m, Control: Constant{0.25}}
		if adaptive {
			config.Control = PID{First: 0.25, Max: 0.25}
		}
		s := newGoSolver(t, decay(&built), config)
		p := Problem{Z0: tensors.FromValue([][]float64{{1}}), Times: [][]float64{{0, 1}}}
		sol := run(t, s, p)
		if built != 1+want[m.Name] {
			t.Errorf("the field was built %d times, want once for the start and %d for a step", built, want[m.Name])
		}
		stats := sol.Stats[0]
		if tries := stats.Accepted + stats.Rejected; tries < 4 || stats.Evaluations != 1+want[m.Name]*tries {
			t.Errorf("%+v, want 1 evaluation and %d a try", stats, want[m.Name])
		}
		g, err := sol.Pullback(context.Background(), tensors.FromValue([][][]float64{{{0}, {1}}}))
		if err != nil {
			t.Fatal(err)
		}
		defer g.Free()
		if again := built - 1 - want[m.Name]; again != want[m.Name] { // stages alone, without the slope at the end
			t.Errorf("the pullback of a step holds the field %d times, want %d", again, want[m.Name])
		}
	})
}

// A field that is not finite at the end of a step makes the step fail also where the method gives that slope no weight; no
// state that was saved is then NaN without a failure.
func TestNotFiniteAtTheEndOfAStep(t *testing.T) {
	root := func(t, z *Node, _ []*Node) *Node { return Mul(Sqrt(OneMinus(ExpandAxes(t, -1))), z) }
	forMethods(t, func(t *testing.T, m *Method, _ bool) {
		s := newGoSolver(t, root, Config{Method: m, Control: Constant{0.5}})
		sol, err := attempt(context.Background(), t, s, Problem{Z0: tensors.FromValue([][]float64{{1}}), Times: [][]float64{{0, 0.3, 1, 1.2, 1.5}}})
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

// Every code has a name, and those that a user can do something about say what to try.
func TestFailuresSayWhatToTry(t *testing.T) {
	for code, words := range map[Code][]string{
		StepLimit: {"step limit", "stiff", "try larger tolerances", "MaxSteps"}, StepTooSmall: {"too small", "try larger tolerances", "PID.Min"},
		NotFinite: {"not finite", "try a smaller step", "check"}, Cancelled: {"cancelled"},
	} {
		text := (&Failure{Code: code, Sample: 3, T: 1.25, Step: 0.5, Stats: Stats{Accepted: 7, Rejected: 2}}).Error()
		for _, word := range append(words, "pengcde/ode: ", "t=1.25", "sample 3", "7 steps accepted", "2 rejected") {
			if !strings.Contains(text, word) {
				t.Errorf("%q does not say %q", text, word)
			}
		}
	}
}

// A step shorter than the resolution of t is made as long: a first step that would be lost is not a failure.
func TestFirstStepBelowResolution(t *testing.T) {
	for _, t0 := range []float64{1e6, -1e6, 1e15} {
		for _, sign := range []float64{1, -1} {
			t1 := t0 + sign*1000*ulp(t0)
			tries, ends := scripted(t, PID{First: 1e-30}, t0, t1, nil, script(0.5))
			if len(ends) == 0 {
				t.Fatalf("from %g: no step", t0)
			}
			if first := math.Abs(tries[0][1] - t0); first < 4*ulp(t0)*(1-1e-9) || first > 8*ulp(t0) || ends[len(ends)-1] != t1 {
				t.Errorf("from %g: first step %g, end %g, want 4 units in the last place, and %g", t0, first, ends[len(ends)-1], t1)
			}
		}
	}
}

// From t0 = 1e6 on, where neighbouring float32 are 1/16 apart, float32 states meet those from 0: times are not rounded to
// the state's type. A field that rounds them itself sees the time stand still within each sixteenth.
func TestFloat32TimesAtAMillion(t *testing.T) {
	const far = 1e6
	times := func(t0 float64) [][]float64 { return [][]float64{{t0, t0 + 0.01, t0 + 0.02, t0 + 0.25}} }
	since := func(t *Node, t0 float64) *Node { return AddScalar(t, -t0) }
	for _, c := range []struct {
		name  string
		field func(t0 float64) Field
		exact bool
	}{
		{"converts after subtracting", func(t0 float64) Field {
			return func(t, z *Node, _ []*Node) *Node {
				return Mul(z, Cos(MulScalar(ExpandAxes(ConvertDType(since(t, t0), z.DType()), -1), 9)))
			}
		}, true},
		{"converts before", func(t0 float64) Field {
			return func(t, z *Node, _ []*Node) *Node {
				return Mul(z, Cos(MulScalar(ExpandAxes(since(ConvertDType(t, z.DType()), t0), -1), 9)))
			}
		}, false},
	} {
		for _, control := range []Control{Constant{1.0 / 128}, PID{}} {
			solve := func(t0 float64) ([]float32, []float64) {
				s := newGoSolver(t, c.field(t0), Config{Control: control})
				sol := run(t, s, Problem{Z0: tensors.FromValue([][]float32{{1}}), Times: times(t0), StepTo: [][]float64{{t0 + 0.15}}})
				return tensors.MustCopyFlatData[float32](sol.Z), sol.StepTimes(0)
			}
			near, _ := solve(0)
			away, steps := solve(far)
			if !contains(steps, far+0.15) {
				t.Errorf("%s, %T: steps end at %v, want %v among them", c.name, control, steps, far+0.15)
			}
			worst := 0.0
			for i := range near {
				worst = max(worst, math.Abs(float64(near[i]-away[i])))
			}
			if c.exact != (worst < 1e-6) {
				t.Errorf("%s, %T: states differ by %.2g", c.name, control, worst)
			}
		}
	}
}
