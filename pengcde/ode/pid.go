package ode

import (
	"fmt"
	"math"
)

// PID adapts the step to the error estimate: with E the root mean square over the sample of
//
//	error / (ATol + RTol max(|z|, |z new|))
//
// a step is accepted when E < 1, and the next one is longer by the factor
//
//	0.9 E_n^(-(P+I+D)/k) E_{n-1}^((P+2D)/k) E_{n-2}^(-D/k),  k the order of the method,
//
// clipped to [1, 10] after an accepted step and to [0.2, 0.9] after a rejected one. E_{n-1}, E_{n-2} are those of the
// accepted steps before. A step that would pass the end is cut to it; after a rejection that would still pass it, half
// of what remains is tried.
//
// The zero value is the integral controller of the published experiments: RTol 1e-3, ATol 1e-6, I = 1, first step
// 0.01. G. Söderlind, ACM Transactions on Mathematical Software 29 (2003) 1-26, on the coefficients.
type PID struct {
	// RTol and ATol are the tolerances; 0 means 1e-3 and 1e-6.
	RTol, ATol float64
	// P, I, D are the coefficients; all 0 means I = 1.
	P, I, D float64
	// First is the length of the first step; 0 means 0.01.
	First float64
}

// Steps implements [Control].
func (c PID) Steps(_, order int, t0, t1 float64) (Steps, error) {
	for _, option := range []struct {
		name     string
		value    *float64
		fallback float64
	}{{"RTol", &c.RTol, 1e-3}, {"ATol", &c.ATol, 1e-6}, {"First", &c.First, 0.01}} {
		if *option.value == 0 {
			*option.value = option.fallback
		}
		if !(*option.value > 0) || math.IsInf(*option.value, 1) {
			return nil, fmt.Errorf("pengcde/ode: PID.%s is %g, want a positive number", option.name, *option.value)
		}
	}
	if c.P == 0 && c.I == 0 && c.D == 0 {
		c.I = 1
	}
	k := float64(order)
	return &pidSteps{
		PID: c, t1: t1, h: c.First, accepted: true, before: [2]float64{1, 1},
		powers: [3]float64{-(c.P + c.I + c.D) / k, (c.P + 2*c.D) / k, -c.D / k},
	}, nil
}

type pidSteps struct {
	PID
	t1, h    float64
	accepted bool       // the last judgement
	before   [2]float64 // E of the last two accepted steps, the latest first
	powers   [3]float64
}

func (s *pidSteps) Next(t float64) float64 {
	end := t + s.h
	if end <= s.t1-100*ulp(s.t1) {
		return end
	}
	if s.accepted {
		return s.t1
	}
	return t + 0.5*(s.t1-t)
}

func (s *pidSteps) Judge(t, end, norm float64) bool {
	if math.IsNaN(norm) {
		norm = math.Inf(1)
	}
	s.accepted = norm < 1
	low, high := 0.2, 0.9
	if s.accepted {
		low, high = 1, 10
	}
	factor := high
	switch {
	case math.IsInf(norm, 1):
		factor = low
	case norm > 0:
		factor = 0.9 * math.Pow(norm, s.powers[0]) * math.Pow(s.before[0], s.powers[1]) * math.Pow(s.before[1], s.powers[2])
	}
	s.h = (end - t) * math.Min(math.Max(factor, low), high)
	if s.accepted && norm > 0 {
		s.before = [2]float64{norm, s.before[0]}
	}
	return s.accepted
}

func (s *pidSteps) Tolerances() (float64, float64) { return s.RTol, s.ATol }

// ulp is the distance from |x| to the next larger float64.
func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}
