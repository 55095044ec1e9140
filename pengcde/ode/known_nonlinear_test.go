package ode

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// knownGrowth is logistic growth up to a capacity, z' = r z (1 - z/K); a = (r, K). Its solution is K / (1 + (K/z(s) -
// 1) e^(-r(t-s))).
var knownGrowth = knownProblem{
	Name: "logistic",
	Field: func(_, z *Node, args []*Node) *Node {
		return Mul(Mul(param(args, 0, z), z), OneMinus(Div(z, param(args, 1, z))))
	},
	Slope: func(_ float64, z, a []float64) []float64 { return []float64{a[0] * z[0] * (1 - z[0]/a[1])} },
	Flow: func(s, t float64, z, a []float64) []float64 {
		return []float64{a[1] / (1 + (a[1]/z[0]-1)*math.Exp(-a[0]*(t-s)))}
	},
	Z0: []float64{0.1}, A: []float64{2, 2}, T0: 0, T1: 1.5,
}

// knownLimitCycle is a rotation drawn to a circle, the normal form of a Hopf bifurcation, with radius 1:
//
//	x' = μ x (1 - r²) - ω y,  y' = μ y (1 - r²) + ω x,  r² = x² + y²;  a = (μ, ω)
//
// In polar coordinates 1/r² - 1 falls as e^(-2μ(t-s)) and the angle grows by ω(t-s).
var knownLimitCycle = knownProblem{
	Name: "limit cycle",
	Field: func(_, z *Node, args []*Node) *Node {
		x, y := column(z, 0), column(z, 1)
		mu, omega := param(args, 0, x), param(args, 1, x)
		pull := Mul(mu, OneMinus(Add(Square(x), Square(y))))
		return Concatenate([]*Node{
			Sub(Mul(pull, x), Mul(omega, y)),
			Add(Mul(pull, y), Mul(omega, x)),
		}, 1)
	},
	Slope: func(_ float64, z, a []float64) []float64 {
		pull := a[0] * (1 - (z[0]*z[0] + z[1]*z[1]))
		return []float64{pull*z[0] - a[1]*z[1], pull*z[1] + a[1]*z[0]}
	},
	Flow: func(s, t float64, z, a []float64) []float64 {
		r2 := z[0]*z[0] + z[1]*z[1]
		grow := 1 / math.Sqrt(r2+(1-r2)*math.Exp(-2*a[0]*(t-s))) // r(t)/r(s)
		sin, cos := math.Sincos(a[1] * (t - s))
		return []float64{grow * (z[0]*cos - z[1]*sin), grow * (z[0]*sin + z[1]*cos)}
	},
	Z0: []float64{0.4, 0.2}, A: []float64{0.3, 2}, T0: 0, T1: 2,
}
