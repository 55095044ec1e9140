package pengcde

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

func TestFitSeedsThatDoNotFit(t *testing.T) {
	ctx := context.Background()
	if _, err := FitSeeds[*dyngraph.Series](ctx, nil); !errors.Is(err, ErrInput) {
		t.Errorf("no runs: %v", err)
	}
	for name, c := range map[string]struct {
		spoil func(*testing.T, []Run[*dyngraph.Series])
		want  string
	}{
		"width": {func(t *testing.T, runs []Run[*dyngraph.Series]) {
			runs[1].Model = trajectoryModel(t, trajectoryConfig(seedNodes))
		}, "Config.Hidden"},
		"tolerance": {func(t *testing.T, runs []Run[*dyngraph.Series]) {
			config := runs[0].Model.Config()
			config.Adaptive = &ode.PID{RTol: 1e-2}
			runs[1].Model = trajectoryModel(t, config)
		}, "Config.Adaptive"},
		"memory": {func(_ *testing.T, runs []Run[*dyngraph.Series]) {
			if err := runs[1].Model.Compute(equivariant.Auto, ode.Memory{Host: true}); err != nil {
				panic(err)
			}
		}, "Config.Memory"},
		"identities": {func(t *testing.T, runs []Run[*dyngraph.Series]) {
			config := runs[0].Model.Config()
			config.Identities.Size = 2
			runs[0].Model, runs[1].Model = trajectoryModel(t, config), trajectoryModel(t, config)
		}, "Config.Identities"},
		"the same model": {func(_ *testing.T, runs []Run[*dyngraph.Series]) { runs[1].Model = runs[0].Model }, "same model"},
		"no model":       {func(_ *testing.T, runs []Run[*dyngraph.Series]) { runs[1].Model = nil }, "no model"},
		"samples":        {func(_ *testing.T, runs []Run[*dyngraph.Series]) { runs[1].Training = runs[1].Training[:2] }, "2 samples"},
		"no samples": {func(_ *testing.T, runs []Run[*dyngraph.Series]) {
			runs[0].Training, runs[1].Training = nil, nil
		}, "0 samples"},
		"validation": {func(_ *testing.T, runs []Run[*dyngraph.Series]) { runs[1].Validation = nil }, "0 for validation"},
		"batches":    {func(_ *testing.T, runs []Run[*dyngraph.Series]) { runs[1].Config.BatchSize = 1 }, "BatchSize"},
		"nodes": {func(t *testing.T, runs []Run[*dyngraph.Series]) {
			runs[1].Training[0] = pulses(t, seedNodes+1, 1)
		}, "nodes"},
		"times": {func(_ *testing.T, runs []Run[*dyngraph.Series]) {
			for _, s := range runs[1].Training {
				last := len(s.Times) - 1
				s.Times, s.Weights, s.Features, s.Targets = s.Times[:last], s.Weights[:last], s.Features[:last], s.Targets[:last]
			}
		}, "knots"},
		"learning rate": {func(_ *testing.T, runs []Run[*dyngraph.Series]) { runs[1].Config.AdamW.LearningRate = -1 }, "run 1"},
		"checkpoints": {func(t *testing.T, runs []Run[*dyngraph.Series]) {
			path := filepath.Join(t.TempDir(), "same")
			runs[0].Config.Checkpoint, runs[1].Config.Checkpoint = &train.Checkpoint{Path: path}, &train.Checkpoint{Path: path}
		}, "checkpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			runs := seedRuns(t, xlatest.Go(t), 2, nil)
			c.spoil(t, runs)
			outcomes, err := FitSeeds(ctx, runs)
			if !errors.Is(err, ErrInput) || outcomes != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v with %d outcomes, want an input error with %q", err, len(outcomes), c.want)
			}
		})
	}
	runs := seedRuns(t, xlatest.Go(t), 2, nil)
	runs[1].Model.Close()
	if _, err := FitSeeds(ctx, runs); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed model: %v", err)
	}
}
