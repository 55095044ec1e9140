package equivariant

import "github.com/peng-cde/pengcde-go/dyngraph"

// Width is the length of a row of [Extend].
func Width(edges, n int) int { return edges + 3*n + 2 }

// Extend puts behind the weights of a snapshot, which follow the pattern, what the maps need of it: row sums, column
// sums and diagonal for each node, total and trace. All are linear in the weights, so interpolating rows interpolates
// the statistics. The row has [Width](edges, n) entries, where edges may exceed those of the pattern: the graphs of a
// batch are filled up to the largest with edges of weight 0.
func Extend(p *dyngraph.Pattern, weights []float64, edges int) []float64 {
	n := p.Nodes
	row := make([]float64, Width(edges, n))
	copy(row, weights)
	rows, columns, diagonal, scalars := row[edges:edges+n], row[edges+n:edges+2*n], row[edges+2*n:edges+3*n], row[edges+3*n:]
	for e, w := range weights {
		from, to := p.From[e], p.To[e]
		rows[from] += w
		columns[to] += w
		scalars[0] += w
		if from == to {
			diagonal[from] += w
			scalars[1] += w
		}
	}
	return row
}
