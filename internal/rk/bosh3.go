package rk

// Bosh3 is the tableau of ode.Bosh3, which names its sources.
var Bosh3 = &Method{
	Name: "Bosh3", Order: 3, ErrorOrder: 3, InterpolantOrder: 3,
	C: []float64{0, 1.0 / 2, 3.0 / 4, 1},
	A: [][]float64{
		{},
		{1.0 / 2},
		{0, 3.0 / 4},
		bosh3Weights,
	},
	Error:       []float64{2.0/9 - 7.0/24, 1.0/3 - 1.0/4, 4.0/9 - 1.0/3, -1.0 / 8},
	Interpolant: func(x float64) []float64 { return hermite(bosh3Weights, x) },
}

var bosh3Weights = []float64{2.0 / 9, 1.0 / 3, 4.0 / 9}
