package ranker

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// Head maps embeddings to scores, W2 relu(W1 z + b1) + b2, as in TGB's examples.
type Head struct{ hidden, out nn.Linear }

// NewHead returns a head for embeddings of a width.
func NewHead(width, classes int) Head {
	return Head{nn.Linear{Name: "ranking.hidden", In: width, Out: width},
		nn.Linear{Name: "ranking.out", In: width, Out: classes}}
}

// Params declares the parameters.
func (h Head) Params() []nn.Param { return nn.ParamsOf(h.hidden, h.out) }

// Apply returns the scores [Q, Classes] of embeddings [Q, width].
func (h Head) Apply(v nn.Values, z *Node) *Node { return h.out.Apply(v, nn.ReLU(h.hidden.Apply(v, z))) }

// crossEntropy is the sum over nodes of shares [Q, 1] times the cross-entropy of scores with targets [Q, Classes].
func crossEntropy(scores, targets, shares *Node) *Node {
	return Neg(ReduceAllSum(Mul(shares, Mul(targets, LogSoftmax(scores, -1)))))
}

// Loss returns the mean cross-entropy of an answer at a time over its nodes, and its gradient. It is the sum over parts
// of r.Most nodes, so that memory does not grow with the answer. All parts have the same dropout.
func (r *Ranker) Loss(at float64, answer affinity.Labels) (loss float64, gradient []*tensors.Tensor, err error) {
	if err := r.Check(answer.Nodes...); err != nil {
		return 0, nil, err
	}
	for begin := 0; begin < len(answer.Nodes) && err == nil; begin += r.Most {
		var part float64
		var added []*tensors.Tensor
		if part, added, err = r.partOfLoss(at, answer, begin, min(begin+r.Most, len(answer.Nodes))); err == nil {
			loss += part
			gradient, err = r.plus(gradient, added)
		}
	}
	if err != nil {
		xla.Free(gradient...)
		return 0, nil, err
	}
	return loss, gradient, nil
}

// partOfLoss is what the nodes of an answer from one index to another add to [Ranker.Loss].
func (r *Ranker) partOfLoss(at float64, answer affinity.Labels, from, to int) (float64, []*tensors.Tensor, error) {
	q, classes := Padded(to-from), r.Task.Classes
	targets, shares := make([]float64, q*classes), make([]float64, q)
	for k := range to - from {
		shares[k] = 1 / float64(len(answer.Nodes))
		_, of, weights := answer.Row(from + k)
		for i, class := range of {
			targets[k*classes+int(class)] = weights[i]
		}
	}
	out, err := r.call(r.gradient, append(r.inputs(answer.Nodes[from:to], at, r.epoch), r.Tensor(targets, q, classes),
		r.Tensor(shares, q, 1)))
	if err != nil {
		return 0, nil, err
	}
	defer xla.Free(out[0])
	return host.Floats(out[0])[0], out[1:], nil
}

// plus adds two gradients and frees them; nil stands for 0.
func (r *Ranker) plus(a, b []*tensors.Tensor) ([]*tensors.Tensor, error) {
	if a == nil {
		return b, nil
	}
	both := slices.Concat(a, b)
	defer xla.Free(both...)
	in := make([]any, len(both))
	for i, t := range both {
		in[i] = t
	}
	return r.sum.Call(in...)
}
