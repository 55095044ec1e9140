package rk

// hermite returns the weights of the cubic through the states and slopes at both ends of a step (C. Hermite): with b
// the weights of the solution, over all stages but the last,
//
//	b_i(θ) = θ²(3-2θ) b_i + [i first] θ(θ-1)² + [i last] θ²(θ-1)
//
// It is continuous with its derivative from step to step, and of order 3 when the method is. E. Hairer, S. P. Nørsett,
// G. Wanner, Solving Ordinary Differential Equations I (1993), (II.6.7).
func hermite(b []float64, theta float64) []float64 {
	w := make([]float64, len(b)+1)
	for i, v := range b {
		w[i] = theta * theta * (3 - 2*theta) * v
	}
	w[0] += theta * (theta - 1) * (theta - 1)
	w[len(b)] = theta * theta * (theta - 1)
	return w
}
