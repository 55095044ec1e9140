// Package ranker holds what networks that rank from a stream of events share: parameters and programs, the newest
// events of each node, the scores of an embedding, and training.
package ranker

import (
	"math/bits"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// ErrInput is wrapped by errors about settings that do not fit.
var ErrInput = errs.ErrInput

// Ranker holds the parameters and programs of a network. Make one with [New].
type Ranker struct {
	Task   affinity.Task
	DType  dtypes.DType
	Params []*tensors.Tensor // nil once closed

	where    string // package of the network, for errors
	backend  *xla.Backend
	declared []nn.Param
	programs []*xla.Program
	asked    affinity.Task // by Reset
	closed   bool

	// Most is the number of nodes that a program takes at once, set by Rank.
	Most                int
	rank, gradient, sum *xla.Program // set by Rank, with inputs
	inputs              Inputs
	epoch               int // of training, from 1; 0 before it
}

// New returns a ranker for a task with parameters drawn from a seed.
func New(backend *xla.Backend, where string, task affinity.Task, declared []nn.Param, float64s bool, seed uint64) (
	*Ranker, error) {
	if task.Nodes < 1 || task.Classes < 1 {
		return nil, errs.New(ErrInput, "%s: a task with %d nodes and %d classes, want 1 or more: take Task of "+
			"affinity.Data", where, task.Nodes, task.Classes)
	}
	if err := nn.Check(declared); err != nil {
		return nil, err
	}
	r := &Ranker{Task: task, DType: dtypes.Float32, where: where, backend: backend, declared: declared, asked: task}
	if float64s {
		r.DType = dtypes.Float64
	}
	r.Draw(seed)
	return r, nil
}

// Draw draws new parameters. It has no effect on a closed ranker.
func (r *Ranker) Draw(seed uint64) {
	if r.closed {
		return
	}
	xla.Free(r.Params...)
	r.Params = nn.Draw(r.declared, r.DType, seed)
}

// Declared lists the parameters.
func (r *Ranker) Declared() []nn.Param { return r.declared }

// Size returns the number of learnable entries.
func (r *Ranker) Size() int { return nn.Count(r.declared) }

// Close frees programs and parameters.
func (r *Ranker) Close() {
	for _, p := range r.programs {
		p.Close()
	}
	xla.Free(r.Params...)
	r.Params, r.programs, r.closed = nil, nil, true
}

// Reset notes the task that is asked for.
func (r *Ranker) Reset(task affinity.Task) { r.asked = task }

// Check returns an error for another task, or for nodes that the network does not have.
func (r *Ranker) Check(nodes ...int32) error {
	if own := r.Task; r.asked.Nodes != own.Nodes || r.asked.Classes != own.Classes {
		return errs.New(ErrInput, "%s: %d nodes and %d classes, the network was made for %d and %d: make another of Task of "+
			"the data", r.where, r.asked.Nodes, r.asked.Classes, own.Nodes, own.Classes)
	}
	for _, u := range nodes {
		if u < 0 || int(u) >= r.Task.Nodes {
			return errs.New(ErrInput, "%s: node %d, want 0 to %d", r.where, u, r.Task.Nodes-1)
		}
	}
	return nil
}

// Dropout drops entries of x in training; otherwise it returns x.
type Dropout = func(x *Node, rate float64) *Node

// Build builds a graph from the parameters and other inputs.
type Build func(v nn.Values, in []*Node, dropout Dropout) *Node

// Program returns a program of parameters and other inputs.
func (r *Ranker) Program(name string, build Build) (*xla.Program, error) {
	return r.program(name, func(in []*Node) []*Node {
		v, rest := r.split(in)
		return []*Node{build(v, rest, nn.KeepAll)}
	})
}

// Inputs returns the inputs with which programs score nodes at a time, in rows of the number [Padded]. Epoch is the
// epoch of training, from 1, and 0 for a forecast: random draws may differ between epochs.
type Inputs func(nodes []int32, at float64, epoch int) []*tensors.Tensor

// mostActivations bounds the entries of the widest layer of a program, 256 MiB as float32. leastNodes are taken at once
// in any case.
const mostActivations, leastNodes = 1 << 26, 64

// Rank makes the programs of [Ranker.Forecast] and [Ranker.Loss]. Scores returns [Q, Classes] from inputs.
// Activations is about how many entries the widest layer has for a node.
func (r *Ranker) Rank(scores Build, inputs Inputs, activations int) (err error) {
	activations = max(activations, r.Task.Classes) // of the scores
	r.inputs, r.Most = inputs, max(leastNodes, Padded(mostActivations/activations+1)/2)
	if r.rank, err = r.Program("rank", scores); err != nil {
		return err
	}
	r.gradient, err = r.program("gradient", func(in []*Node) []*Node {
		v, rest := r.split(in)
		last, params := len(rest)-2, in[:len(r.declared)]
		total := crossEntropy(scores(v, rest[:last], nn.Dropout(params)), rest[last], rest[last+1])
		return append([]*Node{total}, Gradient(total, params...)...)
	})
	if err != nil {
		return err
	}
	r.sum, err = r.program("sum of gradients", func(in []*Node) (sums []*Node) {
		for i, x := range in[:len(in)/2] {
			sums = append(sums, Add(x, in[len(in)/2+i]))
		}
		return sums
	})
	return err
}

// Forecast writes scores for nodes at a time, [nodes*Classes].
func (r *Ranker) Forecast(at float64, nodes []int32, scores []float64) error {
	if err := r.Check(nodes...); err != nil {
		return err
	}
	for part := range slices.Chunk(nodes, r.Most) {
		made, err := r.Run(r.rank, r.inputs(part, at, 0))
		if err != nil {
			return err
		}
		scores = scores[copy(scores, made[:len(part)*r.Task.Classes]):]
	}
	return nil
}

func (r *Ranker) split(in []*Node) (nn.Values, []*Node) {
	return nn.Bind(r.declared, in[:len(r.declared)]), in[len(r.declared):]
}

func (r *Ranker) program(name string, build func(in []*Node) []*Node) (*xla.Program, error) {
	p, err := xla.NewProgram(r.backend, r.where+" "+name, build)
	if err == nil {
		r.programs = append(r.programs, p)
	}
	return p, err
}

// Run runs a program with the parameters, frees its other inputs and returns the entries of its output.
func (r *Ranker) Run(p *xla.Program, in []*tensors.Tensor) ([]float64, error) {
	out, err := r.call(p, in)
	if err != nil {
		return nil, err
	}
	defer xla.Free(out...)
	return host.Floats(out[0]), nil
}

func (r *Ranker) call(p *xla.Program, in []*tensors.Tensor) ([]*tensors.Tensor, error) {
	defer xla.Free(in...)
	if r.Params == nil {
		return nil, errs.New(ErrInput, "%s: a closed network", r.where)
	}
	inputs := make([]any, 0, len(r.Params)+len(in))
	for _, params := range [][]*tensors.Tensor{r.Params, in} {
		for _, t := range params {
			inputs = append(inputs, t)
		}
	}
	return p.Call(inputs...)
}

// Tensor returns a tensor of the network's type.
func (r *Ranker) Tensor(x []float64, dims ...int) *tensors.Tensor {
	return host.Tensor(r.DType, x, dims...)
}

// Padded returns a number of rows from a few, so that few programs are compiled.
func Padded(rows int) int { return 1 << bits.Len(uint(max(rows, 1)-1)) }

// Rows returns the rows of x [n, w] at indices [...]: [..., w].
func Rows(x, indices *Node) *Node { return Gather(x, ExpandAxes(indices, -1)) }
