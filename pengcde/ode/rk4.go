package ode

// RK4 is the classical method of order 4 with 4 stages; with the slope at the end of the step, where the next one
// starts, it has a cubic Hermite extension of order 3. It has no error estimate.
//
// W. Kutta, "Beitrag zur näherungsweisen Integration totaler Differentialgleichungen", Zeitschrift für Mathematik und
// Physik 46 (1901) 435-453.
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
