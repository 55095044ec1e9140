package dynamics

// Opinion is an opinion that fades unless the neighbours' opinions add up to at least one half:
//
//	x_u' = -x_u + 1[Σ_v A_uv x_v >= 0.5]
//
// as the paper prints it; no code for it was published. The rate is discontinuous, so the error of a step is only of
// first order in its length where a sum passes the threshold.
var Opinion = Dynamics{Name: "opinion", Rate: func(_ float64, x []float64, g *Graph, dx []float64) {
	for u, xu := range x {
		to, weights := g.Row(u)
		sum := 0.0
		for k, v := range to {
			sum += weights[k] * x[v]
		}
		dx[u] = -xu
		if sum >= 0.5 {
			dx[u]++
		}
	}
}}
