package xla

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// NewLoop returns a program that repeats fn while its first output is true, on the device, so that the host does not
// wait for each repetition. fn takes the carried values, then constants, and returns the carried values of the next
// repetition, in the same order and with the same shapes. The first carried value is a Bool scalar, the second an Int32
// scalar that each repetition changes by 1, up or down. The program returns the carried values of the last repetition.
// fn runs once at least. Only carried values may be donated.
//
// GoMLX 0.28 has a loop, but go-xla cannot reduce or share scalars inside one. The graph is therefore a single
// repetition, and a loop around it is added to the text for XLA's compiler. On a backend whose compiler was not
// intercepted, such as pure Go, [Program.Call] repeats the program, with the same result.
func NewLoop(backend *Backend, name string, fn func(inputs []*graph.Node) []*graph.Node) (*Program, error) {
	build := func(inputs []*graph.Node) []*graph.Node {
		outputs := fn(inputs)
		if len(inputs) > 0 && len(inputs[0].Graph().LoggedNodes()) > 0 {
			panic(fmt.Errorf("xla: loop %q: a node is logged, and what the device repeats cannot be: remove SetLogged", name))
		}
		for i, output := range outputs {
			if i >= len(inputs) || !output.Shape().Equal(inputs[i].Shape()) {
				panic(fmt.Errorf("xla: loop %q: output %d is %s, want the shape of the input with its number", name, i,
					output.Shape()))
			}
		}
		if len(outputs) < 2 || !outputs[0].Shape().Equal(shapes.Make(dtypes.Bool)) ||
			!outputs[1].Shape().Equal(shapes.Make(dtypes.Int32)) {
			panic(fmt.Errorf("xla: loop %q: want a Bool scalar as first output, which says whether to go on, and an Int32 "+
				"scalar as second, which counts", name))
		}
		return outputs
	}
	p, err := newProgram(backend, loopOf+name, build)
	if err != nil {
		return nil, err
	}
	p.loop = true
	return p, nil
}

// loopOf is the prefix of the names of loops. NewProgram refuses it.
const loopOf = "loop of "

// repeat calls a loop until its first output is false: once if the device repeats it.
func (p *Program) repeat(inputs []any) (outputs []*tensors.Tensor, err error) {
	next := slices.Clone(inputs)
	for {
		if outputs, err = p.once(next); err != nil {
			return nil, err
		}
		if first, ok := next[1].(int32); ok && p.backend.loops && recording.Load() != nil {
			last := tensors.ToScalar[int32](outputs[1])
			for range max(first, last) - min(first, last) - 1 {
				recordCall(p.name)
			}
		}
		if !tensors.ToScalar[bool](outputs[0]) {
			return outputs, nil
		}
		for i, output := range outputs {
			next[i] = Donate(output)
		}
	}
}

// mainOf matches the signature of the main function in the text of a loop.
var mainOf = regexp.MustCompile(`(?m)^  func\.func @main\((.*)\) -> \((.*)\) \{$`)

// repeated returns the text of a program with a loop around its function, if it is one of [NewLoop].
func repeated(program []byte) []byte {
	if !strings.HasPrefix(moduleName(program), strings.ReplaceAll(loopOf, " ", "_")) {
		return program
	}
	at := mainOf.FindSubmatchIndex(program)
	if at == nil {
		return program
	}
	var names, types []string
	for parameter := range strings.SplitSeq(string(program[at[2]:at[3]]), ", ") {
		name, kind, _ := strings.Cut(parameter, ": ")
		names, types = append(names, name), append(types, kind)
	}
	results := strings.Split(string(program[at[4]:at[5]]), ", ")
	carried := len(results)
	if carried > len(types) {
		return program
	}
	// list joins a text for each carried value.
	list := func(write func(i int) string) string {
		parts := make([]string, carried)
		for i := range parts {
			parts[i] = write(i)
		}
		return strings.Join(parts, ", ")
	}
	carry := strings.Join(types[:carried], ", ")
	own := func(prefix string) string {
		return list(func(i int) string { return fmt.Sprintf("%%%s%d: %s", prefix, i, types[i]) })
	}
	values := func(prefix string) string {
		return list(func(i int) string { return fmt.Sprintf("%%%s%d", prefix, i) })
	}
	parts := func(of string) string { return list(func(i int) string { return fmt.Sprintf("%%%s#%d", of, i) }) }
	given := make([]string, len(names)) // carried values stay in the buffers of donated inputs
	for i := range given {
		if given[i] = names[i] + ": " + types[i]; i < carried {
			given[i] += fmt.Sprintf(" {tf.aliasing_output = %d : i32}", i)
		}
	}
	inside := strings.Join(append([]string{values("now")}, names[carried:]...), ", ")
	head := fmt.Sprintf(`  func.func @main(%s) -> (%s) {
    %%last:%d = "stablehlo.while"(%s) ({
      ^bb0(%s):
        "stablehlo.return"(%%go0) : (tensor<i1>) -> ()
    }, {
      ^bb0(%s):
        %%next:%d = "func.call"(%s) { callee = @repeated } : (%s) -> (%s)
        "stablehlo.return"(%s) : (%s) -> ()
    }) : (%s) -> (%s)
    "stablehlo.return"(%s) : (%s) -> ()
  }
`, strings.Join(given, ", "), program[at[4]:at[5]], carried, strings.Join(names[:carried], ", "), own("go"), own("now"),
		carried, inside, strings.Join(types, ", "), carry, parts("next"), carry, carry, carry, parts("last"), carry)
	signature := fmt.Sprintf("  func.func private @repeated(%s) -> (%s) {", program[at[2]:at[3]], program[at[4]:at[5]])
	body, after := program[at[1]:], []byte(nil)
	if end := bytes.Index(body, []byte("\n  }\n")); end >= 0 {
		body, after = body[:end], body[end:]
	}
	return bytes.Join([][]byte{program[:at[0]], []byte(head), []byte(signature), deduplicated(body), after}, nil)
}
