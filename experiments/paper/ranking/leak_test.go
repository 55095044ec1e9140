package ranking

import (
	"context"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/learned"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/affinitytest"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// streamTrainer trains a network as a run does.
type streamTrainer struct {
	streamNetwork
	training train.Config
}

func (s streamTrainer) Train(ctx context.Context, past *affinity.Plan) error {
	_, err := s.Fit(ctx, past, s.training)
	return err
}

// No row sees an event or a label at or after the time that it forecasts, by either protocol in strict time.
func TestNoRowSeesTheFuture(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all networks")
	}
	size, task := affinitySizes(experiments.Quick), affinity.Task{Nodes: 8, Classes: 8, Step: 1}
	size.models, size.hidden, size.encoded, size.identities, size.memory, size.tokens, size.channel = nil, 2, 1, 2, 4, 4, 2
	size.training.Epochs, size.memoryTraining.Epochs, size.tokenTraining.Epochs = 1, 1, 1
	backend := xlatest.Go(t)
	for _, row := range size.rows(otherTrade) {
		make := func() affinity.Forecaster {
			switch {
			case row.forecaster != nil:
				return row.Forecaster()
			case row.stream != nil:
				network, err := row.stream.make(backend, task)
				if err != nil {
					t.Fatal(row.ID, err)
				}
				t.Cleanup(network.Close)
				return streamTrainer{network, row.Train}
			}
			model, err := pengcde.New(backend, learned.Config(row.config, task))
			if err != nil {
				t.Fatal(row.ID, err)
			}
			t.Cleanup(model.Close)
			f := row.with(model)
			f.Training = row.Train
			return f
		}
		for name, plan := range map[string]affinitytest.Plan{
			"official": func(d *affinity.Data) (*affinity.Plan, error) { return d.Official(affinity.Strict) },
			"rotation": func(d *affinity.Data) (*affinity.Plan, error) {
				plans, err := d.Rotation(1, 1)
				if err != nil {
					return nil, err
				}
				return plans[0], nil
			},
		} {
			if err := affinitytest.Leak(t.Context(), plan, make); err != nil {
				t.Errorf("%s, %s: %v", row.ID, name, err)
			}
		}
	}
}
