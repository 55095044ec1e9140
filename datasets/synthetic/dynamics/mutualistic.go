package dynamics

// Mutualistic is the abundance of symbiotic species, with migration 0.1, carrying capacity 5 and Allee threshold 1:
//
//	x_i' = 0.1 + x_i (1 - x_i/5) (x_i - 1) + Σ_j A_ij x_i x_j / (5 + 0.9 x_j + 0.1 x_i)
//
// as the published code writes it (where it does not run). The source has the factors 0.9 and 0.1 the other way round:
// J. Gao, B. Barzel, A.-L. Barabási, Universal resilience patterns in complex networks, Nature 530 (2016) 307-312.
var Mutualistic = Dynamics{Name: "mutualistic", Rate: Pairwise(
	func(x float64) float64 { return 0.1 + x*(1-x/5)*(x-1) },
	func(xi, xj float64) float64 { return xi * xj / (5 + 0.9*xj + 0.1*xi) },
)}
