package dynamics

import "math"

// Wealth is saving with diminishing returns, exchange with neighbours and depreciation:
//
//	x_u' = s_u x_u^0.6 + Σ_v A_uv (x_v - x_u) + δ x_u
//
// s are the saving rates of the nodes in order, repeated if there are more nodes than rates: a single rate applies to
// all nodes, no rate means 0. The paper gives neither s nor δ, prints x_v - x_v in the sum, and no code for it was
// published. Wealth is never negative; if rounding or the stages of a step make a state negative, its power counts
// as 0.
func Wealth(delta float64, s ...float64) Dynamics {
	if len(s) == 0 {
		s = []float64{0}
	}
	rate := func(_ float64, x []float64, g *Graph, dx []float64) {
		for u, xu := range x {
			to, weights := g.Row(u)
			sum := delta*xu + s[u%len(s)]*math.Pow(max(xu, 0), 0.6)
			for k, v := range to {
				sum += weights[k] * (x[v] - xu)
			}
			dx[u] = sum
		}
	}
	return Dynamics{Name: "wealth", Parameters: append([]float64{delta}, s...), Rate: rate}
}
