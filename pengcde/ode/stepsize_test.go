package ode

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/rk"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// scripted drives the steps of a control from t0 to t1 with error norms from norm, and returns the tries as pairs of
// start and end, and the ends of the accepted ones.
func scripted(t interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}, control StepSize, t0, t1 float64, stepTo []float64, norm func(start, end float64) float64) (tries [][2]float64,
	ends []float64) {
	t.Helper()
	steps, err := control.Steps(0, 5, t0, t1)
	if err != nil {
		t.Fatal(err)
	}
	sm := sample{t: t0, t1: t1, near: nearby(steps, t0, t1), steps: steps, stops: newStops(stepTo, t0, t1)}
	for sm.active() {
		if sm.end, err = sm.propose(); err != nil {
			t.Fatal(err)
		}
		if sm.end == sm.t {
			break
		}
		tries = append(tries, [2]float64{sm.t, sm.end})
		accepted, err := sm.judge(0, 6, norm(sm.t, sm.end))
		if err != nil {
			t.Fatal(err)
		}
		if accepted {
			ends = append(ends, sm.end)
			sm.t = sm.end
		}
		if len(tries) > 100000 {
			t.Fatalf("no end after %d tries, at %g", len(tries), sm.t)
		}
	}
	return tries, ends
}

func script(norms ...float64) func(float64, float64) float64 {
	i := -1
	return func(float64, float64) float64 {
		i++
		return norms[min(i, len(norms)-1)]
	}
}

// Factors by hand from the formula in the documentation of PID.
func TestPIDSequence(t *testing.T) {
	pow := math.Pow
	for _, c := range []struct {
		name    string
		control PID
		norms   []float64
		lengths []float64 // of the first tries
	}{
		{"integral", PID{}, []float64{0.5, 2, 0.5, 0},
			[]float64{0.01, 0.01 * 0.9 * pow(0.5, -0.2), 0.01 * 0.9 * pow(0.5, -0.2) * 0.9 * pow(2, -0.2),
				0.01 * 0.9 * pow(0.5, -0.2) * 0.9 * pow(2, -0.2) * 0.9 * pow(0.5, -0.2)}},
		{"largest factors", PID{First: 0.001}, []float64{1e-9, 0, 1e9, math.NaN(), 0.99},
			[]float64{0.001, 0.01, 0.1, 0.02, 0.004, 0.004}},
		{"rejection shrinks by the safety at least", PID{First: 1}, []float64{1, 1, 1.1}, []float64{1, 0.9, 0.81}},
		{"own clipping", PID{First: 1, Safety: 0.8, Shrink: 0.5, Grow: 2}, []float64{math.Inf(1), 0, 1.0001, 0},
			[]float64{1, 0.5, 1, 0.8 * pow(1.0001, -0.2), 2 * 0.8 * pow(1.0001, -0.2)}},
		{"largest length", PID{First: 1, Max: 1.5}, []float64{0}, []float64{1, 1.5, 1.5, 1.5}},
		{"first is kept within the bounds", PID{First: 5, Max: 1.5}, []float64{0}, []float64{1.5, 1.5}},
		{"proportional", PID{P: 0.4, I: 0.3, First: 1}, []float64{0.1, 0.2, 0.3}, []float64{
			1, 0.9 * pow(0.1, -0.14), 0.9 * pow(0.1, -0.14) * math.Max(1, 0.9*pow(0.2, -0.14)*pow(0.1, 0.08)),
			0.9 * pow(0.1, -0.14) * math.Max(1, 0.9*pow(0.2, -0.14)*pow(0.1, 0.08)) * math.Max(1,
				0.9*pow(0.3, -0.14)*pow(0.2, 0.08))}},
		{"derivative", PID{P: 0.1, I: 0.3, D: 0.2, First: 1}, []float64{0.3, 0.02, 0.001}, []float64{
			1, 0.9 * pow(0.3, -0.12), 0.9 * pow(0.3, -0.12) * 0.9 * pow(0.02, -0.12) * pow(0.3, 0.1),
			0.9 * pow(0.3, -0.12) * 0.9 * pow(0.02, -0.12) * pow(0.3, 0.1) * 0.9 * pow(0.001, -0.12) * pow(0.02, 0.1) * pow(0.3,
				-0.04)}},
		{"rejected steps are no history", PID{P: 0.4, I: 0.3, First: 1}, []float64{0.1, 5, 0.001}, []float64{
			1, 0.9 * pow(0.1, -0.14), 0.9 * pow(0.1, -0.14) * math.Max(0.2, 0.9*pow(5, -0.14)*pow(0.1, 0.08)),
			0.9 * pow(0.1, -0.14) * math.Max(0.2, 0.9*pow(5, -0.14)*pow(0.1, 0.08)) * 0.9 * pow(0.001, -0.14) * pow(0.1, 0.08)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, t1 := range []float64{100, -100} {
				tries, _ := scripted(t, c.control, 0, t1, nil, script(c.norms...))
				for i, want := range c.lengths {
					got := (tries[i][1] - tries[i][0]) * math.Copysign(1, t1)
					if !(math.Abs(got-want) <= 1e-12*want+1e-14) {
						t.Errorf("to %g: try %d is %.15g long, want %.15g", t1, i, got, want)
					}
				}
			}
		})
	}
}

