package nn

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// Seeds is the number S of models whose parameters are bound at once, each parameter with a leading axis: [S, dims...]
// instead of [dims...]. They act on a batch of S·B samples: sample s·B+b belongs to seed s. 0 means one model, without
// that axis.
type Seeds int

// Dims returns the dimensions of a parameter with the given declared dimensions.
func (s Seeds) Dims(declared ...int) []int {
	if s == 0 {
		return declared
	}
	return append([]int{int(s)}, declared...)
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
