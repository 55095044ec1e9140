package ode

import (
	"math"
	"math/cmplx"

	. "github.com/gomlx/gomlx/core/graph"
)

// knownDecay is exponential decay, z' = -a z, with solution e^(-a(t-s)) z.
var knownDecay = knownProblem{
	Name: "decay",
	Field: func(_, z *Node, args []*Node) *Node {
		return Neg(Mul(param(args, 0, z), z))
	},
	Slope: func(_ float64, z, a []float64) []float64 { return []float64{-a[0] * z[0]} },
	Flow: func(s, t float64, z, a []float64) []float64 {
		return []float64{z[0] * math.Exp(-a[0]*(t-s))}
	},
	Z0: []float64{2}, A: []float64{1.2}, T0: 0, T1: 2,
}

// knownOscillator is the harmonic oscillator of angular frequency ω, q' = p, p' = -ω² q; a = (ω).
var knownOscillator = knownProblem{
	Name: "oscillator",
	Field: func(_, z *Node, args []*Node) *Node {
		q, p := column(z, 0), column(z, 1)
		return Concatenate([]*Node{p, Neg(Mul(Square(param(args, 0, q)), q))}, 1)
	},
	Slope: func(_ float64, z, a []float64) []float64 { return []float64{z[1], -a[0] * a[0] * z[0]} },
	Flow: func(s, t float64, z, a []float64) []float64 {
		sin, cos := math.Sincos(a[0] * (t - s))
		return []float64{z[0]*cos + z[1]/a[0]*sin, z[1]*cos - a[0]*z[0]*sin}
	},
	Z0: []float64{1, 0.5}, A: []float64{1.7}, T0: 0, T1: 3,
}

// knownSeasonal is growth and decline with the season, z' = a z cos t, with solution e^(a(sin t - sin s)) z.
var knownSeasonal = knownProblem{
	Name: "seasonal",
	Field: func(t, z *Node, args []*Node) *Node {
		return Mul(Mul(param(args, 0, z), z), Cos(clock(t, z)))
	},
	Slope: func(t float64, z, a []float64) []float64 { return []float64{a[0] * z[0] * math.Cos(t)} },
	Flow: func(s, t float64, z, a []float64) []float64 {
		return []float64{z[0] * math.Exp(a[0]*(math.Sin(t)-math.Sin(s)))}
	},
	Z0: []float64{1}, A: []float64{2}, T0: -0.5, T1: 2,
}

// knownDriven is a rotation with a rotating force, u' = iω u + F e^(iνt) for u = z_1 + i z_2; a = (ω, ν, F), ω ≠ ν. Its
// solution is e^(iω(t-s)) (u - G e^(iνs)) + G e^(iνt) with G = F / (i(ν-ω)).
var knownDriven = knownProblem{
	Name: "driven",
	Field: func(t, z *Node, args []*Node) *Node {
		x, y := column(z, 0), column(z, 1)
		omega, nu, force := param(args, 0, x), param(args, 1, x), param(args, 2, x)
		phase := Mul(nu, clock(t, x))
		return Concatenate([]*Node{
			Sub(Mul(force, Cos(phase)), Mul(omega, y)),
			Add(Mul(force, Sin(phase)), Mul(omega, x)),
		}, 1)
	},
	Slope: func(t float64, z, a []float64) []float64 {
		sin, cos := math.Sincos(a[1] * t)
		return []float64{a[2]*cos - a[0]*z[1], a[2]*sin + a[0]*z[0]}
	},
	Flow: func(s, t float64, z, a []float64) []float64 {
		turn := func(angle float64) complex128 { return cmplx.Rect(1, angle) }
		g := complex(a[2], 0) / complex(0, a[1]-a[0])
		u := turn(a[0]*(t-s))*(complex(z[0], z[1])-g*turn(a[1]*s)) + g*turn(a[1]*t)
		return []float64{real(u), imag(u)}
	},
	Z0: []float64{0.3, -1}, A: []float64{1.3, 2.1, 0.9}, T0: -1, T1: 2,
}

// knownStiff is z' = -λ (z - cos t) - sin t, whose solutions fall onto cos t in a time 1/λ; a = (λ). Explicit methods
// must keep their steps below a few 1/λ on the whole interval.
//
// A. Prothero, A. Robinson, Mathematics of Computation 28 (1974) 145-162.
var knownStiff = knownProblem{
	Name: "stiff",
	Field: func(t, z *Node, args []*Node) *Node {
		time := clock(t, z)
		return Sub(Mul(param(args, 0, z), Sub(Cos(time), z)), Sin(time))
	},
	Slope: func(t float64, z, a []float64) []float64 {
		sin, cos := math.Sincos(t)
		return []float64{a[0]*(cos-z[0]) - sin}
	},
	Flow: func(s, t float64, z, a []float64) []float64 {
		return []float64{math.Cos(t) + (z[0]-math.Cos(s))*math.Exp(-a[0]*(t-s))}
	},
	Z0: []float64{1.5}, A: []float64{100}, T0: 0, T1: 1,
}

// column is entry i of the states z, [batch, 1].
func column(z *Node, i int) *Node { return Slice(z, AxisRange(), AxisElem(i)) }

// param is entry i of the parameters, with the shape and type of x.
func param(args []*Node, i int, x *Node) *Node {
	a := ConvertDType(Slice(args[0], AxisElem(i)), x.DType())
	return BroadcastToDims(Reshape(a, 1, 1), x.Shape().Dimensions...)
}

// clock is t [batch] with the shape and type of x.
func clock(t, x *Node) *Node {
	return BroadcastToDims(ConvertDType(ExpandAxes(t, -1), x.DType()), x.Shape().Dimensions...)
}
