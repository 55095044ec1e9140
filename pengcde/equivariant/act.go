package equivariant

import "github.com/peng-cde/pengcde-go/dyngraph"

// Act applies a map of the matrix with these weights on a pattern to one number for each node, M x. It runs on the host
// in O(edges + nodes), without the factor of [Map.Scale]. It panics on weights or numbers of another length.
func (m Map) Act(p *dyngraph.Pattern, weights, x []float64) []float64 {
	takes, puts := table[m].takes, table[m].puts
	y := make([]float64, p.Nodes)
	switch puts {
	case edges, transposed:
		for e, w := range weights {
			u, v := p.From[e], p.To[e]
			if puts == transposed {
				u, v = v, u
			}
			y[u] += w * x[v]
		}
		return y
	}
	v := takes.of(p, weights)
	sum := 0.0 // the sum that every node receives
	for u := range y {
		switch puts {
		case onDiagonal:
			y[u] = v[u] * x[u]
		case onColumns:
			sum += v[u] * x[u]
		case onRows:
			sum += x[u]
		}
	}
	for u := range y {
		switch puts {
		case onColumns:
			y[u] = sum
		case onRows:
			y[u] = v[u] * sum
		}
	}
	return y
}

// of returns the statistic of each node.
func (s statistic) of(p *dyngraph.Pattern, weights []float64) []float64 {
	v := make([]float64, p.Nodes)
	all := 0.0
	for e, w := range weights {
		from, to := p.From[e], p.To[e]
		switch s {
		case rowSums:
			v[from] += w
		case columnSums:
			v[to] += w
		case diagonal:
			if from == to {
				v[from] += w
			}
		case total:
			all += w
		case trace:
			if from == to {
				all += w
			}
		}
	}
	if s == total || s == trace {
		for u := range v {
			v[u] = all
		}
	}
	return v
}
