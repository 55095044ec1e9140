package odetest_test

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/pengcde/internal/odetest"
)

// The error of Euler's method in plain Go, and the order at which it falls.
func Example() {
	p := odetest.Decay
	var steps, errors []float64
	for _, n := range []int{100, 200, 400} {
		h, z := (p.T1-p.T0)/float64(n), p.Z0
		for k := range n {
			z = []float64{z[0] + h*p.Slope(p.T0+float64(k)*h, z, p.A)[0]}
		}
		steps, errors = append(steps, h), append(errors, odetest.Distance(z, p.At(p.T1)))
	}
	fmt.Printf("error %.4f, order %.1f\n", errors[0], odetest.Order(steps, errors))
	// Output: error 0.0052, order 1.0
}
