package rk

// Midpoint is the tableau of ode.Midpoint, which names its sources.
var Midpoint = &Method{
	Name: "Midpoint", Order: 2, InterpolantOrder: 2,
	C:           []float64{0, 1.0 / 2, 1},
	A:           [][]float64{{}, {1.0 / 2}, {0, 1}},
	Interpolant: func(x float64) []float64 { return []float64{x * (1 - x), x * x, 0} },
}
