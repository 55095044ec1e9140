package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// along is where A and A' of a path come from, for kernels that read the snapshots themselves.
type along struct {
	interval    path.Interval
	rows, index *Node
}

// Along returns the matrix and its derivative at a time of a path through the rows [batch, J, width] of
// [Product.Snapshots], with index [batch, T], see [path.Interval.Snapshots].
func (f Form) Along(i path.Interval, rows, index *Node, tables []*Node) (a, da *Matrix) {
	x, dx := i.Snapshots(rows, index)
	a, da = f.Matrix(x, tables), f.Matrix(dx, tables)
	if f.Sparse && i.HasKernel(rows) {
		a.along = &along{i, rows, index}
		da.derivativeOf = a.along
	}
	return a, da
}

// arrange returns the lists of a [kernel] for A and A', and the ends of their rows, which hold sums, without forming
// the rows.
func (p *along) arrange(k *kernel, statistics int) (lists, ends []*Node) {
	name := "pengcde_lists_directed"
	if k.symmetric {
		name = "pengcde_lists_undirected"
	}
	lists = p.interval.Call(name, func(x, dx *Node, tables []*Node) []*Node {
		return sparse{neighbours: tables}.arrangedPlain(k.symmetric, []*Node{x, dx})
	}, p.rows, p.index, k.neighbours...)
	a, da := p.interval.Ends(p.rows, p.index, statistics)
	return lists, []*Node{a, da}
}
