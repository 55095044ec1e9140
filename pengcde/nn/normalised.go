package nn

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla"
)

// Normalised applies the linear map to the normalised x [batch, n, In], after the activation if one is given:
// l.Apply(v, r.Apply(v, before.Apply(x))). On a CPU it takes one pass, except for the activation [HyperbolicTangent].
func Normalised(v Values, before *Activation, r RMSNorm, l Linear, x *Node) *Node {
	k := normalised{norm: r.Norm.Resolved(), before: before}
	if x.Rank() == 3 && r.Over == GraphNorm && xla.ForGPU(x) {
		if before != nil {
			x = before.Apply(x)
		}
		return r.scaled(v, l, x)
	}
	if before != nil && (*before == HyperbolicTangent || x.Rank() != 3 || !xla.HasKernels(x)) {
		x, k.before = before.Apply(x), nil
	}
	if x.Rank() != 3 || !xla.HasKernels(x) {
		return l.Apply(v, r.Apply(v, x))
	}
	return xla.WithPullback(k.apply, k.pull, k.inputs(v, r, l, x)...)[0]
}

// scaled returns l.Apply(v, r.Apply(v, x)) for a norm over the graph, by one product with x itself: gain and shift go
// into weight and bias, and each sample's factor multiplies the product. It saves a GPU a launch.
func (r RMSNorm) scaled(v Values, l Linear, x *Node) *Node {
	gain, shift := v.Axis(v.Get(r.Name+".weight")), v.Axis(v.Get(r.Name+".bias"))  // [S, In]
	weight, bias := v.Axis(v.Get(l.Name+".weight")), v.Axis(v.Get(l.Name+".bias")) // [S, Out, In] and [S, Out]
	moved := Add(bias, ReduceSum(Mul(weight, ExpandAxes(shift, 1)), -1))
	weight = Mul(weight, ExpandAxes(gain, 1))
	if v.Seeds == 0 {
		moved, weight = Squeeze(moved, 0), Squeeze(weight, 0)
	}
	return Add(Mul(v.Product(x, weight, 1), r.inverse(x)), v.Spread(moved, x))
}

// normalised is a kernel: the linear map of the norm of an activation. Its inputs are x, gain and shift (unless there
// is no norm), weight and bias. Calls with a norm append epsilon. Parameters have a leading axis of seeds.
type normalised struct {
	norm   Norm
	before *Activation
}

// inputs returns the inputs of the kernel.
func (k normalised) inputs(v Values, r RMSNorm, l Linear, x *Node) []*Node {
	param := func(name string) *Node { return v.Axis(v.Get(name)) }
	inputs := []*Node{x}
	if r.Over != NoNorm {
		inputs = append(inputs, param(r.Name+".weight"), param(r.Name+".bias"))
	}
	return append(inputs, param(l.Name+".weight"), param(l.Name+".bias"))
}

// name returns the name of the kernel in package kernels.
func (k normalised) name() string {
	name := "pengcde_linear"
	if k.norm.Over == GraphNorm || k.norm.Over == NoNorm {
		name += "_" + string(k.norm.Over)
	}
	if k.before != nil {
		name += "_" + string(k.before.Resolved())
	}
	return name
}

func (k normalised) apply(in []*Node) []*Node {
	plain := func(in []*Node) []*Node { return []*Node{k.prepare(in).mapped()} }
	return xla.Call(k.name(), plain, k.withEpsilon(in)...)
}

func (k normalised) pull(in, cotangent []*Node) []*Node {
	plain := func(in []*Node) []*Node {
		last := len(in) - 1
		return k.prepare(in[:last]).pullback(in[last])
	}
	return xla.Call(k.name()+"_pullback", plain, append(k.withEpsilon(in), cotangent...)...)
}

func (k normalised) withEpsilon(in []*Node) []*Node {
	if k.norm.Over == NoNorm {
		return in
	}
	return append(in[:len(in):len(in)], ConstAs(in[0], []float64{k.norm.epsilon()}))
}

// normal holds the intermediate values of x before the linear map.
type normal struct {
	normalised
	seeds             Seeds
	x, weight, bias   *Node
	activated, slopes *Node // a(x) and a'(x); nil without an activation
	gain, roots, rows *Node // roots, and a(x) divided by them; nil without a norm
	hats              *Node // the input of the linear map
}

func (k normalised) prepare(in []*Node) (n normal) {
	n.normalised, n.x, n.seeds = k, in[0], Seeds(in[1].Shape().Dim(0))
	n.activated = n.x
	if k.before != nil {
		n.activated, n.slopes = k.before.withSlopes(n.x)
	}
	n.hats, n.weight, n.bias = n.activated, in[1], in[2]
	if k.norm.Over != NoNorm {
		n.weight, n.bias, n.gain = in[3], in[4], in[1]
		n.roots = Sqrt(Add(n.mean(Mul(n.activated, n.activated)), ExpandAxes(in[5], 0, 1)))
		n.rows = Div(n.activated, n.roots)
		n.hats = Add(Mul(n.rows, n.seeds.Spread(n.gain, n.x)), n.seeds.Spread(in[2], n.x))
	}
	return n
}

// mean returns the mean over the entries of x that share a root; the reduced axes are kept with one entry.
func (n normal) mean(x *Node) *Node {
	if n.norm.Over == GraphNorm {
		return ReduceAndKeep(x, ReduceMean, 1, 2)
	}
	return ReduceAndKeep(x, ReduceMean, 2)
}

func (n normal) mapped() *Node {
	y := n.seeds.Product(n.hats, n.weight, 1)
	return Add(y, n.seeds.Spread(n.bias, y))
}

// pullback returns the cotangents of the inputs for v, the cotangent of the output.
func (n normal) pullback(v *Node) []*Node {
	bySeed := func(x *Node) *Node { return Reshape(x, int(n.seeds), -1, x.Shape().Dim(-1)) } // [S, rows, ...]
	over := func(a, b *Node) *Node { return DotGeneral(a, []int{1}, []int{0}, b, []int{1}, []int{0}) }
	ones := Ones(v.Graph(), shapes.Make(v.DType(), int(n.seeds), bySeed(v).Shape().Dim(1)))
	of := n.seeds.Product(v, n.weight, 0)
	var ofNorm []*Node
	if n.norm.Over != NoNorm {
		ofNorm = []*Node{over(ones, bySeed(Mul(of, n.rows))), over(ones, bySeed(of))}
		rows := Mul(of, n.seeds.Spread(n.gain, of))
		of = Div(Sub(rows, Mul(n.rows, n.mean(Mul(rows, n.rows)))), n.roots)
	}
	if n.slopes != nil {
		of = Mul(of, n.slopes)
	}
	all := append([]*Node{of}, ofNorm...)
	return append(all, over(bySeed(v), bySeed(n.hats)), over(ones, bySeed(v)))
}
