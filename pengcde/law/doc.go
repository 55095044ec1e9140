// Package law fits and solves linear equations of graphs that change, to read physical laws off data:
//
//	dx/dt = L(A) (x - x0)      while the graph stays
//	dx/ds = L'(ΔA) (x - x0)    at a change ΔA of the graph, for s from 0 to 1
//
// Here x is one number for each node, and L and L' are linear combinations of the maps of package equivariant. It is
// the linear case of the controlled differential equation dx = F(x, A, A') that package pengcde learns.
//
// [LeastSquares] finds the law that fits observed series, without a network or a backend. [pengcde.Model.Law] reads the
// law off a trained model of [pengcde.LinearLaw].
//
// On one graph the solution is exp(t L), by its Taylor series over short enough times. A. H. Al-Mohy, N. J. Higham,
// Computing the action of the matrix exponential, SIAM Journal on Scientific Computing 33 (2011) 488-511. The equation
// is the linear case of P. Kidger et al., Neural Controlled Differential Equations for Irregular Time Series, NeurIPS
// 2020; the maps are from H. Maron et al., Invariant and Equivariant Graph Networks, ICLR 2019. Limit: a fit of
// 4 graphs with 80 observations takes 2 to 8 seconds on 100 nodes, and 10 seconds to 2 minutes on 400.
//
// [pengcde.Model.Law]: https://pkg.go.dev/github.com/peng-cde/pengcde-go/pengcde#Model.Law
// [pengcde.LinearLaw]: https://pkg.go.dev/github.com/peng-cde/pengcde-go/pengcde#LinearLaw
package law
