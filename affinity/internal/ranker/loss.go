package ranker

import (
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

// Loss returns the mean cross-entropy of an answer at a time over its nodes, and its gradient.
func (r *Ranker) Loss(at float64, answer affinity.Labels) (float64, []*tensors.Tensor, error) {
	if err := r.Check(answer.Nodes...); err != nil {
		return 0, nil, err
	}
	q, classes := Padded(len(answer.Nodes)), r.Task.Classes
	targets, shares := make([]float64, q*classes), make([]float64, q)
	for k := range answer.Nodes {
		shares[k] = 1 / float64(len(answer.Nodes))
		_, of, weights := answer.Row(k)
		for i, class := range of {
			targets[k*classes+int(class)] = weights[i]
		}
	}
	out, err := r.call(r.gradient, append(r.inputs(answer.Nodes, at), r.Tensor(targets, q, classes),
		r.Tensor(shares, q, 1)))
	if err != nil {
		return 0, nil, err
	}
	defer xla.Free(out[0])
	return host.Floats(out[0])[0], out[1:], nil
}
