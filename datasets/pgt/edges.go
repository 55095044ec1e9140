package pgt

import "github.com/peng-cde/pengcde-go/dyngraph"

// edges holds the edges of one step, and their weights, as the JSON has them; pointers tell null from 0.
type edges struct {
	pairs   [][]*int
	weights []*float64
}

// checkEdges checks the edges of a step such as "day 3".
func (c config) checkEdges(step string, e edges, nodes int) error {
	if len(e.pairs) != len(e.weights) {
		return c.invalid("%s has %d edges and %d weights, want one weight for each edge", step, len(e.pairs),
			len(e.weights))
	}
	for k, pair := range e.pairs {
		if len(pair) != 2 || pair[0] == nil || pair[1] == nil {
			return c.invalid("edge %d of %s is not a pair [from, to]", k, step)
		}
		from, to := *pair[0], *pair[1]
		if from < 0 || from >= nodes || to < 0 || to >= nodes {
			return c.invalid("edge %d of %s joins %d -> %d, want nodes in 0..%d as y has %d", k, step, from, to,
				nodes-1, nodes)
		}
		if w := e.weights[k]; w == nil || *w < 0 {
			return c.invalid("weight of edge %d (%d -> %d) of %s is null or negative, want a number of people or "+
				"mentions: leave out edges without any", k, from, to, step)
		}
	}
	return nil
}

// graph returns the union of the edges of steps, checked before, and the weights of each on it.
func (c config) graph(steps []edges, nodes int) (*dyngraph.Pattern, [][]float64, error) {
	var from, to []int
	for _, e := range steps {
		for _, pair := range e.pairs {
			from, to = append(from, *pair[0]), append(to, *pair[1])
		}
	}
	pattern, index, err := dyngraph.NewPattern(nodes, from, to)
	if err != nil {
		return nil, nil, c.invalid("%v", err)
	}
	weights := make([][]float64, len(steps))
	for i, e := range steps {
		weights[i] = make([]float64, pattern.Edges())
		for k, w := range e.weights {
			weights[i][index[k]] += *w
		}
		index = index[len(e.weights):]
	}
	return pattern, weights, nil
}
