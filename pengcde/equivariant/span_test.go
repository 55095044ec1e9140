package equivariant

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// operatorOf is a map of n x n matrices as a matrix [n², n²] on their entries, row-major.
func operatorOf(m Map, n int) *mat.Dense {
	op := mat.NewDense(n*n, n*n, nil)
	for at := range n * n {
		unit := make([]float64, n*n)
		unit[at] = 1
		op.SetCol(at, definition(m, unit, n))
	}
	return op
}

// span has the 15 maps of n x n matrices as columns [n⁴, 15].
func span(n int) *mat.Dense {
	columns := mat.NewDense(n*n*n*n, mapCount, nil)
	for _, m := range All15() {
		columns.SetCol(int(m), operatorOf(m, n).RawMatrix().Data)
	}
	return columns
}

// orders are all permutations of 0..n-1.
func orders(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, shorter := range orders(n - 1) {
		for at := range n {
			order := append(append(append([]int{}, shorter[:at]...), n-1), shorter[at:]...)
			all = append(all, order)
		}
	}
	return all
}

// relabelled returns Π^T op Π for the relabelling Π of n x n matrices: op after renaming the nodes.
func relabelled(op *mat.Dense, order []int) *mat.Dense {
	n := len(order)
	out := mat.NewDense(n*n, n*n, nil)
	moved := func(entry int) int { return order[entry/n]*n + order[entry%n] }
	for i := range n * n {
		for j := range n * n {
			out.Set(i, j, op.At(moved(i), moved(j)))
		}
	}
	return out
}

// The number of independent maps is the number of partitions of 4 things into at most n classes (Maron et al. 2019): 15
// from n = 4 on.
func TestMapsAreIndependent(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 8, 3: 14, 4: 15, 5: 15, 6: 15} {
		var svd mat.SVD
		if !svd.Factorize(span(n), mat.SVDNone) {
			t.Fatal("no singular values")
		}
		values := svd.Values(nil)
		rank := 0
		for _, v := range values {
			if v > 1e-12*values[0] {
				rank++
			}
		}
		if rank != want {
			t.Errorf("n = %d: rank %d, want %d", n, rank, want)
		}
	}
}

func TestEachMapCommutesWithRelabelling(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for _, m := range All15() {
			op := operatorOf(m, n)
			for _, order := range orders(n) {
				if !mat.Equal(op, relabelled(op, order)) {
					t.Fatalf("%v does not commute with the relabelling %v", m, order)
				}
			}
		}
	}
}

// Averaging a linear fusion over all relabellings gives the equivariant map that is closest to it in the Frobenius
// norm, and every equivariant map is a combination of the 15.
func TestAverageOverRelabellingsIsTheProjection(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 15))
	for n := 2; n <= 5; n++ {
		op := mat.NewDense(n*n, n*n, nil)
		for i := range n * n {
			for j := range n * n {
				op.Set(i, j, rng.NormFloat64())
			}
		}
		average, all := mat.NewDense(n*n, n*n, nil), orders(n)
		for _, order := range all {
			average.Add(average, relabelled(op, order))
		}
		average.Scale(1/float64(len(all)), average)
		if order := all[len(all)/2]; !mat.EqualApprox(average, relabelled(average, order), 1e-13) {
			t.Errorf("n = %d: the average does not commute with %v", n, order)
		}

		// The closest combination of the 15, by an orthonormal basis of their span.
		var svd mat.SVD
		if !svd.Factorize(span(n), mat.SVDThin) {
			t.Fatal("no singular vectors")
		}
		var basis mat.Dense
		svd.UTo(&basis)
		values, closest := svd.Values(nil), make([]float64, n*n*n*n)
		for k, value := range values {
			if value < 1e-12*values[0] {
				continue
			}
			direction := mat.Col(nil, k, &basis)
			along := 0.0
			for i, v := range op.RawMatrix().Data {
				along += v * direction[i]
			}
			for i, v := range direction {
				closest[i] += along * v
			}
		}
		fixture.Close(t, "average", average.RawMatrix().Data, closest, 1e-12)

		// Any other combination is farther away, by Pythagoras.
		distance := func(x []float64) (sum float64) {
			for i, v := range op.RawMatrix().Data {
				sum += (v - x[i]) * (v - x[i])
			}
			return math.Sqrt(sum)
		}
		best := distance(average.RawMatrix().Data)
		for _, m := range All15() {
			other, direction := append([]float64{}, closest...), operatorOf(m, n).RawMatrix().Data
			for i, v := range direction {
				other[i] += 0.01 * v
			}
			if d := distance(other); d <= best {
				t.Errorf("n = %d: a step along %v is at distance %g, the average at %g", n, m, d, best)
			}
		}
	}
}
