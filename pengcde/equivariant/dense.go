package equivariant

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// dense spreads edges over matrices: table [batch, n, n] int32 names each entry's edge.
type dense struct{ table *Node }

func denseTable(patterns []*dyngraph.Pattern, edges int) []*tensors.Tensor {
	n := patterns[0].Nodes
	table := make([]int32, len(patterns)*n*n)
	for b, p := range patterns {
		base, own := int32(b*(edges+1)), table[b*n*n:(b+1)*n*n]
		for i := range own {
			own[i] = base + int32(edges)
		}
		for e := range p.From {
			own[int(p.From[e])*n+int(p.To[e])] = base + int32(e)
		}
	}
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(table, len(patterns), n, n)}
}

func (d dense) Arrange(a, da *Node) Arranged {
	return Arranged{pick(padded(a), d.table), pick(padded(da), d.table)}
}

func (d dense) Multiply(m Arranged, c, z *Node) *Node {
	mix := func(first, second int) *Node {
		return Add(Mul(scalar(c, first, 3), m[0]), Mul(scalar(c, second, 3), m[1]))
	}
	matrix := Add(mix(0, 1), TransposeAllDims(mix(2, 3), 0, 2, 1))
	return DotGeneral(matrix, []int{2}, []int{0}, z, []int{1}, []int{0})
}
