package rk

// RK4 is the tableau of ode.RK4, which names its sources.
var RK4 = &Method{
	Name: "RK4", Order: 4, InterpolantOrder: 3,
	C: []float64{0, 1.0 / 2, 1.0 / 2, 1, 1},
	A: [][]float64{
		{},
		{1.0 / 2},
		{0, 1.0 / 2},
		{0, 0, 1},
		rk4Weights,
	},
	Interpolant: func(x float64) []float64 { return hermite(rk4Weights, x) },
}

var rk4Weights = []float64{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}
