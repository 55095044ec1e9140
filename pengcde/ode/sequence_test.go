package ode

import (
	"fmt"
	"math"
	"sort"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/rk"
)

// controlled is an adaptive solve of one sample in plain Go. It chooses steps as the documentation of [PID] says,
// without the solver's code. Steps end on the stops, which lie between t0 and t1 in the direction of the solve.
func (r reference) controlled(z0 []float64, t0, t1 float64, stops []float64, c PID) (all []tried) {
	k, sign := float64(r.method.ErrorOrder), math.Copysign(1, t1-t0)
	limit := func(x, low, high float64) float64 { return math.Max(low, math.Min(high, x)) }
	t, z, slope := t0, z0, r.slope(t0, z0)
	h, lastError, errorBefore := c.First, 1.0, 1.0
	if c.First == Automatic {
		h = math.Min(r.startingStep(z, slope, t0, sign, k, c), math.Abs(t1-t0))
	}
	stops = append(append([]float64{}, stops...), t1)
	for t != t1 && len(all) < 5000 {
		end := t + sign*h
		cut := sign*(end-stops[0]) > 0
		if cut || math.Abs(end-stops[0]) < 1e-13 {
			end = stops[0]
		}
		s := r.step(t, end, z, slope, c.RTol, c.ATol)
		s.accepted = s.norm < 1
		factor := 0.9 * math.Pow(s.norm, -(c.P+c.I+c.D)/k) * math.Pow(lastError, (c.P+2*c.D)/k) * math.Pow(errorBefore,
			-c.D/k)
		length := math.Abs(end - t)
		switch {
		case !s.accepted:
			h = length * limit(factor, 0.2, 0.9)
		case cut:
			h = math.Max(h, length*limit(factor, 1, 10))
		default:
			h = length * limit(factor, 1, 10)
			lastError, errorBefore = s.norm, lastError
		}
		if s.accepted {
			t, z, slope = end, s.next, s.ks[len(s.ks)-1]
			if t == stops[0] {
				stops = stops[1:]
			}
		}
		all = append(all, s)
	}
	return all
}

// startingStep is the rule of Hairer, Nørsett and Wanner, II.4, in its numbered steps.
func (r reference) startingStep(z, slope []float64, t, sign, k float64, c PID) float64 {
	zero := make([]float64, len(z))
	norm := func(x []float64) float64 { return scaledNorm(x, z, zero, c.RTol, c.ATol) }
	d0, d1 := norm(z), norm(slope) // (a)
	h0 := 1e-6                     // (b)
	if d0 >= 1e-5 && d1 >= 1e-5 {
		h0 = 0.01 * d0 / d1
	}
	ahead := r.slope(t+sign*h0, combine(z, sign*h0, []float64{1}, [][]float64{slope})) // (c)
	d2 := norm(combine(ahead, -1, []float64{1}, [][]float64{slope})) / h0              // (d)
	h1 := math.Pow(0.01/math.Max(d1, d2), 1/k)                                         // (e)
	if math.Max(d1, d2) <= 1e-15 {
		h1 = math.Max(1e-6, h0*1e-3)
	}
	return math.Min(100*h0, h1) // (f)
}

// recorded is a control that records the steps it judges.
type recorded struct {
	PID
	tries map[int]*[]tried
}

func (c recorded) Steps(sample, order int, t0, t1 float64) (Steps, error) {
	steps, err := c.PID.Steps(sample, order, t0, t1)
	c.tries[sample] = new([]tried)
	return &recordedSteps{steps.(*rk.Adaptive), c.tries[sample]}, err
}

type recordedSteps struct {
	*rk.Adaptive
	tries *[]tried
}

func (s *recordedSteps) Judge(t, end, norm float64) bool {
	accepted := s.Adaptive.Judge(t, end, norm)
	*s.tries = append(*s.tries, tried{t: t, end: end, norm: norm, accepted: accepted})
	return accepted
}

