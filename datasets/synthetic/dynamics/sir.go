package dynamics

// SIR is an epidemic with infection rate beta and recovery rate gamma; the three channels are the susceptible, infected
// and recovered part of each node:
//
//	S' = -beta S (.) (A I),  I' = beta S (.) (A I) - gamma I,  R' = gamma I
//
// The paper's two classes are (0.25, 0.7), which dies out, and (0.3, 0.3), which spreads. S + I + R is constant.
func SIR(beta, gamma float64) Dynamics {
	rate := func(_ float64, x []float64, g *Graph, dx []float64) {
		for u := range g.Nodes() {
			to, weights := g.Row(u)
			contact := 0.0
			for k, v := range to {
				contact += weights[k] * x[3*v+1]
			}
			infection, recovery := beta*x[3*u]*contact, gamma*x[3*u+1]
			dx[3*u], dx[3*u+1], dx[3*u+2] = -infection, infection-recovery, recovery
		}
	}
	return Dynamics{Name: "SIR", Parameters: []float64{beta, gamma}, Channels: 3, Rate: rate}
}
