package xla

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// KernelsEnv is the environment variable that controls kernels. "off" computes everything by XLA's own operations,
// without the kernels of package [github.com/peng-cde/pengcde-go/xla/kernels]. "gpu" does so too, and builds the same
// programs on a CPU as for a GPU, see [ForGPU]. The other values are for tests: "plain" builds programs for kernels but
// runs the plain operations that stand for them; "avx2" makes kernels do without AVX-512, and "baseline" without AVX2
// too; "refused" makes the plugin refuse kernels.
const KernelsEnv = "PENGCDE_KERNELS"

// calling holds the GoMLX backends whose programs may call kernels, forGPU the ones whose programs are built for a GPU.
var calling, forGPU sync.Map

// HasKernels reports whether a program built for the backend of x may call kernels with numbers of its type.
func HasKernels(x *graph.Node) bool {
	_, ok := calling.Load(x.Graph().Backend())
	return ok && (x.DType() == dtypes.Float32 || x.DType() == dtypes.Float64)
}

// ForGPU reports whether a program for the backend of x should have few operations left after fusion, as each is a
// launch on a GPU. It is true for XLA on other devices than the CPU, and on the CPU if [KernelsEnv] is "gpu".
func ForGPU(x *graph.Node) bool {
	_, ok := forGPU.Load(x.Graph().Backend())
	return ok
}

// Call returns the outputs of a kernel for its inputs. The backend must have kernels, see [HasKernels]. plain computes
// the same by XLA's own operations. It defines the outputs, and runs if the plugin does not know the kernel or no
// kernel has this name. There is no gradient; see [WithPullback].
//
// A kernel checks the number, types and dimensions of its inputs and outputs. If they differ from its signature,
// [Program.Call] returns an error that gives both. It does not check the contents of tensors: node numbers beyond the
// states make it read out of bounds.
//
// GoMLX 0.28 has no operation for a foreign function. The graph therefore calls a function whose name contains the name
// of the kernel. It takes the inputs and the outputs of plain, and returns the latter. In the text for XLA's compiler
// the call is replaced by a call of the kernel, which takes the inputs alone, so XLA removes the plain operations.
func Call(name string, plain func(inputs []*graph.Node) []*graph.Node, inputs ...*graph.Node) []*graph.Node {
	if len(inputs) == 0 {
		panic(fmt.Errorf("xla: Call of %q without inputs, want at least one", name))
	}
	g := inputs[0].Graph()
	unique := fmt.Sprintf("%s%s_%d", calledBy, name, graph.Identity(inputs[0]).Id())
	operands := append(slices.Clone(inputs), plain(inputs)...)
	function := graph.NewFunction(g, unique, func(g *graph.Graph) []*graph.Node {
		parameters := make([]*graph.Node, len(operands))
		for i, operand := range operands {
			parameters[i] = graph.Parameter(g, fmt.Sprintf("in%d", i), operand.Shape())
		}
		return parameters[len(inputs):]
	})
	return function.Call(operands...)
}

// WithPullback returns the outputs f(inputs), with the cotangents of the inputs that pull computes from the inputs and
// the cotangents v of the outputs. All have one float type. Other nodes that f uses are constants for the gradient.
// GoMLX 0.28 supports a custom gradient only for the identity of one node, so this node holds all inputs and outputs,
// concatenated. XLA reads the parts in place, without a copy.
func WithPullback(f func(inputs []*graph.Node) []*graph.Node, pull func(inputs, v []*graph.Node) []*graph.Node,
	inputs ...*graph.Node) []*graph.Node {
	outputs := f(inputs)
	var all []*graph.Node
	for _, output := range outputs {
		all = append(all, graph.StopGradient(output))
	}
	all = append(all, inputs...)
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
		of := parts(v)[:len(outputs)]
		var cotangents []*graph.Node
		for _, output := range of {
			cotangents = append(cotangents, graph.ZerosLike(output))
		}
		return joined(append(cotangents, pull(parts(x)[len(outputs):], of)...))
	})
	return parts(carrier)[:len(outputs)]
}

// calledBy is the prefix of the names of the functions of [Call], followed by the kernel's name. No other function has
// it.
const calledBy = "xla_call_of_"

// callOf matches a call of such a function in the text of a program, bodyOf one of these functions, and tensorOf the
// type of a tensor with its dimensions, each with an x after it.
var (
	callOf = regexp.MustCompile(`"func\.call"(\([^)]*\)) \{ callee = @` + calledBy +
		`([A-Za-z0-9_]+)_[0-9]+ \} : \((.*)\) -> (.*)`)
	bodyOf = regexp.MustCompile(`(?s)  func\.func @` + calledBy + `([A-Za-z0-9_]+)_[0-9]+\(.*?\n  \}\n`)

	tensorOf = regexp.MustCompile(`tensor<((?:[0-9?]+x)*)`)
)

// withKernels returns the text of a program in which kernels that the plugin knows are called, on tensors in row-major
// order. It returns the text unchanged if the program calls none.
func withKernels(program []byte, known map[string]unsafe.Pointer) []byte {
	replaced := make(map[string]bool)
	with := callOf.ReplaceAllFunc(program, func(call []byte) []byte {
		part := callOf.FindSubmatch(call)
		outputs := rowMajor(part[4])
		if len(rowMajor(part[3])) < len(outputs) {
			return call // a function of another with such a name
		}
		values, types := first(part[1][1:len(part[1])-1], len(outputs)), first(part[3], len(outputs))
		inputs := rowMajor(types)
		name := string(part[2])
		if known[name] == nil {
			return call
		}
		replaced[name] = true
		return fmt.Appendf(nil, `"stablehlo.custom_call"(%s) { call_target_name = "%s", api_version = 4 : i32, `+
			`operand_layouts = [%s], result_layouts = [%s] } : (%s) -> %s`, values, name, strings.Join(inputs, ", "),
			strings.Join(outputs, ", "), types, part[4])
	})
	if len(replaced) == 0 {
		return program
	}
	return bodyOf.ReplaceAllFunc(with, func(body []byte) []byte {
		if !replaced[string(bodyOf.FindSubmatch(body)[1])] {
			return body
		}
		return nil
	})
}

// first returns a list without its last entries.
func first(list []byte, without int) []byte {
	entries := bytes.Split(list, []byte(", "))
	return bytes.Join(entries[:len(entries)-without], []byte(", "))
}

// rowMajor returns the layouts of tensors of these types.
func rowMajor(types []byte) (layouts []string) {
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
	return layouts
}