// Try by try, a solve agrees with the reference: the same starts, ends, error norms and verdicts, and the states at
// save times. This holds for every method with an estimate, every kind of control, forward and backward in time, with
// and without step-to times. The two directions are the samples of one batch.
func TestStepSequenceEqualsReference(t *testing.T) {
	forMethods(t, func(t *testing.T, m *Method, adaptive bool) {
		if !adaptive {
			return
		}
		rtol := 1e-5
		if m.ErrorOrder < 4 {
			rtol = 1e-3 // for fewer steps
		}
		atol := rtol / 100
		controls := map[string]PID{
			"integral":                  {RTol: rtol, ATol: atol, I: 1, First: 1.4},
			"proportional integral":     {RTol: rtol, ATol: atol, P: 0.4, I: 0.3, First: 1.4},
			"with a derivative":         {RTol: rtol, ATol: atol, P: 0.2, I: 0.4, D: 0.05, First: 0.5},
			"integral, automatic start": {RTol: rtol, ATol: atol, I: 1, First: Automatic},
			"published":                 {RTol: 1e-3, ATol: 1e-6, I: 1, First: 0.01},
		}
		count, rejected, shift, off, apart := 0, 0, 0.0, 0.0, 0.0
		for _, p := range smoothProblems() {
			s := newSolver(t, p.Field, Config{Method: m})
			r := referenceOf(m, p)
			last := p.At(p.T1)
			z0 := tensors.FromValue([][]float64{p.Z0, last})
			span := p.T1 - p.T0
			var times, stops [2][]float64
			for i := 0; i <= 9; i++ {
				times[0] = append(times[0], p.T0+span*float64(i)/9)
				times[1] = append(times[1], p.T1-span*float64(i)/9)
			}
			times[0][9], times[1][9] = p.T1, p.T0
			for _, at := range []float64{0.123, 0.456, 0.4571, 0.8} {
				stops[0] = append(stops[0], p.T0+at*span)
				stops[1] = append(stops[1], p.T1-at*span)
			}
			for name, control := range controls {
				for _, stopped := range []bool{false, true} {
					what := fmt.Sprintf("%s, %s, step-to times %t", p.Name, name, stopped)
					record := recorded{control, map[int]*[]tried{}}
					s.control.StepSize = record
					problem := Problem{Z0: z0, Times: times[:], Args: []*tensors.Tensor{p.Params()}}
					if stopped {
						problem.StepTo = stops[:]
					}
					sol := run(t, s, problem)
					z := sol.Z.Value().([][][]float64)
					for b, start := range [][]float64{p.Z0, last} {
						var at []float64
						if stopped {
							at = stops[b]
						}
						want := r.controlled(start, times[b][0], times[b][9], at, control)
						got := *record.tries[b]
						if len(got) != len(want) {
							t.Fatalf("%s, sample %d: %d tries, reference %d", what, b, len(got), len(want))
						}
						evaluations := 1 + len(at) + (m.stages()-1)*len(want) // a slope at the start and one at each stop
						if control.First == Automatic {
							evaluations++
						}
						stats := Stats{Evaluations: evaluations}
						var accepted []tried
						for i, try := range want {
							count++
							shift = max(shift, math.Abs(got[i].t-try.t), math.Abs(got[i].end-try.end))
							off = max(off, math.Abs(got[i].norm-try.norm)/(1+try.norm))
							if got[i].accepted != try.accepted {
								t.Fatalf("%s, sample %d: verdict on try %d is %t at norm %g, reference %t at %g", what, b, i, got[i].accepted,
									got[i].norm, try.accepted, try.norm)
							}
							if try.accepted {
								stats.Accepted++
								accepted = append(accepted, try)
							} else {
								stats.Rejected++
								rejected++
							}
						}
						if sol.Stats[b] != stats {
							t.Errorf("%s, sample %d: %+v, reference %+v", what, b, sol.Stats[b], stats)
						}
						if stopped && !contains(sol.StepTimes(b), stops[b]...) {
							t.Errorf("%s, sample %d: steps end at %v, want %v among them", what, b, sol.StepTimes(b), stops[b])
						}
						toward := direction(times[b][0], times[b][9])
						for i, time := range times[b][1:] {
							step := accepted[sort.Search(len(accepted)-1,
								func(j int) bool { return toward*(accepted[j].end-time) >= -1e-13 })]
							apart = max(apart, distanceOf(z[b][1+i], step.inside(m, time)))
						}
					}
				}
			}
		}
		t.Logf("%d tries, %d rejected: ends within %.1e, norms within %.1e, states within %.1e", count, rejected, shift, off,
			apart)
		if rejected == 0 {
			t.Error("no rejected step: the test should have some")
		}
		// A norm of 1e-5, after which steps still grow by less than 10, is a difference of states of 1e-10. The
		// rounding of states is 1e-6 of it. It moves the next end by a fifth of this, and the state there by the change
		// of the method's error.
		if !(shift <= 1e-6) || !(off <= 1e-5) || !(apart <= 1e-8) {
			t.Errorf("ends within %.1e of the reference's, norms %.1e, states %.1e, want 1e-6, 1e-5 and 1e-8", shift, off, apart)
		}
	})
}
