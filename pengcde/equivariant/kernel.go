package equivariant

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla"
)

// kernel multiplies by a sparse matrix in C, in one pass over the lists of neighbours. XLA takes separate operations to
// mix the entries, gather states and multiply, for each bucket. Empty places, and edges without a weight in any of its
// matrices, are removed once, for all layers and for the backward pass. Results equal the results of plain operations,
// up to rounding.
type kernel struct {
	sparse
	symmetric bool
	rows      []*Node // of A, or of A and A', as in [Matrix]
	// The lists after removal: the number of neighbours of each place [batch, n], these nodes [batch, capacity], and
	// their entries of all matrices [batch, entries, capacity]. For A alone they may also hold the entries of A'.
	counts, to, values *Node
}

// behind is the number of padding entries after the lists, which kernels may read and write.
const behind = 16

// newKernel arranges rows; it returns nil if the backend has no kernels.
func newKernel(s sparse, symmetric bool, rows []*Node) *kernel {
	k := &kernel{sparse: s, symmetric: symmetric, rows: rows}
	if !xla.HasKernels(rows[0]) {
		return nil
	}
	prepared := k.call(k.name("arrange"), func(s sparse, rows []*Node) []*Node {
		return s.arrangedPlain(symmetric, rows)
	}, rows...)
	k.counts, k.to, k.values = prepared[0], prepared[1], prepared[2]
	return k
}

// first returns the kernel for A alone, with the lists of A and A'.
func (k *kernel) first() *kernel {
	first := *k
	first.rows = k.rows[:1]
	return &first
}

// name appends the number of matrices and their symmetry to the name of a kernel.
func (k *kernel) name(what string) string {
	name := "pengcde_" + what + "_one"
	if len(k.rows) == 2 {
		name = "pengcde_" + what + "_two"
	}
	if k.symmetric {
		return name + "_undirected"
	}
	return name + "_directed"
}

// call calls a kernel, whose last inputs are the tables of neighbours. plain receives them as the tables of s.
func (k *kernel) call(name string, plain func(s sparse, in []*Node) []*Node, in ...*Node) []*Node {
	count := len(in)
	return xla.Call(name, func(in []*Node) []*Node {
		return plain(sparse{neighbours: in[count:]}, in[:count])
	}, append(slices.Clone(in), k.neighbours...)...)
}

// multiply returns the product of the mixed matrix with z [batch, n, d].
func (k *kernel) multiply(c coefficients, z *Node) *Node {
	product := func(c, z *Node) []*Node {
		return k.call("pengcde_product", productPlain, c, k.counts, k.to, k.values, k.nodeAt, k.placeOf, z)
	}
	forward := func(in []*Node) []*Node { return product(in[0], in[len(in)-1]) }
	pull := func(in, cotangents []*Node) []*Node {
		c, z, v := in[0], in[len(in)-1], cotangents[0]
		of := k.call("pengcde_weights", weightsPlain, c, k.counts, k.to, k.values, k.nodeAt, k.placeOf, z, v)
		rows := k.call(k.name("entries"), func(s sparse, in []*Node) []*Node {
			return s.rowsPlain(k.symmetric, len(k.rows), k.rows[0].Shape().Dim(1), in)
		}, c, k.nodeAt, k.placeOf, z, v)
		return append(append(of, rows...), product(k.transposed(c), v)...)
	}
	inputs := append([]*Node{k.weights(c, z.DType())}, k.rows...)
	return xla.WithPullback(forward, pull, append(inputs, z)...)[0]
}

// weights returns the coefficients [S, m] of all lists in the rows.
func (k *kernel) weights(c coefficients, dtype dtypes.DType) *Node {
	switch {
	case c.node == nil && k.symmetric:
		return ConstAsDType(k.nodeAt.Graph(), dtype, [][]float64{{1}})
	case c.node == nil:
		return ConstAsDType(k.nodeAt.Graph(), dtype, [][]float64{{1, 0}})
	}
	return c.seeds.Axis(c.node)
}

// transposed returns the coefficients of the transposed matrix.
func (k *kernel) transposed(c *Node) *Node {
	if k.symmetric {
		return c
	}
	half := c.Shape().Dim(1) / 2
	return Concatenate([]*Node{Slice(c, AxisRange(), AxisRange(half)), Slice(c, AxisRange(), AxisRange(0, half))}, 1)
}
