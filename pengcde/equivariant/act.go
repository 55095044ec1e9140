package equivariant

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Act applies a map of the matrix with these weights on a pattern to one number for each node, M x. It runs on the host
// in O(edges + nodes), without the factor of [Map.Scale]. It panics on weights or numbers of another length.
func (m Map) Act(p *dyngraph.Pattern, weights, x []float64) []float64 {
	c := NewCombination(p, weights)
	c.Add(1, m)
	y := make([]float64, p.Nodes)
	c.AddTo(y, 1, x)
	return y
}

// Combination is a linear combination of maps of one matrix A, for products on the host. It has the form a A + b A^T +
// diag(d) + r 1^T + 1 c^T, which all 15 maps have. So a product takes O(edges + nodes) however many maps there are.
type Combination struct {
	*matrix
	a, b                    float64
	diagonal, rows, columns []float64 // d, r and c; r and c may be nil
}

// matrix is the matrix of a combination.
type matrix struct {
	nodes      int
	from, to   []int32 // of the edges whose weights are not zero
	weights    []float64
	statistics [statistics][]float64 // where a map has asked for them
}

// NewCombination returns the combination of no maps of the matrix with these weights on a pattern, the zero matrix. It
// panics on weights of another length.
func NewCombination(p *dyngraph.Pattern, weights []float64) *Combination {
	if len(weights) != len(p.From) {
		panic(fmt.Sprintf("pengcde/equivariant: %d weights of %d edges", len(weights), len(p.From)))
	}
	m := &matrix{nodes: p.Nodes}
	for e, from := range p.From {
		if w := weights[e]; w != 0 {
			m.from, m.to, m.weights = append(m.from, from), append(m.to, p.To[e]), append(m.weights, w)
		}
	}
	return (&Combination{matrix: m}).Zero()
}

// Zero returns the combination of no maps of the same matrix, with which it shares edges and sums over them.
func (c *Combination) Zero() *Combination {
	return &Combination{matrix: c.matrix, diagonal: make([]float64, c.nodes)}
}

// Add adds a map times a coefficient, without the factor of [Map.Scale].
func (c *Combination) Add(coefficient float64, m Map) {
	of := table[m]
	switch of.puts {
	case edges:
		c.a += coefficient
	case transposed:
		c.b += coefficient
	case onDiagonal:
		floats.AddScaled(c.diagonal, coefficient, c.statistic(of.takes))
	case onRows:
		addScaled(&c.rows, coefficient, c.statistic(of.takes))
	case onColumns:
		addScaled(&c.columns, coefficient, c.statistic(of.takes))
	}
}

// AddUnit adds the unit matrix times a coefficient.
func (c *Combination) AddUnit(coefficient float64) { floats.AddConst(coefficient, c.diagonal) }

// addScaled adds a vector times a coefficient to a sum, which is nil if nothing has been added.
func addScaled(sum *[]float64, coefficient float64, v []float64) {
	if *sum == nil {
		*sum = make([]float64, len(v))
	}
	floats.AddScaled(*sum, coefficient, v)
}

// AddTo adds scale times the product with x to y, which must not overlap. It panics if they do not have a number for
// each node.
func (c *Combination) AddTo(y []float64, scale float64, x []float64) {
	if len(x) != c.nodes || len(y) != c.nodes {
		panic(fmt.Sprintf("pengcde/equivariant: a product of %d numbers into %d, want %d, one for each node", len(x),
			len(y), c.nodes))
	}
	for u, d := range c.diagonal {
		y[u] += scale * d * x[u]
	}
	if a := scale * c.a; a != 0 {
		for e, w := range c.weights {
			y[c.from[e]] += a * w * x[c.to[e]]
		}
	}
	if b := scale * c.b; b != 0 {
		for e, w := range c.weights {
			y[c.to[e]] += b * w * x[c.from[e]]
		}
	}
	if c.rows != nil {
		floats.AddScaled(y, scale*floats.Sum(x), c.rows)
	}
	if c.columns != nil {
		floats.AddConst(scale*floats.Dot(c.columns, x), y)
	}
}

// MaxNorm returns a bound of the combination: no entry of a product exceeds it times the largest magnitude of x.
func (c *Combination) MaxNorm() float64 {
	sums := make([]float64, c.nodes)
	for u, d := range c.diagonal {
		sums[u] = math.Abs(d)
		if c.rows != nil {
			sums[u] += float64(c.nodes) * math.Abs(c.rows[u])
		}
	}
	for e, w := range c.weights {
		sums[c.from[e]] += math.Abs(c.a * w)
		sums[c.to[e]] += math.Abs(c.b * w)
	}
	return floats.Max(sums) + floats.Norm(c.columns, 1)
}

// statistic returns the statistic of each node.
func (m *matrix) statistic(s statistic) []float64 {
	if m.statistics[s] != nil {
		return m.statistics[s]
	}
	v := make([]float64, m.nodes)
	all := 0.0
	for e, w := range m.weights {
		from, to := m.from[e], m.to[e]
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
		floats.AddConst(all, v)
	}
	m.statistics[s] = v
	return v
}
