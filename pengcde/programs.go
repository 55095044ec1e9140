package pengcde

import (
	"fmt"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// program is a graph with named inputs. Like the network that it belongs to, it is called from one goroutine at a time.
type program struct {
	name   string   // also in errors
	inputs []string // each name stands for one tensor or several
	build  func(in inputs) []*Node

	sizes    []int // the number of tensors of each name in the present call
	compiled *xla.Program
}

// inputs maps the names of a program's inputs to their nodes.
type inputs map[string][]*Node

// one returns the node of an input with a single tensor.
func (in inputs) one(name string) *Node { return in[name][0] }

// values maps the names of a program's inputs to the arguments of a call: a tensor, donated or not, a number, or a
// slice of tensors. To plan memory it holds shapes.
type values map[string]any

// flat returns the values in the order of a program's inputs.
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

// programs holds programs by name that serve batches of one form. They are compiled, planned and closed together.
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

// temporary returns the memory that a call needs while it runs, see [xla.Program.Temporary].
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

// forms maps the form of a batch to its compiled programs.
type forms[F comparable, C interface{ close() }] map[F]C

// find returns the compiled programs of a form, and compiles them on first use.
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

// measured maps the shapes of programs' inputs to the bytes that the programs need.
type measured map[string]int64

// find returns the bytes for the shapes in like, and calls plan on first use.
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
