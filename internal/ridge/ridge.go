// Package ridge solves the normal equations of least squares with a penalty.
package ridge

import "gonum.org/v1/gonum/mat"

// Solve returns the solution b of (X'X + penalty I) b = X'y; ok is false if there is no finite solution.
func Solve(xx mat.Symmetric, xy mat.Vector, penalty float64) (b []float64, ok bool) {
	n := xx.SymmetricDim()
	a := mat.NewSymDense(n, nil)
	a.CopySym(xx)
	for i := range n {
		a.SetSym(i, i, a.At(i, i)+penalty)
	}
	var cholesky mat.Cholesky
	var solution mat.VecDense
	if !cholesky.Factorize(a) || cholesky.SolveVecTo(&solution, xy) != nil {
		return nil, false
	}
	return solution.RawVector().Data, true
}
