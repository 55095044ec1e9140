package tgn

import (
	"context"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Train draws new parameters and fits them by Config.Training.
func (n *Network) Train(ctx context.Context, past *affinity.Plan) error {
	n.Draw(n.layers.Seed)
	_, err := n.Fit(ctx, past, n.layers.Training)
	return err
}

// Draw draws new parameters.
func (n *Network) Draw(seed uint64) { n.core.Draw(seed) }

// Parameters returns the number of learnable entries.
func (n *Network) Parameters() int { return n.core.Size() }

// Fit trains the parameters with an optimiser step for each training question, by the cross-entropy with the answer.
// Gradients reach them through the last message of each memory. The validation loss of an epoch is 1 less the mean NDCG
// of its validation questions; without any the last parameters are kept. c.BatchSize and c.Checkpoint have no effect.
func (n *Network) Fit(ctx context.Context, past *affinity.Plan, c train.Config) (*train.Report, error) {
	return n.core.Fit(ctx, n, past, c)
}

var _ affinity.Trainer = (*Network)(nil)
