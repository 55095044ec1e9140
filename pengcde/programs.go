package pengcde

import (
	"fmt"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// program is a graph whose inputs have names. Like the network that it belongs to, it is called from one goroutine at a
// time.
type program struct {
	name   string   // also in errors
	inputs []string // each name has one tensor or several
	build  func(in inputs) []*Node

	sizes    []int // the number of tensors of each name in the present call
	compiled *xla.Program
}

// inputs are the nodes of a program's inputs, by name.
type inputs map[string][]*Node

// one is an input of one tensor.
func (in inputs) one(name string) *Node { return in[name][0] }

// values are what a program is called with, by name: a tensor, donated or not, a number, or tensors; to plan its
// memory, shapes.
type values map[string]any

// flat lists values in the order of a program's inputs.
func (p *program) flat(of values) (list []any) {
	for i, name := range p.inputs {
		before := len(list)
		switch value := of[name].(type) {
		case []*tensors.Tensor:
			for _, t := range value {
				list = append(list, t)
			}
		case []shapes.Shape:
			for _, s := range value {
				list = append(list, s)
			}
		default:
			list = append(list, value)
		}
		p.sizes[i] = len(list) - before
	}
	return list
}

// graph builds the graph for the sizes of the present call.
func (p *program) graph(nodes []*Node) []*Node {
	in := make(inputs, len(p.inputs))
	for i, name := range p.inputs {
		in[name], nodes = nodes[:p.sizes[i]:p.sizes[i]], nodes[p.sizes[i]:]
	}
	return p.build(in)
}

// programs are compiled, planned and closed together: they serve batches of one form.
type programs map[string]*program

func newPrograms(backend *xla.Backend, list ...program) (programs, error) {
	set := make(programs, len(list))
	for _, p := range list {
		p.sizes = make([]int, len(p.inputs))
		var err error
		if p.compiled, err = xla.NewProgram(backend, p.name, p.graph); err != nil {
			set.close()
			return nil, err
		}
		set[p.name] = &p
	}
	return set, nil
}

func (s programs) call(name string, of values) ([]*tensors.Tensor, error) {
	p := s[name]
	out, err := p.compiled.Call(p.flat(of)...)
	if err != nil {
		return nil, errs.In("pengcde", err)
	}
	return out, nil
}

// temporary is the memory that a call needs while it runs, see [xla.Program.Temporary].
func (s programs) temporary(name string, of values) (int64, error) {
	p, list := s[name], []shapes.Shape(nil)
	for _, value := range p.flat(of) {
		switch value := value.(type) {
		case *tensors.Tensor:
			list = append(list, value.Shape())
		case shapes.Shape:
			list = append(list, value)
		}
	}
	bytes, err := p.compiled.Temporary(list...)
	if err != nil {
		return 0, errs.In("pengcde", err)
	}
	return bytes, nil
}

func (s programs) close() {
	for _, p := range s {
		p.compiled.Close()
	}
}

// forms are what was compiled for batches, by their form.
type forms[F comparable, C interface{ close() }] map[F]C

// find returns what serves batches of a form, and compiles it for the first.
func (f forms[F, C]) find(form F, compile func() (C, error)) (C, error) {
	if found, ok := f[form]; ok {
		return found, nil
	}
	made, err := compile()
	if err == nil {
		f[form] = made
	}
	return made, err
}

func (f forms[F, C]) close() {
	for _, compiled := range f {
		compiled.close()
	}
	clear(f)
}

// measured are bytes that programs need, by the shapes that they were planned for.
type measured map[string]int64

// find returns the bytes for shapes, and plans for the first that are like them.
func (m measured) find(plan func() (int64, error), like ...any) (int64, error) {
	key := fmt.Sprint(like...)
	if bytes, ok := m[key]; ok {
		return bytes, nil
	}
	bytes, err := plan()
	if err == nil {
		m[key] = bytes
	}
	return bytes, err
}
