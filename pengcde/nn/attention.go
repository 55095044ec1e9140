package nn

import . "github.com/gomlx/gomlx/core/graph"

// Attention computes weights of a items for each other from their features at b positions, c features each, x [batch,
// a, b, c]:
//
//	S = softmax_rows(V sigmoid(L R^T + B)),  L = (x w1) W2 [a, b],  R = x w3 [a, b]
//
// x w1 sums over positions and x w3 over features. With times as items and nodes as positions this is the temporal
// attention of ASTGCN; with the two exchanged it is the spatial attention: S. Guo, Y. Lin, N. Feng, C. Song, H. Wan,
// Attention Based Spatial-Temporal Graph Convolutional Networks for Traffic Flow Forecasting, AAAI 2019, equations 1 to
// 4.
type Attention struct {
	Name string
	// Items a, Positions b and Features c are the sizes.
	Items, Positions, Features int
	// Normal draws all parameters from the standard normal distribution, as the published code does, instead of
	// uniformly on ±1/sqrt(fan-in). The softmax of many items is then close to one-hot at the start.
	Normal bool
}

// Params declares Name.w1 [b], Name.w2 [c, b], Name.w3 [c], Name.bias and Name.v [a, a].
func (m Attention) Params() []Param {
	declare := func(name string, in int, dims ...int) Param {
		init := fanIn(in)
		if m.Normal {
			init = Normal(1)
		}
		return Param{Name: m.Name + "." + name, Dims: dims, Init: init}
	}
	return []Param{declare("w1", m.Positions, m.Positions), declare("w2", m.Features, m.Features, m.Positions),
		declare("w3", m.Features, m.Features), declare("bias", m.Positions, m.Items, m.Items),
		declare("v", m.Items, m.Items, m.Items)}
}

// Apply returns the transpose of S, [batch, a, a], whose columns sum to 1. S^T times the items, [batch, a, ...], gives
// the attended items of the published networks.
func (m Attention) Apply(v Values, x *Node) *Node {
	get := func(name string) *Node { return v.Get(m.Name + "." + name) }
	row := func(name string, size int) *Node { return Reshape(get(name), v.Dims(1, size)...) }
	left := v.Product(TransposeAllDims(x, 0, 1, 3, 2), row("w1", m.Positions), 1) // [batch, a, c, 1]
	left = v.Product(Squeeze(left, -1), get("w2"), 0)                             // [batch, a, b]
	right := Squeeze(v.Product(x, row("w3", m.Features), 1), -1)                  // [batch, a, b]

	product := DotGeneral(right, []int{2}, []int{0}, left, []int{2}, []int{0}) // R L^T
	bias := Transpose(get("bias"), -1, -2)
	score := v.Product(Sigmoid(Add(product, v.Spread(bias, product))), get("v"), 1) // [batch, a, a]
	return Softmax(score, 1)
}
