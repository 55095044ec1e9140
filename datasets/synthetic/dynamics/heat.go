package dynamics

// Heat is diffusion with the combinatorial Laplacian of the current graph, D the diagonal of its row sums:
//
//	x' = -(D - A) x,  x_i' = Σ_j A_ij (x_j - x_i)
//
// the equation of the published code. The paper prints it with the opposite sign and a normalised Laplacian, which
// would not be diffusion. The sum of all states is constant where A is symmetric.
var Heat = Dynamics{Name: "heat", Rate: Pairwise(
	func(float64) float64 { return 0 },
	func(xi, xj float64) float64 { return xj - xi },
)}
