package nn

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// Seeds is the number S of models whose parameters are bound at once, each parameter with a leading axis: [S, dims...]
// instead of [dims...]. They act on a batch of S·B samples: sample s·B+b belongs to seed s. 0 means one model, without
// that axis. Most layers leave the axis to the methods of Seeds. docs/performance.md says what training several seeds
// at once is for.
type Seeds int

// Dims returns the dimensions of a parameter with the given declared dimensions.
func (s Seeds) Dims(declared ...int) []int {
	if s == 0 {
		return declared
	}
	return append([]int{int(s)}, declared...)
}

// Axis returns a parameter with the axis of seeds, also for one model: [1, dims...].
func (s Seeds) Axis(param *Node) *Node {
	if s == 0 {
		return ExpandAxes(param, 0)
	}
	return param
}

// Bind returns the values of declared parameters from nodes in the same order. The nodes have the declared shapes with
// the axis of seeds.
func (s Seeds) Bind(params []Param, nodes []*Node) Values {
	if len(nodes) < len(params) {
		panic(fmt.Errorf("nn: %d parameters, %d nodes", len(params), len(nodes)))
	}
	v := Values{Seeds: s, nodes: make(map[string]*Node, len(params))}
	for i, p := range params {
		nodes[i].AssertDims(s.Dims(p.Dims...)...)
		v.nodes[p.Name] = nodes[i]
	}
	return v
}

// Bind is [Seeds.Bind] for one model.
func Bind(params []Param, nodes []*Node) Values { return Seeds(0).Bind(params, nodes) }

// Values holds the parameters by name while a graph is built.
type Values struct {
	Seeds
	nodes map[string]*Node
}

// Get returns the node of a name; it panics if the name was not declared.
func (v Values) Get(name string) *Node {
	node, ok := v.nodes[name]
	if !ok {
		panic(fmt.Errorf("nn: parameter %q is not bound", name))
	}
	return node
}

// Split reshapes the batch axis: x [S·B, ...] to [S, B, ...].
func (s Seeds) Split(x *Node) *Node {
	dims := x.Shape().Dimensions
	if len(dims) == 0 || dims[0]%int(s) != 0 {
		panic(fmt.Errorf("nn: %s for parameters of %d seeds, want a batch with equally many samples for each", x.Shape(), s))
	}
	return Reshape(x, append([]int{int(s), dims[0] / int(s)}, dims[1:]...)...)
}

// Product multiplies x [batch, ..., k] by a matrix, contracting the last axis of x and the given axis of the matrix,
// [m, k] or [k, m]: [batch, ..., m]. The rows of each seed are multiplied by the matrix of that seed.
func (s Seeds) Product(x, matrix *Node, axis int) *Node {
	last := x.Rank() - 1
	if s == 0 {
		return DotGeneral(x, []int{last}, nil, matrix, []int{axis}, nil)
	}
	dims := slices.Clone(x.Shape().Dimensions)
	rows := Reshape(s.Split(x), int(s), -1, dims[last])
	y := DotGeneral(rows, []int{2}, []int{0}, matrix, []int{1 + axis}, []int{0}) // [S, rows, m]
	dims[last] = y.Shape().Dim(-1)
	return Reshape(y, dims...)
}

// Mix multiplies the second axis of x [batch, n, d] by a matrix [m, n]: [batch, m, d].
func (s Seeds) Mix(matrix, x *Node) *Node {
	if s == 0 {
		return TransposeAllDims(DotGeneral(matrix, []int{1}, nil, x, []int{1}, nil), 1, 0, 2)
	}
	y := DotGeneral(matrix, []int{2}, []int{0}, s.Split(x), []int{2}, []int{0}) // [S, m, B, d]
	return Reshape(TransposeAllDims(y, 0, 2, 1, 3), x.Shape().Dim(0), -1, x.Shape().Dim(2))
}

// Blend sums the rows of x [batch, k, m] with weights [..., k]: [..., batch, m], or [S, ..., B, m] for several seeds.
func (s Seeds) Blend(weights, x *Node) *Node {
	last := []int{weights.Rank() - 1}
	if s == 0 {
		return DotGeneral(weights, last, nil, x, []int{1}, nil)
	}
	return DotGeneral(weights, last, []int{0}, s.Split(x), []int{2}, []int{0})
}

// Sum returns the sum of all entries of x [batch, m] as a scalar, or [S] for several seeds.
func (s Seeds) Sum(x *Node) *Node {
	if s == 0 {
		return ReduceAllSum(x)
	}
	return ReduceSum(s.Split(x), 1, 2)
}

// Spread reshapes a parameter [dims...] to the rank of x [batch, ..., dims...], so that it broadcasts over the leading
// axes of x.
func (s Seeds) Spread(param, x *Node) *Node {
	if s == 0 {
		return ExpandLeftToRank(param, x.Rank())
	}
	part, own := s.Split(x).Shape().Dim(1), param.Shape().Dimensions[1:]
	dims := append(slices.Repeat([]int{1}, x.Rank()-len(own)), own...)
	dims[0] = int(s) * part
	return Reshape(BroadcastToDims(ExpandAxes(param, 1), append([]int{int(s), part}, own...)...), dims...)
}
