package equivariant

import (
	"math"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// Act is the product with the map's matrix, on a directed graph with loops.
func TestActIsItsDefinition(t *testing.T) {
	const n = 5
	p, _, err := dyngraph.NewPattern(n, []int{0, 1, 2, 3, 4, 2, 1, 3}, []int{1, 2, 2, 0, 3, 0, 4, 3})
	if err != nil {
		t.Fatal(err)
	}
	weights, a, x := make([]float64, p.Edges()), make([]float64, n*n), make([]float64, n)
	for e := range weights {
		weights[e] = math.Sin(float64(3*e + 1))
		a[int(p.From[e])*n+int(p.To[e])] = weights[e]
	}
	for u := range x {
		x[u] = math.Cos(float64(2 * u))
	}
	for _, m := range All15() {
		matrix, want := definition(m, a, n), make([]float64, n)
		for i := range n * n {
			want[i/n] += matrix[i] * x[i%n]
		}
		fixture.Close(t, m.String(), m.Act(p, weights, x), want, 1e-14)
	}
}
