package nn

import (
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla"
	"github.com/peng-cde/pengcde-go/xla/kernels"
)

// mostWorkGPU and mostRowsGPU bound the multiply-adds of a sample and the rows of a seed up to which a kernel for GPUs
// replaces XLA's operations. Each block of its pullback computes the former for the norm, or goes over the latter for
// some parameters. Kernels save launches, which set the time of small graphs.
const mostWorkGPU, mostRowsGPU = 1 << 21, 1 << 14

// onGPU is a normalised as a kernel for GPUs, with the same inputs and outputs.
type onGPU struct{ normalised }

// fits reports whether the kernel should map x by l, for a number of seeds.
func (k onGPU) fits(seeds int, l Linear, x *Node) bool {
	if !xla.HasGPUKernels(x) || x.Rank() != 3 || k.before != nil && *k.before == HyperbolicTangent {
		return false
	}
	dims := x.Shape().Dimensions
	return l.In <= kernels.MostRowWidth && dims[1]*l.In*l.Out <= mostWorkGPU && dims[0]/seeds*dims[1] <= mostRowsGPU
}

// call calls the kernel with the inputs of a normalised, then others. plain takes the same inputs, with epsilon.
// Without a norm the kernel reads neither gain and shift nor epsilon.
func (k onGPU) call(name string, plain func(n normal, others []*Node) []*Node, in []*Node, others ...*Node) []*Node {
	all := slices.Clone(in)
	if k.norm.Over == NoNorm {
		all = slices.Insert(all, 1, in[1], in[1])
	}
	all = append(all, ConstAs(in[0], []float64{k.norm.epsilon()}))
	known := len(all) + 1
	x, weight := in[0].Shape().Dimensions, all[3].Shape().Dimensions
	sizes := []int32{int32(weight[0]), int32(x[0]), int32(x[1]), int32(x[2]), int32(weight[1]), k.kind(), k.activation(),
		int32(kernels.RowsOfBlock(x[0], x[1], x[2]))}
	all = append([]*Node{Const(in[0].Graph(), sizes)}, all...)
	return xla.Call(name, func(in []*Node) []*Node {
		own := in[1:known:known]
		if k.norm.Over == NoNorm {
			own = []*Node{own[0], own[3], own[4]}
		}
		return plain(k.prepare(own), in[known:])
	}, append(all, others...)...)
}

// kind and activation are the numbers in cuda_linear.h.
func (k onGPU) kind() int32 {
	switch k.norm.Over {
	case NoNorm:
		return 0
	case GraphNorm:
		return 2
	}
	return 1
}

func (k onGPU) activation() int32 {
	switch {
	case k.before == nil:
		return 0
	case *k.before == SiLU:
		return 2
	}
	return 1
}

func (k onGPU) apply(in []*Node) []*Node {
	return k.call("pengcde_gpu_linear", func(n normal, _ []*Node) []*Node { return []*Node{n.mapped()} }, in)
}

func (k onGPU) pull(in, cotangent []*Node) []*Node {
	all := k.call("pengcde_gpu_linear_pullback", func(n normal, v []*Node) []*Node {
		all := n.pullback(v[0])
		if k.norm.Over == NoNorm {
			none := Zeros(n.x.Graph(), shapes.Make(n.x.DType(), int(n.seeds), n.x.Shape().Dim(2)))
			all = slices.Insert(all, 1, none, none)
		}
		return all
	}, in, cotangent...)
	if k.norm.Over == NoNorm {
		all = slices.Delete(all, 1, 3)
	}
	return all
}