// A smooth error norm that grows as the step to the power 5 makes the integral controller settle at Safety.
func TestIntegralSettles(t *testing.T) {
	tries, ends := scripted(t, PID{}, 0, 20, nil, func(start, end float64) float64 { return math.Pow((end-start)/0.5, 5) })
	if len(tries) != len(ends) {
		t.Errorf("%d tries for %d steps of a smooth problem", len(tries), len(ends))
	}
	for _, try := range tries[4 : len(tries)-1] {
		if length := try[1] - try[0]; !(math.Abs(length-0.45) <= 1e-9) {
			t.Errorf("a step of %g, want 0.45", length)
		}
	}
}

func TestStepToTimes(t *testing.T) {
	smooth := func(start, end float64) float64 { return math.Pow(math.Abs(end-start)/0.5, 5) }
	t.Run("adaptive does not crawl after a cut", func(t *testing.T) {
		for _, control := range []PID{{}, {P: 0.4, I: 0.3}} {
			for _, sign := range []float64{1, -1} {
				tries, ends := scripted(t, control, 0, sign*10, []float64{sign * 3.001, sign * 3.002, sign * 7}, smooth)
				if !contains(ends, sign*3.001, sign*3.002, sign*7, sign*10) {
					t.Errorf("steps end at %v, want 3.001, 3.002, 7 and 10 (times %g) among them", ends, sign)
				}
				for i, try := range tries[:len(tries)-1] {
					if try[0] == sign*3.002 {
						if got, before := math.Abs(try[1]-try[0]), math.Abs(tries[i-2][0]-tries[i-3][0]); got < 0.9*before {
							t.Errorf("the step after two cuts is %g long, before them it was %g", got, before)
						}
					}
				}
			}
		}
	})
	t.Run("a rejected cut step shrinks", func(t *testing.T) {
		tries, _ := scripted(t, PID{First: 1}, 0, 10, []float64{0.5}, script(4, 0.5))
		if want := 0.5 * 0.9 * math.Pow(4, -0.2); tries[0][1] != 0.5 || !(math.Abs(tries[1][1]-want) <= 1e-12) {
			t.Errorf("tries end at %v and %v, want 0.5 and %v", tries[0][1], tries[1][1], want)
		}
	})
	t.Run("constant steps are split", func(t *testing.T) {
		// 0.1 * 3 is one unit in the last place above 0.3; both count as one time.
		_, ends := scripted(t, Constant{0.1}, 0, 0.5, []float64{-1, 0, 0.15, 0.3, 0.42, 0.5, 7}, script(0))
		want := []float64{0.1, 0.15, 0.2, 0.3, 0.4, 0.42, 0.5}
		if len(ends) != len(want) {
			t.Fatalf("steps end at %v, want %v", ends, want)
		}
		for i := range want {
			if !(math.Abs(ends[i]-want[i]) <= 1e-15) {
				t.Errorf("steps end at %v, want %v", ends, want)
			}
		}
		if !contains(ends, 0.15, 0.3, 0.42) {
			t.Errorf("steps end at %v, want exactly 0.15, 0.3, 0.42 among them", ends)
		}
	})
	t.Run("given steps are split", func(t *testing.T) {
		_, ends := scripted(t, Given{[][]float64{{-1, -2, -3}}}, 0, -3, []float64{-2.5, -0.5}, script(0))
		if len(ends) != 5 || !contains(ends, -0.5, -1, -2, -2.5, -3) {
			t.Errorf("steps end at %v, want -0.5, -1, -2, -2.5, -3", ends)
		}
	})
	t.Run("near doubles", func(t *testing.T) {
		_, ends := scripted(t, PID{}, 0, 1, []float64{0.3, math.Nextafter(0.3, 1), math.Nextafter(1, 0)}, smooth)
		for i := range ends[1:] {
			if ends[i+1]-ends[i] < 1e-6 {
				t.Errorf("a step from %v to %v", ends[i], ends[i+1])
			}
		}
	})
}

