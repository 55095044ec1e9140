package dynamics

// GeneCoded is gene regulation as in the published code, where the receiving node's own state saturates the input:
//
//	x_i' = -x_i + Σ_j A_ij x_j² / (1 + x_i²)
//
// The published results of the Constant model agree with this form at amplitude 1, and with neither of the other two.
var GeneCoded = Dynamics{Name: "gene", Rate: Pairwise(decay,
	func(xi, xj float64) float64 { return xj * xj / (1 + xi*xi) },
)}

// GenePrinted is gene regulation as the paper prints it:
//
//	x_i' = -x_i + Σ_j A_ij x_j / (1 + x_j)
var GenePrinted = Dynamics{Name: "gene as printed", Rate: Pairwise(decay,
	func(_, xj float64) float64 { return xj / (1 + xj) },
)}

// GeneMichaelisMenten is gene regulation with the usual response of order 2 to the sending node:
//
//	x_i' = -x_i + Σ_j A_ij x_j² / (1 + x_j²)
//
// U. Alon, An Introduction to Systems Biology, Chapman & Hall 2006; on networks J. Gao, B. Barzel, A.-L. Barabási,
// Universal resilience patterns in complex networks, Nature 530 (2016) 307-312.
var GeneMichaelisMenten = Dynamics{Name: "gene by Michaelis-Menten", Rate: Pairwise(decay,
	func(_, xj float64) float64 { return xj * xj / (1 + xj*xj) },
)}

func decay(x float64) float64 { return -x }
