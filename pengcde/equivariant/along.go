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

// kernel returns the [kernel] for A and A', whose rows are for gradients alone: lists and sums come from the snapshots.
func (p *along) kernel(s sparse, f Form, rows []*Node) *kernel {
	name := "pengcde_lists_directed"
	if f.Symmetric {
		name = "pengcde_lists_undirected"
	}
	lists := p.interval.Call(name, func(x, dx *Node, tables []*Node) []*Node {
		return sparse{neighbours: tables}.arrangedPlain(f.Symmetric, []*Node{x, dx})
	}, p.rows, p.index, s.neighbours...)
	a, da := p.interval.Ends(p.rows, p.index, f.statistics())
	return &kernel{sparse: s, symmetric: f.Symmetric, rows: rows, ends: []*Node{a, da}, counts: lists[0], to: lists[1],
		values: lists[2]}
}
