package nn

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// Parameters of several seeds may be bound at once, each with a leading axis: [S, dims...] in place of [dims...]. The batch
// that they act on is then made of S parts in order: of S·B samples, sample s·B+b belongs to seed s.

// Seeds is the S of a parameter that was declared with so many axes, and 0 without a leading one.
func Seeds(param *Node, declared int) int {
	if param.Rank() == declared {
		return 0
	}
	return param.Shape().Dim(0)
}

// BySeed splits the batch axis: x [S·B, ...] to [S, B, ...].
func BySeed(x *Node, seeds int) *Node {
	dims := x.Shape().Dimensions
	if len(dims) == 0 || dims[0]%seeds != 0 {
		panic(fmt.Errorf("nn: %s for parameters of %d seeds, want a batch with equally many samples for each", x.Shape(), seeds))
	}
	return Reshape(x, append([]int{seeds, dims[0] / seeds}, dims[1:]...)...)
}

// Product sums x [batch, ..., k] times a matrix over the last axis of x and the given axis of the matrix, [m, k] or [k, m]:
// [batch, ..., m]. The rows of a seed go through one product with its own matrix.
func Product(x, matrix *Node, axis int) *Node {
	last := x.Rank() - 1
	seeds := Seeds(matrix, 2)
	if seeds == 0 {
		return DotGeneral(x, []int{last}, nil, matrix, []int{axis}, nil)
	}
	dims := slices.Clone(x.Shape().Dimensions)
	rows := Reshape(BySeed(x, seeds), seeds, -1, dims[last])
	y := DotGeneral(rows, []int{2}, []int{0}, matrix, []int{1 + axis}, []int{0}) // [S, rows, m]
	dims[last] = y.Shape().Dim(-1)
	return Reshape(y, dims...)
}

// Spread gives a vector the rank of x [batch, ..., d], for broadcasting over all but the last axis.
func Spread(vector, x *Node) *Node {
	seeds := Seeds(vector, 1)
	if seeds == 0 {
		return ExpandLeftToRank(vector, x.Rank())
	}
	part := BySeed(x, seeds).Shape().Dim(1)
	dims := slices.Repeat([]int{1}, x.Rank())
	dims[0], dims[len(dims)-1] = seeds*part, vector.Shape().Dim(1)
	return Reshape(BroadcastToDims(ExpandAxes(vector, 1), seeds, part, dims[len(dims)-1]), dims...)
}

// Alone panics where a parameter of the given ones has a leading axis of seeds, for parts that take none.
func Alone(v Values, part string, params ...Param) {
	for _, p := range params {
		if seeds := Seeds(v.Get(p.Name), len(p.Dims)); seeds > 0 {
			panic(fmt.Errorf("nn: %s take the parameters of one seed at a time, and %q has %d: bind each seed's in a program of its own",
				part, p.Name, seeds))
		}
	}
}
