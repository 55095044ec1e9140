package rk

// Heun is the tableau of ode.Heun, which names its sources.
var Heun = &Method{
	Name: "Heun", Order: 2, ErrorOrder: 2, InterpolantOrder: 2,
	C:           []float64{0, 1, 1},
	A:           [][]float64{{}, {1}, {1.0 / 2, 1.0 / 2}},
	Error:       []float64{1.0/2 - 1, 1.0 / 2, 0},
	Interpolant: func(x float64) []float64 { return []float64{x * (1 - x/2), x * x / 2, 0} },
}
