package tgn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Train draws new parameters and fits them: one step of AdamW for each training question, by the cross-entropy with the
// answer. Gradients reach the parameters through the last message of each memory. The parameters with the highest NDCG
// on validation are kept, or the last ones without validation.
func (n *Network) Train(ctx context.Context, past *affinity.Plan) error {
	c := n.layers.Config
	n.asked = past.Task
	if err := n.check(); err != nil {
		return err
	}
	xla.Free(n.params...)
	n.params, n.Scores = nn.Draw(n.layers.params(), c.dtype(), c.Seed), nil
	optimiser, err := train.NewOptimiser(n.backend, train.AdamW{LearningRate: c.LearningRate, WeightDecay: train.NoDecay,
		Clip: train.NoClip}, n.params)
	if err != nil {
		return err
	}
	defer optimiser.Close()
	validated := slices.ContainsFunc(past.Questions,
		func(q affinity.Question) bool { return q.Part == affinity.Validation })
	best, highest := []*tensors.Tensor(nil), math.Inf(-1)
	defer func() { xla.Free(best...) }()
	for range c.Epochs {
		if err := past.Walk(ctx, &trainer{n, optimiser}); err != nil {
			return err
		}
		if !validated {
			continue
		}
		report, err := affinity.Score(ctx, past, n, affinity.Validation)
		if err != nil {
			return err
		}
		score := report.Mean(affinity.Validation)
		if n.Scores = append(n.Scores, score); score > highest {
			xla.Free(best...)
			best, highest = nil, score
			for _, p := range n.params {
				copied, err := p.LocalClone()
				if err != nil {
					return fmt.Errorf("affinity/tgn: keep the best parameters: %w", err)
				}
				best = append(best, copied)
			}
		}
	}
	if best != nil {
		xla.Free(n.params...)
		n.params, best = best, nil
	}
	return nil
}

// trainer takes a step of the optimiser for each training question.
type trainer struct {
	*Network
	optimiser *train.Optimiser
}

// Ask implements [affinity.Listener].
func (t *trainer) Ask(q affinity.Question, answer affinity.Labels) error {
	if q.Part != affinity.Train {
		return nil
	}
	loss, gradient, err := t.lossOf(q.Time, answer)
	if err != nil {
		return err
	}
	params, norm, err := t.optimiser.Step(t.params, gradient)
	if err != nil {
		t.params = nil
		return err
	}
	t.params = params
	if math.IsNaN(loss+norm) || math.IsInf(loss+norm, 0) {
		return fmt.Errorf("affinity/tgn: loss %g with gradient norm %g at the question of time %g; try a smaller learning "+
			"rate: %w", loss, norm, q.Time, train.ErrNotFinite)
	}
	return nil
}

// lossOf returns the mean cross-entropy over the nodes of an answer, and its gradient.
func (n *Network) lossOf(at float64, answer affinity.Labels) (float64, []*tensors.Tensor, error) {
	if err := n.check(answer.Nodes...); err != nil {
		return 0, nil, err
	}
	g := newGathered(&n.state)
	events := g.events(n.layers, answer.Nodes, at)
	q, classes := padded(len(answer.Nodes)), n.layers.task.Classes
	targets, shares := make([]float64, q*classes), make([]float64, q)
	for k := range answer.Nodes {
		shares[k] = 1 / float64(len(answer.Nodes))
		_, of, weights := answer.Row(k)
		for i, class := range of {
			targets[k*classes+int(class)] = weights[i]
		}
	}
	dtype := n.layers.dtype()
	out, err := n.outputs(n.gradient, slices.Concat(g.pending(n.layers), events, []*tensors.Tensor{
		host.Tensor(dtype, targets, q, classes), host.Tensor(dtype, shares, q, 1)}))
	if err != nil {
		return 0, nil, err
	}
	defer xla.Free(out[0])
	return host.Floats(out[0])[0], out[1:], nil
}

var _ affinity.Trainer = (*Network)(nil)
