package rk

import (
	"math"
	"testing"
)

// The stability limits on the negative axis that package ode documents: longer steps let the solution of y' = -y grow.
func TestStabilityLimits(t *testing.T) {
	for _, c := range []struct {
		method *Method
		limit  float64
	}{{Tsit5, 3.5}, {Dopri5, 3.3}, {Euler, 2}} {
		factor := func(step float64) float64 { // of one step
			y, slopes := 1.0, []float64{-1}
			for _, row := range c.method.A[1:] {
				y = 1
				for j, a := range row {
					y += step * a * slopes[j]
				}
				slopes = append(slopes, -y)
			}
			return math.Abs(y)
		}
		if below, above := factor(0.999*c.limit), factor(1.01*c.limit); below > 1 || above <= 1 {
			t.Errorf("%s: steps at its limit of %g multiply by %g, above it by %g", c.method.Name, c.limit, below, above)
		}
	}
}