func contains(ends []float64, wanted ...float64) bool {
	at := map[float64]bool{}
	for _, end := range ends {
		at[end] = true
	}
	for _, w := range wanted {
		if !at[w] {
			return false
		}
	}
	return true
}

// For any norms, steps go only towards t1 and end there (or give up), and every separate step-to time is the end of a
// step.
func TestStepsReachTheirTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		t0 := rapid.Float64Range(-5, 5).Draw(t, "t0")
		t1 := t0 + rapid.SampledFrom([]float64{-1, 1}).Draw(t, "direction")*rapid.Float64Range(0.1, 20).Draw(t, "span")
		var stepTo []float64
		for i, n := 1, rapid.IntRange(0, 5).Draw(t, "stops"); i <= n; i++ {
			stepTo = append(stepTo, t0+(t1-t0)*(float64(i)-rapid.Float64Range(0, 0.9).Draw(t, "stop"))/float64(n))
		}
		control := rapid.SampledFrom([]StepSize{PID{}, PID{P: 0.4, I: 0.3, First: 1}, PID{P: 0.1, I: 0.3, D: 0.1, Grow: 3},
			Constant{0.3}}).Draw(t, "control")
		norms := rapid.SliceOfN(rapid.Float64Range(0, 3), 1, 30).Draw(t, "norms")
		last := -1
		tries, ends := scripted(t, control, t0, t1, stepTo, func(from, to float64) float64 {
			last++
			if math.Abs(to-from) < 1e-9 { // the error of a step vanishes with its length
				return 0
			}
			if last < len(norms) {
				return norms[last]
			}
			return 0.1
		})
		for _, try := range tries {
			if direction(t0, t1)*(try[1]-try[0]) <= 0 || direction(t0, t1)*(t1-try[1]) < 0 {
				t.Fatalf("from %g to %g: a step from %g to %g", t0, t1, try[0], try[1])
			}
		}
		if ends[len(ends)-1] != t1 {
			t.Fatalf("the last step ends at %g, want %g", ends[len(ends)-1], t1)
		}
		for _, stop := range stepTo {
			if !(math.Abs(stop-t0) <= 1e-9) && !(math.Abs(stop-t1) <= 1e-9) && !contains(ends, stop) {
				t.Fatalf("no step ends at %g: %v", stop, ends)
			}
		}
	})
}

func TestGivesUpAtTheSmallestStep(t *testing.T) {
	for _, c := range []struct {
		control PID
		from    float64
		least   float64
	}{{PID{}, 1, 4 * rk.ULP(1)}, {PID{}, 1e6, 4 * rk.ULP(1e6)}, {PID{Min: 1e-3}, 1, 1e-3}} {
		tries, ends := scripted(t, c.control, c.from, c.from+1, nil, script(2))
		if len(ends) != 0 {
			t.Errorf("%+v: accepted %v", c.control, ends)
		}
		for _, try := range tries {
			if length := try[1] - try[0]; length < c.least*(1-1e-9) {
				t.Errorf("%+v: tried a step of %g, want at least %g", c.control, length, c.least)
			}
		}
	}
}

