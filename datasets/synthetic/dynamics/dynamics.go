package dynamics

// Rate writes the rates of change dx of the states x at time t on graph g; both are [nodes*channels], row-major by
// node. It must set every entry of dx, whose old content is undefined, and change nothing else.
type Rate func(t float64, x []float64, g *Graph, dx []float64)

// Dynamics is a rate with the name and parameters that identify it.
type Dynamics struct {
	// Name and Parameters identify the rate for data kept in files: different dynamics need a different name or
	// parameters.
	Name       string
	Parameters []float64
	// Channels is the number of states of a node; 0 is 1.
	Channels int
	Rate     Rate
	// Change, if set, moves the states when the graph changes. At the time from which the new graph is in force they
	// follow dx/ds = Change(s, x, ΔA) for s from 0 to 1, where the graph ΔA has the differences of the weights. States
	// observed at that time have moved.
	Change Rate
	// Growth, if positive, limits states after a change to Growth times the largest state at the start. Beyond it the
	// simulation ends with [ErrGrowth].
	Growth float64
}

// States returns the number of states of a node.
func (d Dynamics) States() int { return max(1, d.Channels) }

// Pairwise returns the rate of one channel that is the sum of a node's own dynamics and a term for each neighbour,
//
//	x_i' = own(x_i) + Σ_j A_ij pair(x_i, x_j)
//
// the form of B. Barzel and A.-L. Barabási, Universality in network dynamics, Nature Physics 9 (2013) 673-681.
func Pairwise(own func(x float64) float64, pair func(xi, xj float64) float64) Rate {
	return func(_ float64, x []float64, g *Graph, dx []float64) {
		for i, xi := range x {
			to, weights := g.Row(i)
			sum := own(xi)
			for k, j := range to {
				sum += weights[k] * pair(xi, x[j])
			}
			dx[i] = sum
		}
	}
}
