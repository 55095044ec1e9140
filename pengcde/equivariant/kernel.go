package equivariant

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla"
)

// kernel multiplies by a sparse matrix or a message matrix in C, in one pass over the lists of neighbours. XLA takes
// separate operations to mix the entries, gather states and multiply, for each bucket. Empty slots, and edges without
// a weight in any of its matrices, are removed once, for all layers and for the backward pass. Results equal the
// results of plain operations, up to rounding.
type kernel struct {
	sparse
	symmetric bool
	rows      []*Node // of A, or of A and A', as in [Matrix]
	ends      []*Node // the rows, or their ends, which hold the sums
	// The lists after removal: the number of neighbours of each slot [batch, n], these nodes [batch, capacity], and
	// their entries of all matrices [batch, entries, capacity]. For A alone they may also hold the entries of A'.
	counts, to, values *Node
}

// behind is the number of padding entries after the lists, which kernels may read and write.
const behind = 16

// newKernel arranges rows; it returns nil if the backend has no kernels.
func newKernel(s sparse, symmetric bool, rows []*Node) *kernel {
	k := &kernel{sparse: s, symmetric: symmetric, rows: rows, ends: rows}
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
	first.rows, first.ends = k.rows[:1], k.ends[:1]
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

// multiply returns the product of A with z [batch, n, d].
func (k *kernel) multiply(z *Node) *Node {
	one := [][]float64{{1, 0}} // the coefficients of A and A^T
	if k.symmetric {
		one = [][]float64{{1}}
	}
	c := ConstAs(z, one)
	product := func(c, z *Node) []*Node { return k.onLists("pengcde_product", productPlain, c, z) }
	forward := func(in []*Node) []*Node { return product(c, in[1]) }
	pull := func(in, v []*Node) []*Node {
		return append(k.rowCotangents(c, in[1], v[0]), product(k.transposed(c), v[0])...)
	}
	return xla.WithPullback(forward, pull, k.rows[0], z)[0]
}

// message returns the product of the mixed matrix and a low-rank part, see [addRanked], with z [batch, n, d]. Only the
// gradient of the sums uses nodes: the other kernels read the sums from the ends of the rows.
func (k *kernel) message(c coefficients, nodes, puts, z *Node) *Node {
	seeds, count, n := max(c.seeds, 1), len(k.rows), z.Shape().Dim(1)
	name := "pengcde_message_one"
	if count == 2 {
		name = "pengcde_message_two"
	}
	message := func(c, puts, z *Node) []*Node {
		return k.onLists(name, func(s sparse, in []*Node) []*Node {
			diagonal, sums := rankedPlain(seeds, nodeSums(k.symmetric, n, in[8:8+count]), in[7], in[6])
			return []*Node{Add(productPlain(s, in)[0], Add(diagonal, sums))}
		}, c, append([]*Node{z, puts}, k.ends...)...)
	}
	forward := func(in []*Node) []*Node { return message(in[0], in[1], in[len(in)-1]) }
	pull := func(in, cotangents []*Node) []*Node {
		c, puts, nodes, z, v := in[0], in[1], in[2], in[len(in)-1], cotangents[0]
		of := k.onLists(name+"_pullback", func(s sparse, in []*Node) []*Node {
			sums := nodeSums(k.symmetric, n, in[9:9+count])
			return append(weightsPlain(s, in), rankedToPuts(seeds, []*Node{sums, in[8], in[6], in[7]}))
		}, c, append([]*Node{z, v, puts}, k.ends...)...)
		all := append(append(of, toNodes(seeds, nodes, puts, z, v)), k.rowCotangents(c, z, v)...)
		return append(all, message(k.transposed(c), transposedPuts(puts), v)...)
	}
	inputs := append([]*Node{c.seeds.Axis(c.node), c.seeds.Axis(puts), nodes}, k.rows...)
	return xla.WithPullback(forward, pull, append(inputs, z)...)[0]
}

// onLists calls a kernel with coefficients c, the prepared lists and others.
func (k *kernel) onLists(name string, plain func(s sparse, in []*Node) []*Node, c *Node, others ...*Node) []*Node {
	return k.call(name, plain, append([]*Node{c, k.counts, k.to, k.values, k.nodeAt, k.slotOf}, others...)...)
}

// rowCotangents returns the cotangents of the rows, for the cotangent v of the product with z.
func (k *kernel) rowCotangents(c, z, v *Node) []*Node {
	return k.call(k.name("entries"), func(s sparse, in []*Node) []*Node {
		return s.rowsPlain(k.symmetric, len(k.rows), k.rows[0].Shape().Dim(1), in)
	}, c, k.nodeAt, k.slotOf, z, v)
}

// transposed returns the coefficients of the transposed matrix.
func (k *kernel) transposed(c *Node) *Node {
	if k.symmetric {
		return c
	}
	half := c.Shape().Dim(1) / 2
	return Concatenate([]*Node{Slice(c, AxisRange(), AxisRange(half)), Slice(c, AxisRange(), AxisRange(0, half))}, 1)
}
