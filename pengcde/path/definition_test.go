package path_test

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// definition evaluates a path of one channel as its source defines it, in plain Go.
func definition(kind path.Kind, knots, xs []float64, t float64) (x, dx float64) {
	if kind == path.Rectilinear {
		lengthened, values, _ := stairs(knots, xs)
		if t <= lengthened[0] || t > lengthened[len(lengthened)-1] {
			return values[interval(lengthened, t)+boolean(t > lengthened[0])], 0
		}
		return definition(path.Linear, lengthened, values, t)
	}
	k := interval(knots, t)
	h, u := knots[k+1]-knots[k], t-knots[k]
	s := (xs[k+1] - xs[k]) / h
	switch kind {
	case path.Hermite:
		m := s
		if k > 0 {
			m = (xs[k] - xs[k-1]) / (knots[k] - knots[k-1])
		}
		c, e := 2*(s-m)/h, (m-s)/(h*h)
		return xs[k] + m*u + c*u*u + e*u*u*u, m + 2*c*u + 3*e*u*u
	case path.Natural:
		p := splinePieces(knots, xs)[k]
		return p[0] + u*(p[1]+u*(p[2]+u*p[3])), p[1] + u*(2*p[2]+u*3*p[3])
	case path.Ramp:
		r := min(max(u/h, 0), 1)
		return xs[k] + (xs[k+1]-xs[k])*r*r*(3-2*r), (xs[k+1] - xs[k]) * (6*r - 6*r*r) / h
	}
	return xs[k] + s*u, s
}

// interval is the interval of t, on a knot the one on its left.
func interval(knots []float64, t float64) int {
	before := 0
	for _, knot := range knots {
		before += boolean(knot < t)
	}
	return min(max(before-1, 0), len(knots)-2)
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// stairs returns the 2T-1 points of a rectilinear path: the position along its axis, the values and the time there.
func stairs(knots, xs []float64) (at, values, times []float64) {
	at, values, times = knots[:1:1], xs[:1:1], knots[:1:1]
	for k := range len(knots) - 1 {
		h, last := knots[k+1]-knots[k], at[len(at)-1]
		at = append(at, last+h, last+2*h)
		values = append(values, xs[k], xs[k+1])
		times = append(times, knots[k+1], knots[k+1])
	}
	return at, values, times
}

// splinePieces are the coefficients of the cubics of a natural spline, from the equations that define it: values at
// both ends of each piece, first and second derivatives equal at inner knots, second derivatives 0 at the ends.
func splinePieces(knots, xs []float64) [][]float64 {
	pieces := len(knots) - 1
	a, b := mat.NewDense(4*pieces, 4*pieces, nil), mat.NewVecDense(4*pieces, nil)
	row := 0
	equation := func(rhs float64, piece int, coefficients ...float64) {
		for i, c := range coefficients {
			a.Set(row, 4*piece+i, c)
		}
		b.SetVec(row, rhs)
		row++
	}
	for k := range pieces {
		h := knots[k+1] - knots[k]
		equation(xs[k], k, 1)
		equation(xs[k+1], k, 1, h, h*h, h*h*h)
		if k+1 < pieces {
			equation(0, k, 0, 1, 2*h, 3*h*h, 0, -1)
			equation(0, k, 0, 0, 2, 6*h, 0, 0, -2)
		}
	}
	equation(0, 0, 0, 0, 2)
	equation(0, pieces-1, 0, 0, 2, 6*(knots[pieces]-knots[pieces-1]))
	var solution mat.VecDense
	if err := solution.SolveVec(a, b); err != nil {
		panic(err)
	}
	return slices.Collect(slices.Chunk(solution.RawVector().Data, 4))
}
