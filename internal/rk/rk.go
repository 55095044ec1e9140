// Package rk holds the tableaus of explicit Runge-Kutta methods and the ends of constant steps. It needs no backend, so
// that data sets can be simulated without XLA. Package ode exports both.
package rk

import (
	"fmt"
	"math"
)

// Method is a tableau, with the fields of ode.Method.
type Method struct {
	Name                                string
	Order, ErrorOrder, InterpolantOrder int
	C                                   []float64
	A                                   [][]float64
	Error                               []float64
	Interpolant                         func(theta float64) []float64
}

// Most is the largest number of constant steps.
const Most = 10_000_000

// Check returns an error for an invalid constant step.
func Check(step float64) error {
	if !(step > 0) || math.IsInf(step, 1) {
		return fmt.Errorf("constant step %g, want a positive number, also backward in time", step)
	}
	return nil
}

// Ends returns the ends of constant steps from t0 to t1, as ode.Constant describes them.
func Ends(step, t0, t1 float64) ([]float64, error) {
	if err := Check(step); err != nil {
		return nil, err
	}
	ratio := math.Abs(t1-t0) / step
	if !(ratio <= Most) {
		return nil, fmt.Errorf("constant step %g from %g to %g takes %g steps, want at most %d: try a larger step", step, t0,
			t1, ratio, Most)
	}
	n := int(math.Max(1, math.Ceil(ratio*(1-1e-9))))
	if err := resolved("constant step", step, float64(n), t0, t1); err != nil {
		return nil, err
	}
	ends := make([]float64, n)
	for k := range ends {
		ends[k] = t0 + (t1-t0)*(float64(k+1)/float64(n))
	}
	ends[0] = t0 + math.Copysign(math.Min(step, math.Abs(t1-t0)), t1-t0)
	ends[n-1] = t1
	return ends, nil
}

// resolved returns an error if times between t0 and t1 do not tell this number of steps apart. It names the setting
// that asks for them.
func resolved(setting string, value, steps, t0, t1 float64) error {
	if least := Resolution(t0, t1); steps > 1 && math.Abs(t1-t0) < least*steps {
		return fmt.Errorf("%s %g from %g to %g, where times closer than %g cannot be told apart: try a larger step, or "+
			"times that count from a later origin", setting, value, t0, t1, least)
	}
	return nil
}
