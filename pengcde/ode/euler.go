package ode

// Euler is the method of order 1 with one stage, z + h f(t, z), linear inside steps. It has no error estimate.
//
// L. Euler, Institutiones Calculi Integralis I (1768), § 650.
var Euler = &Method{
	Name: "Euler", Order: 1, InterpolantOrder: 1,
	C:           []float64{0, 1},
	A:           [][]float64{{}, {1}},
	Interpolant: func(x float64) []float64 { return []float64{x, 0} },
}
