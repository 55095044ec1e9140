package xla

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// KernelsEnv, set to "off", has everything computed by XLA's own operations, and nothing by the kernels of package
// [github.com/peng-cde/pengcde-go/xla/kernels].
const KernelsEnv = "PENGCDE_KERNELS"

// kernels are those that the plugin whose compiler was intercepted knows.
var kernels atomic.Pointer[map[string]bool]

func kernelsWanted() bool { return os.Getenv(KernelsEnv) != "off" }

// HasKernel says whether a program that is built for a graph's backend may call a kernel.
func HasKernel(g *graph.Graph, name string) bool {
	known := kernels.Load()
	return known != nil && (*known)[name] && g.Backend().Capabilities().Functions
}

// Call is what a kernel computes of its inputs. Plain computes the same by XLA's own operations: it says what the
// outputs are, and is what a plugin that does not know the kernel runs. There is no gradient. A graph whose backend does
// not have the kernel, see [HasKernel], gets what plain builds.
//
// GoMLX 0.28 has no operation for a foreign function. So the graph calls a function of its own, of plain operations and
// with the kernel's name, and what is handed to XLA's compiler has that call replaced.
func Call(name string, plain func(inputs []*graph.Node) []*graph.Node, inputs ...*graph.Node) []*graph.Node {
	g := inputs[0].Graph()
	if !HasKernel(g, name) {
		return plain(inputs)
	}
	unique := fmt.Sprintf("%s_%d", name, graph.Identity(inputs[0]).Id())
	function := graph.NewFunction(g, unique, func(g *graph.Graph) []*graph.Node {
		parameters := make([]*graph.Node, len(inputs))
		for i, input := range inputs {
			parameters[i] = graph.Parameter(g, fmt.Sprintf("in%d", i), shapes.Make(input.DType(), input.Shape().Dimensions...))
		}
		return plain(parameters)
	})
	return function.Call(inputs...)
}

// callOf is a call of a function with a kernel's name in the text of a program, bodyOf such a function, tensorOf the type
// of a tensor.
var (
	callOf = regexp.MustCompile(`"func\.call"(\([^)]*\)) \{ callee = @(pengcde_[a-z_]+)_[0-9]+ \} : \((.*)\) -> (.*)`)
	bodyOf = regexp.MustCompile(`(?s)  func\.func @pengcde_[a-z_]+_[0-9]+\(.*?\n  \}\n`)

	tensorOf = regexp.MustCompile(`tensor<([^>]*)>`)
)

// withKernels is the text of a program with kernels called, on tensors in row-major order; the text itself where it calls
// none.
func withKernels(program []byte) []byte {
	if !callOf.Match(program) {
		return program
	}
	program = callOf.ReplaceAllFunc(program, func(call []byte) []byte {
		part := callOf.FindSubmatch(call)
		return fmt.Appendf(nil, `"stablehlo.custom_call"%s { call_target_name = "%s", api_version = 4 : i32, `+
			`operand_layouts = [%s], result_layouts = [%s] } : (%s) -> %s`,
			part[1], part[2], rowMajor(part[3]), rowMajor(part[4]), part[3], part[4])
	})
	return bodyOf.ReplaceAll(program, nil)
}

// rowMajor are the layouts of tensors of these types.
func rowMajor(types []byte) string {
	var layouts []string
	for _, tensor := range tensorOf.FindAllSubmatch(types, -1) {
		rank := bytes.Count(tensor[1], []byte("x")) // behind each dimension
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
