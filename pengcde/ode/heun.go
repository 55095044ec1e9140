package ode

// Heun is the trapezoid method of order 2(1) with two stages: the mean of the slopes at both ends of an Euler step,
// whose distance from that step's end is the error estimate; a quadratic of order 2 inside steps.
//
// K. Heun, "Neue Methoden zur approximativen Integration der Differentialgleichungen einer unabhängigen
// Veränderlichen", Zeitschrift für Mathematik und Physik 45 (1900) 23-38.
var Heun = &Method{
	Name: "Heun", Order: 2, ErrorOrder: 2, InterpolantOrder: 2,
	C:           []float64{0, 1, 1},
	A:           [][]float64{{}, {1}, {1.0 / 2, 1.0 / 2}},
	Error:       []float64{1.0/2 - 1, 1.0 / 2, 0},
	Interpolant: func(x float64) []float64 { return []float64{x * (1 - x/2), x * x / 2, 0} },
}
