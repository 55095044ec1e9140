package rk

import (
	"fmt"
	"math"
)

// PID holds the options of ode.PID.
type PID struct {
	RTol, ATol, P, I, D, First, Safety, Shrink, Grow, Min, Max float64
}

// Automatic as PID.First leaves the choice of the first step to the solver, which fits it to the field.
const Automatic = -1

// defaultFirst is the first step of the published code.
const defaultFirst = 0.01

// Resolved returns the control with every default filled in, or an error if a setting is invalid.
func (c PID) Resolved() (PID, error) {
	if c.P == 0 && c.I == 0 && c.D == 0 {
		c.I = 1
	}
	automatic := c.First == Automatic
	if automatic {
		c.First = defaultFirst
	}
	for _, option := range []struct {
		name     string
		value    *float64
		fallback float64
	}{
		{"RTol", &c.RTol, 1e-3}, {"ATol", &c.ATol, 1e-6}, {"First", &c.First, defaultFirst}, {"Safety", &c.Safety, 0.9},
		{"Shrink", &c.Shrink, 0.2}, {"Grow", &c.Grow, 10}, {"Max", &c.Max, math.MaxFloat64},
	} {
		if *option.value == 0 {
			*option.value = option.fallback
		}
		if !(*option.value > 0) || !finite(*option.value) {
			return c, fmt.Errorf("PID.%s is %g, want a positive number", option.name, *option.value)
		}
	}
	switch {
	case !finite(c.P) || !finite(c.I) || !finite(c.D):
		return c, fmt.Errorf("PID has P %g, I %g, D %g, want finite coefficients", c.P, c.I, c.D)
	case !(c.P+c.I+c.D > 0):
		return c, fmt.Errorf("PID has P + I + D = %g, want it positive, so that larger errors make smaller steps",
			c.P+c.I+c.D)
	case c.Safety >= 1 || c.Shrink > c.Safety || c.Grow < 1:
		return c, fmt.Errorf("PID has Shrink %g, Safety %g, Grow %g, want Shrink <= Safety < 1 <= Grow", c.Shrink, c.Safety,
			c.Grow)
	case !(c.Min >= 0) || c.Min > c.Max:
		return c, fmt.Errorf("PID has Min %g, Max %g, want 0 <= Min <= Max", c.Min, c.Max)
	}
	c.First = math.Max(math.Min(c.First, c.Max), c.Min)
	if automatic {
		c.First = Automatic
	}
	return c, nil
}

// Adaptive holds the steps of a PID control for one sample.
type Adaptive struct {
	PID
	t1, toward float64
	h          float64    // length of the next step, before any cut
	fitted     float64    // length of the first step
	proposed   float64    // end of the last proposed step, before any cut
	accepted   bool       // whether the last step was accepted
	before     [2]float64 // E of the last two accepted steps, latest first
	k          float64
	powers     [3]float64
}

// NewAdaptive starts the steps of a control from t0 to t1; the error estimate falls as the step to the power order. It
// returns an error if a setting is invalid, or Max below the resolution of times.
func NewAdaptive(c PID, order int, t0, t1 float64) (*Adaptive, error) {
	c, err := c.Resolved()
	if err != nil {
		return nil, err
	}
	if err := resolved("PID.Max", c.Max, math.Abs(t1-t0)/c.Max, t0, t1); err != nil {
		return nil, err
	}
	s := &Adaptive{PID: c, t1: t1, toward: math.Copysign(1, t1-t0), h: c.First, fitted: c.First, accepted: true,
		before: [2]float64{1, 1}, k: float64(order)}
	if c.First == Automatic {
		s.Begin(defaultFirst)
	}
	s.powers = [3]float64{-(c.P + c.I + c.D) / s.k, (c.P + 2*c.D) / s.k, -c.D / s.k}
	return s, nil
}

// AtMax reports whether Max bounds the next step.
func (s *Adaptive) AtMax() bool { return s.h == s.Max }

// State is what Judge learnt so far: the length of the next step, the norms of the last two accepted steps, latest
// first, and whether the last try was accepted.
type State struct {
	H        float64
	Before   [2]float64
	Accepted bool
}

// State returns the state, for a control that continues elsewhere.
func (s *Adaptive) State() State { return State{s.h, s.before, s.accepted} }

// Resume continues from a state.
func (s *Adaptive) Resume(from State) { s.h, s.before, s.accepted = from.H, from.Before, from.Accepted }

// Powers returns the powers of E_n, E_{n-1} and E_{n-2} in the length of the next step.
func (s *Adaptive) Powers() [3]float64 { return s.powers }

// FitOrder returns the order of the error estimate if the first step is Automatic, else 0.
func (s *Adaptive) FitOrder() float64 {
	if s.First == Automatic {
		return s.k
	}
	return 0
}

// Begin sets the first step of a solve whose First is Automatic.
func (s *Adaptive) Begin(h float64) {
	s.h = math.Max(math.Min(h, s.Max), s.Min)
	s.fitted = s.h
}

// Next returns the end of the next try from t, or t if the step is too small.
func (s *Adaptive) Next(t float64) float64 {
	least := Resolution(t, t)
	if !s.accepted && s.h <= math.Max(s.Min*(1-1e-9), least) {
		return t
	}
	s.proposed = t + s.toward*math.Max(s.h, least)
	if s.toward*(s.t1-s.proposed) >= 100*ULP(s.t1) {
		return s.proposed
	}
	if s.accepted {
		return s.t1
	}
	return t + 0.5*(s.t1-t)
}

// Judge receives the error norm of a try and reports whether the step is accepted.
func (s *Adaptive) Judge(t, end, norm float64) bool {
	if math.IsNaN(norm) {
		norm = math.Inf(1)
	}
	s.accepted = norm < 1
	low, high := s.Shrink, s.Safety
	if s.accepted {
		low, high = 1, s.Grow
	}
	factor := high
	switch {
	case math.IsInf(norm, 1):
		factor = low
	case norm > 0:
		factor = s.Safety * math.Pow(norm, s.powers[0]) * math.Pow(s.before[0], s.powers[1]) *
			math.Pow(s.before[1], s.powers[2])
	}
	length := math.Abs(end-t) * math.Min(math.Max(factor, low), high)
	cut := s.accepted && s.toward*(s.proposed-end) > 0
	if cut {
		length = math.Max(length, s.h)
	}
	s.h = math.Min(length, s.Max)
	if s.accepted && !cut && norm > 0 {
		s.before = [2]float64{norm, s.before[0]}
	}
	return s.accepted
}

// Tolerances returns the relative and the absolute tolerance.
func (s *Adaptive) Tolerances() (float64, float64) { return s.RTol, s.ATol }

// Jumped shortens the next step after the field's slope has grown by a factor at a jump, so that the step moves the
// state as far as a step before the jump, but not below a first step. It ignores a factor within the safety margin of a
// prediction.
func (s *Adaptive) Jumped(growth float64) {
	shorter := 1 / growth
	if !(math.Pow(shorter, 1/s.k) < s.Safety) {
		return
	}
	s.h = math.Min(s.h, math.Max(s.h*shorter, s.fitted))
	s.before = [2]float64{1, 1}
}

// ULP returns the distance from |x| to the next larger float64.
func ULP(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}

// Resolution returns the shortest step of a solve from t0 to t1, four units in the last place of the larger time.
func Resolution(t0, t1 float64) float64 { return 4 * ULP(math.Max(math.Abs(t0), math.Abs(t1))) }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