func TestFirstStepRule(t *testing.T) {
	for _, c := range []struct {
		name                string
		h0, d1, d2, k, want float64
	}{
		{"curvature decides", 0.01, 1, 0.02, 5, math.Pow(0.01/2, 0.2)},
		{"slope decides", 0.02, 4, 0.02, 5, math.Pow(0.01/4, 0.2)},
		{"at most a hundredfold", 1e-6, 1, 0, 5, 1e-4},
		{"constant solution", 1e-6, 0, 0, 5, 1e-6},
		{"not finite ahead", 1e-4, 1, math.NaN(), 5, 1e-4},
	} {
		if got := firstStep(c.h0, c.d1, c.d2, c.k); !(math.Abs(got-c.want) <= 1e-15+1e-12*c.want) {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

func TestControlErrors(t *testing.T) {
	nan, inf, backend := math.NaN(), math.Inf(1), xlatest.Go(t)
	for name, control := range map[string]StepSize{
		"constant 0": Constant{}, "constant of the wrong sign": Constant{-0.1}, "constant NaN": Constant{nan},
		"constant inf": Constant{inf},
		"RTol":         PID{RTol: -1}, "ATol": PID{ATol: nan}, "First of the wrong sign": PID{First: -0.1}, "P": PID{P: inf},
		"P + I + D": PID{P: -1, I: 0.5}, "Safety": PID{Safety: 1}, "Shrink": PID{Shrink: 0.95}, "Grow": PID{Grow: 0.5},
		"Min": PID{Min: -1}, "Min above Max": PID{Min: 2, Max: 1}, "Max": PID{Max: -1},
		"no rows": Given{}, "row of none": Given{[][]float64{{}}}, "duplicate": Given{[][]float64{{0.5, 0.5, 1}}},
		"turning back": Given{[][]float64{{0.5, 0.4, 1}}}, "wrong sign": Given{[][]float64{{-1}}},
		"NaN":          Given{[][]float64{{nan, 1}}},
		"past the end": Given{[][]float64{{0.5, 2}}}, "short of the end": Given{[][]float64{{0.5}}},
	} {
		if _, err := control.Steps(0, 5, 0, 1); !errors.Is(err, ErrInput) {
			t.Errorf("%s: got %v, want ErrInput", name, err)
		}
		if _, given := control.(Given); given { // which depends on t0 and t1
			continue
		}
		if _, err := New(backend, pendulum, Config{StepSize: control}); !errors.Is(err, ErrInput) {
			t.Errorf("%s: got %v when the solver was made, want ErrInput", name, err)
		}
	}
	var entry *InputError
	if _, err := (Given{[][]float64{{1}, {0.5, 0.4, 1}}}).Steps(1, 5, 0, 1); !errors.As(err, &entry) ||
		entry.Sample != 1 || entry.Entry != 1 || entry.Value != 0.4 {
		t.Errorf("got %v, want the entry 1 of sample 1 named", err)
	}
}

// A step shorter than the resolution of t is raised to it: a first step below the resolution is not a failure.
func TestFirstStepBelowResolution(t *testing.T) {
	for _, t0 := range []float64{1e6, -1e6, 1e15} {
		for _, sign := range []float64{1, -1} {
			t1 := t0 + sign*1000*rk.ULP(t0)
			tries, ends := scripted(t, PID{First: 1e-30}, t0, t1, nil, script(0.5))
			if len(ends) == 0 {
				t.Fatalf("from %g: no step", t0)
			}
			first := math.Abs(tries[0][1] - t0)
			if first < 4*rk.ULP(t0)*(1-1e-9) || first > 8*rk.ULP(t0) || ends[len(ends)-1] != t1 {
				t.Errorf("from %g: first step %g, end %g, want 4 units in the last place, and %g", t0, first, ends[len(ends)-1], t1)
			}
		}
	}
}

// A solver solves a problem with the steps of another control as a solver made for it would, with its bound on tries,
// and without compiling.
func TestStepSizeOfAProblem(t *testing.T) {
	p := Problem{Z0: knownLimitCycle.Start(1), Times: [][]float64{{0, 1, 3}},
		Args: []*tensors.Tensor{knownLimitCycle.Params()}}
	for _, made := range []StepSize{PID{}, Constant{0.25}} {
		solver := newSolver(t, knownLimitCycle.Field, Config{StepSize: made})
		for _, wanted := range []StepSize{PID{RTol: 1e-7, ATol: 1e-9}, Constant{0.1}, PID{}} {
			alone := run(t, newSolver(t, knownLimitCycle.Field, Config{StepSize: wanted}), p)
			own := p
			own.StepSize = wanted
			got := run(t, solver, own)
			if !got.Z.Equal(alone.Z) || got.Stats[0] != alone.Stats[0] {
				t.Errorf("%T, solved by %+v: %+v, want %+v and equal states", made, wanted, got.Stats[0], alone.Stats[0])
			}
			plan, err := solver.Plan(own)
			if err != nil || plan.Exact != (wanted == Constant{0.1}) {
				t.Errorf("%T, planned for %+v: %+v, %v", made, wanted, plan, err)
			}
		}
		own := p
		own.StepSize = PID{First: 1e-9, Grow: 1}
		if _, err := solver.Run(context.Background(), own); !errors.Is(err, StepLimit) {
			t.Errorf("%T: %v, want the default bound on tries", made, err)
		}
		own.StepSize = Constant{-1}
		if _, err := solver.Run(context.Background(), own); !errors.Is(err, ErrInput) {
			t.Errorf("%T: a negative step gives %v, want an input error", made, err)
		}
	}
}

func TestFiner(t *testing.T) {
	for _, c := range []struct{ given, want StepSize }{
		{nil, PID{RTol: 1e-5, ATol: 1e-8}}, {PID{RTol: 1e-2, ATol: 1e-3}, PID{RTol: 1e-4, ATol: 1e-5}},
		{&PID{RTol: 1e-2, ATol: 1e-3}, PID{RTol: 1e-4, ATol: 1e-5}},
		{Constant{Step: 1}, Constant{Step: 0.25}}, {&Constant{Step: 1}, Constant{Step: 0.25}},
		{Given{}, Given{}},
	} {
		if got := Finer(c.given, 2); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%#v: %#v, want %#v", c.given, got, c.want)
		}
	}
}
