package equivariant

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
	"github.com/peng-cde/pengcde-go/xla/kernels"
)

// onGPU multiplies by the message matrix of maps of one or two sparse matrices by a kernel for GPUs: the lists of
// neighbours, the low-rank part and the diagonal in one launch. Launches are what small graphs cost; for larger ones
// XLA's operations are used.
type onGPU struct {
	sparse
	form Form
	rows []*Node // of A, or of A and A', as in [Matrix]
	// identity adds the states: the product is (1 + M) Z.
	identity bool
}

// fits reports whether the kernel should multiply states of a width, like z but for that. An operator with other than
// sparse matrices does not fit.
func (k onGPU) fits(width int, z *Node) bool {
	tables := len(k.neighbours)
	return tables > 0 && tables <= kernels.MostTables && k.form.Nodes <= kernels.MostNodes &&
		width <= kernels.MostWidth && xla.HasGPUKernels(z)
}

// newOnGPU returns the multiplication for matrices of one form; it fits nothing if they are dense.
func newOnGPU(o operator, form Form, rows []*Node, identity bool) onGPU {
	lists, _ := o.(sparse)
	return onGPU{sparse: lists, form: form, rows: rows, identity: identity}
}

// alone is multiply for the message matrix A.
func (k onGPU) alone(z *Node) *Node {
	basis := make([][]float64, 2+4*(statistics+1))
	for i := range basis {
		basis[i] = []float64{0}
	}
	basis[0][0] = 1
	return k.multiply(ConstAs(z, [][]float64{{1}}), basis, make([]float64, len(basis)), z)
}

// multiply returns the product with z [batch, n, d] for weights [S, m] of the maps. The kernel takes the coefficients
// that they give by basis and offset of [Fusion.basis]: first of the lists, then the matrix puts of [addRanked].
func (k onGPU) multiply(weights *Node, basis [][]float64, offset []float64, z *Node) *Node {
	count := len(k.rows)
	split := func(in []*Node) (own onGPU, mixed, z *Node) {
		own = k
		own.rows = in[1 : 1+count]
		return own, coefficientsOf(in[0], basis, offset), in[1+count]
	}
	forward := func(in []*Node) []*Node {
		own, mixed, z := split(in)
		return own.call("pengcde_gpu_messages", func(own onGPU, mixed, z *Node, _ []*Node) []*Node {
			return []*Node{own.product(mixed, z, false)}
		}, mixed, z)
	}
	pull := func(in, v []*Node) []*Node {
		own, mixed, z := split(in)
		both := own.call("pengcde_gpu_messages_pullback", func(own onGPU, mixed, z *Node, v []*Node) []*Node {
			return []*Node{own.product(mixed, v[0], true), own.partial(mixed, z, v[0])}
		}, mixed, z, v[0])
		partial := Reshape(both[1], mixed.Shape().Dim(0), -1, mixed.Shape().Dim(1), 1) // [S, parts, coefficients, 1]
		ofWeights := ReduceSum(Mul(partial, ExpandAxes(ConstAs(z, basis), 0, 1)), 1, 2)
		return append(append([]*Node{ofWeights}, own.ofRows(mixed, z, v[0])...), both[0])
	}
	return xla.WithPullback(forward, pull, append(append([]*Node{weights}, k.rows...), z)...)[0]
}

// coefficientsOf returns basis · weights + offset for each seed. It multiplies and sums in one step: XLA makes one
// launch of it, and of a product with an addition two.
func coefficientsOf(weights *Node, basis [][]float64, offset []float64) *Node {
	all := make([][]float64, len(basis))
	for i := range all {
		all[i] = append(slices.Clone(basis[i]), offset[i])
	}
	one := ConstAs(weights, [][]float64{{1}})
	weights = Concatenate([]*Node{weights, BroadcastToDims(one, weights.Shape().Dim(0), 1)}, 1)
	return ReduceSum(Mul(ExpandAxes(weights, 1), ExpandAxes(ConstAs(weights, all), 0)), -1)
}

// call calls a kernel with inputs in the order of cuda_messages.h. plain gets them back.
func (k onGPU) call(name string, plain func(own onGPU, mixed, z *Node, others []*Node) []*Node, mixed, z *Node,
	others ...*Node) []*Node {
	dims := z.Shape().Dimensions
	flag := func(on bool) int32 {
		if on {
			return 1
		}
		return 0
	}
	sizes := []int32{int32(mixed.Shape().Dim(0)), int32(dims[0]), int32(dims[1]), int32(dims[2]),
		int32(k.rows[0].Shape().Dim(1)), int32(len(k.rows)), flag(k.form.Symmetric), flag(k.identity),
		int32(kernels.NodesOfBlock(dims[0], dims[1], dims[2]))}
	tables := slices.Clone(k.neighbours)
	for _, table := range tables {
		sizes = append(sizes, int32(table.Shape().Dim(1)), int32(table.Shape().Dim(2)))
	}
	for len(tables) < kernels.MostTables {
		tables = append(tables, tables[0]) // not read
	}
	rows := []*Node{k.rows[0], k.rows[len(k.rows)-1]}
	in := slices.Concat([]*Node{Const(z.Graph(), sizes), mixed}, rows, []*Node{k.placeOf}, tables, []*Node{z})
	last := len(in) - 1
	return xla.Call(name, func(in []*Node) []*Node {
		own := k
		own.rows, own.placeOf, own.neighbours = in[2:2+len(k.rows)], in[4], in[5:5+len(k.neighbours)]
		return plain(own, in[1], in[last], in[last+1:])
	}, append(in, others...)...)
}

