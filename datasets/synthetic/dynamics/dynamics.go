package dynamics

// Rate writes the rates of change dx of the states x at time t on graph g; both are [nodes*channels], row-major by
// node. It sets every entry of dx, whose old content has no meaning, and changes nothing else.
type Rate func(t float64, x []float64, g *Graph, dx []float64)

// Dynamics is a rate with what identifies it.
type Dynamics struct {
	// Name and Parameters identify the rate where data are kept in files: other dynamics need another name or others.
	Name       string
	Parameters []float64
	// Channels is the number of states of a node; 0 is 1.
	Channels int
	Rate     Rate
	// Change, where set, moves the states when the graph changes. At the time from which the new graph is in force they
	// go along dx/ds = Change(s, x, ΔA) for s from 0 to 1, where the graph ΔA has the differences of the weights; what
	// is observed at that time has moved.
	Change Rate
	// Growth, where positive, is how many times the largest state at the start any state may be after a change. Beyond
	// it the simulation ends with [ErrGrowth].
	Growth float64
}

// States is the number of states of a node.
func (d Dynamics) States() int { return max(1, d.Channels) }

// Pairwise is the rate of one channel in which a node has dynamics of its own and feels its neighbours one by one,
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
