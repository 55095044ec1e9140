package pengcde

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

func TestFitSeedsThatDoNotFit(t *testing.T) {
	ctx := context.Background()
	if _, err := FitSeeds(ctx, nil); !errors.Is(err, ErrInput) {
		t.Errorf("no runs: %v", err)
	}
	for name, c := range map[string]struct {
		spoil func(*testing.T, []SeedRun)
		want  string
	}{
		"width": {func(t *testing.T, runs []SeedRun) {
			runs[1].Model = trajectoryModel(t, trajectoryConfig(seedNodes))
		}, "Config.Hidden"},
		"tolerance": {func(t *testing.T, runs []SeedRun) {
			config := runs[0].Model.Config()
			config.Adaptive = &ode.PID{RTol: 1e-2}
			runs[1].Model = trajectoryModel(t, config)
		}, "Config.Adaptive"},
		"memory": {func(_ *testing.T, runs []SeedRun) {
			if err := runs[1].Model.SetMemory(ode.Memory{Host: true}); err != nil {
				panic(err)
			}
		}, "Config.Memory"},
		"identities": {func(t *testing.T, runs []SeedRun) {
			config := runs[0].Model.Config()
			config.Field = field.PENG{Identities: equivariant.Identities{Size: 2}}
			runs[0].Model, runs[1].Model = trajectoryModel(t, config), trajectoryModel(t, config)
		}, "identities"},
		"the same model": {func(_ *testing.T, runs []SeedRun) { runs[1].Model = runs[0].Model }, "same model"},
		"no model":       {func(_ *testing.T, runs []SeedRun) { runs[1].Model = nil }, "no model"},
		"samples":        {func(_ *testing.T, runs []SeedRun) { runs[1].Training = runs[1].Training[:2] }, "2 windows"},
		"no samples": {func(_ *testing.T, runs []SeedRun) {
			runs[0].Training, runs[1].Training = nil, nil
		}, "0 windows"},
		"validation": {func(_ *testing.T, runs []SeedRun) { runs[1].Validation = nil }, "0 for validation"},
		"batches":    {func(_ *testing.T, runs []SeedRun) { runs[1].Config.BatchSize = 1 }, "BatchSize"},
		"nodes": {func(t *testing.T, runs []SeedRun) {
			runs[1].Training[0] = pulses(t, seedNodes+1, 1).Whole()
		}, "nodes"},
		"times": {func(_ *testing.T, runs []SeedRun) {
			for i := range runs[1].Training {
				runs[1].Training[i].Length--
			}
		}, "knots"},
		"learning rate": {func(_ *testing.T, runs []SeedRun) { runs[1].Config.AdamW.LearningRate = -1 }, "run 1"},
		"checkpoints": {func(t *testing.T, runs []SeedRun) {
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
