package equivariant

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

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

// A combination is the sum of its maps, and its bound holds.
func TestCombinationIsASum(t *testing.T) {
	const n = 4
	p, _, err := dyngraph.NewPattern(n, []int{0, 1, 2, 3, 3}, []int{1, 2, 2, 0, 3})
	if err != nil {
		t.Fatal(err)
	}
	weights, x := []float64{0.5, -2, 0, 3, 0.25}, []float64{1, -0.5, 2, -3}
	c, want := NewCombination(p, weights), make([]float64, n)
	c.AddUnit(-0.75)
	floats.AddScaled(want, -0.75, x)
	for i, m := range All15() {
		coefficient := math.Cos(float64(i))
		c.Add(coefficient, m)
		floats.AddScaled(want, coefficient, m.Act(p, weights, x))
	}
	got := []float64{1, 1, 1, 1}
	c.AddTo(got, 2, x)
	floats.AddConst(-1, got)
	floats.Scale(0.5, got)
	fixture.Close(t, "the product", got, want, 1e-13)

	largest := 0.0
	for u := range n {
		row := 0.0
		for v := range n {
			unit, column := make([]float64, n), make([]float64, n)
			unit[v] = 1
			c.AddTo(column, 1, unit)
			row += math.Abs(column[u])
		}
		largest = max(largest, row)
	}
	if bound := c.MaxNorm(); bound < largest || bound > 4*largest {
		t.Errorf("the bound is %g, want at least the norm %g and not far above", bound, largest)
	}
}

// Weights and numbers of another length panic, and a combination of no maps is zero.
func TestCombinationOfOtherLengths(t *testing.T) {
	p, _, err := dyngraph.NewPattern(2, []int{0}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	c, y := NewCombination(p, []float64{3}), []float64{1, 2}
	c.Add(1, IdentityMap)
	c.Zero().AddTo(y, 1, []float64{5, 7})
	if y[0] != 1 || y[1] != 2 || c.Zero().MaxNorm() != 0 {
		t.Errorf("no maps add to %v, with the bound %g", y, c.Zero().MaxNorm())
	}
	for name, call := range map[string]func(){
		"weights": func() { NewCombination(p, []float64{1, 2}) },
		"x":       func() { c.AddTo(y, 1, []float64{1}) },
		"y":       func() { c.AddTo([]float64{1, 2, 3}, 1, y) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of another length are taken", name)
				}
			}()
			call()
		}()
	}
}
