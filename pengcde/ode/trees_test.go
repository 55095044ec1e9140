package ode

import "math"

// tree is a rooted tree, given by the branches at its root. Each tree of order p is one condition for a Runge-Kutta
// method to have order p; J. C. Butcher, Numerical Methods for Ordinary Differential Equations (2016), 315.
type tree []tree

// order is the number of nodes.
func (t tree) order() int {
	n := 1
	for _, branch := range t {
		n += branch.order()
	}
	return n
}

// density is γ, the product of the orders of all subtrees.
func (t tree) density() float64 {
	g := float64(t.order())
	for _, branch := range t {
		g *= branch.density()
	}
	return g
}

// trees lists the trees of orders 1 to n: result[p-1] holds the trees of order p.
func trees(n int) [][]tree {
	var byOrder [][]tree
	var all []tree
	for p := 1; p <= n; p++ {
		var forests func(nodes, from int) []tree
		forests = func(nodes, from int) (found []tree) {
			if nodes == 0 {
				return []tree{{}}
			}
			for i := from; i < len(all); i++ {
				if all[i].order() > nodes {
					break
				}
				for _, rest := range forests(nodes-all[i].order(), i) {
					found = append(found, append(tree{all[i]}, rest...))
				}
			}
			return found
		}
		byOrder = append(byOrder, forests(p-1, 0))
		all = append(all, byOrder[p-1]...)
	}
	return byOrder
}

// stageWeights are the weights of a tree at each stage: the product over its branches of Σ_j a_ij (weight of the
// branch at j).
func (t tree) stageWeights(a [][]float64) []float64 {
	w := make([]float64, len(a))
	for i := range w {
		w[i] = 1
	}
	for _, branch := range t {
		inner := branch.stageWeights(a)
		for i, row := range a {
			sum := 0.0
			for j, v := range row {
				sum += v * inner[j]
			}
			w[i] *= sum
		}
	}
	return w
}

// residual is how far weights b miss the condition Σ b_i (weight at i) = θ^p / γ of the tree.
func (t tree) residual(a [][]float64, b []float64, theta float64) float64 {
	sum := -math.Pow(theta, float64(t.order())) / t.density()
	for i, w := range t.stageWeights(a) {
		sum += b[i] * w
	}
	return math.Abs(sum)
}
