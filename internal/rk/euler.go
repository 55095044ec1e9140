package rk

// Euler is the tableau of ode.Euler, which names its sources.
var Euler = &Method{
	Name: "Euler", Order: 1, InterpolantOrder: 1,
	C:           []float64{0, 1},
	A:           [][]float64{{}, {1}},
	Interpolant: func(x float64) []float64 { return []float64{x, 0} },
}
