package ode

// Midpoint is the method of order 2 with two stages that takes the slope of the middle of the step, where an Euler
// step of half the length leads; a quadratic of order 2 inside steps. It has no error estimate.
//
// C. Runge, "Über die numerische Auflösung von Differentialgleichungen", Mathematische Annalen 46 (1895) 167-178.
var Midpoint = &Method{
	Name: "Midpoint", Order: 2, InterpolantOrder: 2,
	C:           []float64{0, 1.0 / 2, 1},
	A:           [][]float64{{}, {1.0 / 2}, {0, 1}},
	Interpolant: func(x float64) []float64 { return []float64{x * (1 - x), x * x, 0} },
}