// The following compute the same in plain operations.

// parts returns the coefficients of the lists, without their transposes if the matrices are symmetric, and puts.
func (k onGPU) parts(mixed *Node) (c coefficients, puts *Node) {
	seeds, m := mixed.Shape().Dim(0), len(k.rows)
	part := func(from, to int) *Node { return Slice(mixed, AxisRange(), AxisRange(from, to)) }
	c = coefficients{part(0, 2*m), nn.Seeds(seeds)}
	if k.form.Symmetric {
		c.node = Add(part(0, m), part(m, 2*m))
	}
	return c, Reshape(part(2*m, mixed.Shape().Dim(1)), seeds, -1, 4)
}

// nodes returns the sums, see [nodeSums].
func (k onGPU) nodes() *Node { return nodeSums(k.form.Symmetric, k.form.Nodes, k.rows) }

func (k onGPU) product(mixed, z *Node, transposed bool) *Node {
	c, puts := k.parts(mixed)
	lists := k.lists(k.form.Symmetric, k.rows)
	to, from := lists.to, lists.from
	if transposed {
		to, from, puts = from, to, transposedPuts(puts)
	}
	diagonal, sums := rankedPlain(c.seeds, k.nodes(), puts, z)
	y := Add(k.sparse.product(lists.mixed(c, to, from), z), Add(diagonal, sums))
	if k.identity {
		y = Add(y, z)
	}
	return y
}

// partial returns the cotangents of the coefficients in parts to be summed, [batch, blocks, coefficients]. The kernel
// has a part for each block; here the first has all.
func (k onGPU) partial(mixed, z, v *Node) *Node {
	c, puts := k.parts(mixed)
	dims, lists := z.Shape().Dimensions, k.lists(k.form.Symmetric, k.rows)
	var all []*Node
	for _, side := range [][][]*Node{lists.to, lists.from} {
		for j := range k.rows {
			entries := make([]*Node, len(side))
			for i, table := range side {
				entries[i] = table[j]
			}
			dots := DotGeneral(v, []int{1, 2}, []int{0}, k.sparse.product(entries, z), []int{1, 2}, []int{0})
			all = append(all, Reshape(dots, dims[0], 1))
		}
	}
	nodes := k.nodes()
	ofPuts := DotGeneral(nodes, []int{1}, []int{0}, rankedCotangents(c.seeds, []*Node{nodes, puts, z, v}), []int{1},
		[]int{0})
	first := ExpandAxes(Concatenate(append(all, Reshape(ofPuts, dims[0], -1)), 1), 1)
	each := kernels.NodesOfBlock(dims[0], dims[1], dims[2])
	blocks := (dims[1] + each - 1) / each
	if blocks == 1 {
		return first
	}
	zeros := BroadcastToDims(ConstAs(z, [][][]float64{{{0}}}), dims[0], blocks-1, first.Shape().Dim(2))
	return Concatenate([]*Node{first, zeros}, 1)
}

// ofRows returns the cotangents of the rows. Only matrices that are learned need them.
func (k onGPU) ofRows(mixed, z, v *Node) []*Node {
	c, puts := k.parts(mixed)
	width := k.rows[0].Shape().Dim(1)
	all := k.rowsPlain(k.form.Symmetric, len(k.rows), width, []*Node{c.node, k.nodeAt, k.placeOf, z, v})
	nodes := rankedToNodes(c.seeds, []*Node{k.nodes(), puts, z, v}) // [batch, n, statistics·m + 1]
	for j := range all {
		of := func(i int) *Node { return Slice(nodes, AxisRange(), AxisRange(), AxisElem(j*statistics+i)) }
		each := make([]*Node, statistics)
		for i := range each {
			each[i] = Squeeze(of(i), -1)
		}
		sums := []*Node{each[rowSums], each[columnSums], each[diagonal]}
		if k.form.Symmetric {
			sums = []*Node{Add(sums[0], sums[1]), sums[2]}
		}
		for _, i := range []statistic{total, trace} {
			sums = append(sums, ReduceAndKeep(each[i], ReduceSum, 1))
		}
		entries := ZerosLike(Slice(all[j], AxisRange(), AxisRange(0, width-k.form.statistics())))
		all[j] = Add(all[j], Concatenate(append([]*Node{entries}, sums...), 1))
	}
	return all
}
