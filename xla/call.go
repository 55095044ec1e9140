package xla

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// KernelsEnv, set to "off", has everything computed by XLA's own operations, and nothing by the kernels of package
// [github.com/peng-cde/pengcde-go/xla/kernels]. Set to "plain", for tests, it has programs built for kernels, and what
// stands for these in plain operations run; set to "refused", for tests too, it has the plugin refuse them.
const KernelsEnv = "PENGCDE_KERNELS"

// calling are the backends, as GoMLX has them, whose programs may call kernels.
var calling sync.Map

// HasKernels says whether a program that is built for the backend of x may call kernels for numbers of its type.
func HasKernels(x *graph.Node) bool {
	_, ok := calling.Load(x.Graph().Backend())
	return ok && (x.DType() == dtypes.Float32 || x.DType() == dtypes.Float64)
}

// Call is what a kernel, which the backend has by [HasKernels], computes of its inputs. Plain computes the same by
// XLA's own operations: it says what the outputs are, and is what runs where the plugin does not know the kernel or
// nobody has one of that name. There is no gradient, but see [WithPullback].
//
// A kernel compares the number, the types and the dimensions of inputs and outputs with what it wants, and gives an
// error that says both where they differ, which [Program.Call] returns. It does not look at what tensors hold: numbers
// of nodes beyond the states have it read beyond them.
//
// GoMLX 0.28 has no operation for a foreign function. So the graph calls a function of its own, of plain operations and
// with the kernel's name in its own, and the text that is handed to XLA's compiler has that call replaced. In such a
// function GoMLX can neither reduce, nor share the scalars of the rest of the graph: plain uses products and constants
// with axes.
func Call(name string, plain func(inputs []*graph.Node) []*graph.Node, inputs ...*graph.Node) []*graph.Node {
	if len(inputs) == 0 {
		panic(fmt.Errorf("xla: Call of %q without inputs, want at least one", name))
	}
	g := inputs[0].Graph()
	unique := fmt.Sprintf("%s%s_%d", calledBy, name, graph.Identity(inputs[0]).Id())
	function := graph.NewFunction(g, unique, func(g *graph.Graph) []*graph.Node {
		parameters := make([]*graph.Node, len(inputs))
		for i, input := range inputs {
			parameters[i] = graph.Parameter(g, fmt.Sprintf("in%d", i), input.Shape())
		}
		return plain(parameters)
	})
	return function.Call(inputs...)
}

// WithPullback returns f(inputs), with the cotangents that pull makes of the inputs and of the output's cotangent. All
// are of one float type. GoMLX 0.28 takes a custom gradient for the identity of one node; so that node has all inputs,
// and the output, one behind the other. XLA takes wanted parts from where they are in it, without a copy.
func WithPullback(f func(inputs []*graph.Node) *graph.Node,
	pull func(inputs []*graph.Node, v *graph.Node) []*graph.Node, inputs ...*graph.Node) *graph.Node {
	all := append([]*graph.Node{graph.StopGradient(f(inputs))}, inputs...)
	joined := func(parts []*graph.Node) *graph.Node {
		flat := make([]*graph.Node, len(parts))
		for i, part := range parts {
			flat[i] = graph.Reshape(part, -1)
		}
		return graph.Concatenate(flat, 0)
	}
	parts := func(x *graph.Node) []*graph.Node {
		cut, at := make([]*graph.Node, len(all)), 0
		for i, part := range all {
			size := part.Shape().Size()
			cut[i] = graph.Reshape(graph.Slice(x, graph.AxisRange(at, at+size)), part.Shape().Dimensions...)
			at += size
		}
		return cut
	}
	carrier := graph.IdentityWithCustomGradient(joined(all), func(x, v *graph.Node) *graph.Node {
		output := parts(v)[0]
		return joined(append([]*graph.Node{graph.ZerosLike(output)}, pull(parts(x)[1:], output)...))
	})
	return parts(carrier)[0]
}

// calledBy begins the names of the functions of [Call], before the kernel's name, and no other function's name.
const calledBy = "xla_call_of_"

// callOf is a call of such a function in the text of a program, bodyOf one of them, tensorOf the type of a tensor with
// its dimensions, each with an x behind it.
var (
	callOf = regexp.MustCompile(`"func\.call"(\([^)]*\)) \{ callee = @` + calledBy +
		`([A-Za-z0-9_]+)_[0-9]+ \} : \((.*)\) -> (.*)`)
	bodyOf = regexp.MustCompile(`(?s)  func\.func @` + calledBy + `([A-Za-z0-9_]+)_[0-9]+\(.*?\n  \}\n`)

	tensorOf = regexp.MustCompile(`tensor<((?:[0-9?]+x)*)`)
)

// withKernels is the text of a program with the kernels of these names called, on tensors in row-major order; the text
// itself where it calls none of them.
func withKernels(program []byte, known map[string]unsafe.Pointer) []byte {
	changed := false
	with := callOf.ReplaceAllFunc(program, func(call []byte) []byte {
		part := callOf.FindSubmatch(call)
		if known[string(part[2])] == nil {
			return call
		}
		changed = true
		return fmt.Appendf(nil, `"stablehlo.custom_call"%s { call_target_name = "%s", api_version = 4 : i32, `+
			`operand_layouts = [%s], result_layouts = [%s] } : (%s) -> %s`,
			part[1], part[2], rowMajor(part[3]), rowMajor(part[4]), part[3], part[4])
	})
	if !changed {
		return program
	}
	return bodyOf.ReplaceAllFunc(with, func(body []byte) []byte {
		if known[string(bodyOf.FindSubmatch(body)[1])] == nil {
			return body
		}
		return nil
	})
}

// rowMajor are the layouts of tensors of these types.
func rowMajor(types []byte) string {
	var layouts []string
	for _, tensor := range tensorOf.FindAllSubmatch(types, -1) {
		rank := bytes.Count(tensor[1], []byte("x"))
		axes := make([]string, rank)
		for i := range axes {
			axes[i] = strconv.Itoa(rank - 1 - i)
		}
		list := strings.Join(axes, ", ")
		if rank > 0 {
			list = "[" + list + "]"
		}
		layouts = append(layouts, fmt.Sprintf("dense<%s> : tensor<%dxindex>", list, rank))
	}
	return strings.Join(layouts, ", ")
}
