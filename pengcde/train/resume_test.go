package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// rugged is a bowl with faults that depend on the parameters and the batch, like the faults of a solve: a gradient that
// is not finite even when refined, one that is good when refined, and one that is too large either way.
type rugged struct{ bowl }

func (r *rugged) Gradient(ctx context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor,
	error) {
	return r.solve(ctx, params, batch, false)
}

func (r *rugged) Refine(ctx context.Context, params []*tensors.Tensor, batch, times int) (float64,
	[]*tensors.Tensor, error) {
	return r.solve(ctx, params, batch, times > 1)
}

func (r *rugged) Steps() (tries, rejected int) { return 7, 2 }

func (r *rugged) solve(ctx context.Context, params []*tensors.Tensor, batch int, refined bool) (float64,
	[]*tensors.Tensor, error) {
	loss, gradients, err := r.bowl.Gradient(ctx, params, batch)
	if err != nil {
		return 0, nil, err
	}
	gradient, by := tensors.MustCopyFlatData[float64](gradients[0]), 1.0
	bits := math.Float64bits(tensors.MustCopyFlatData[float64](params[0])[0])
	switch (bits>>40 + 3*uint64(batch)) % 6 {
	case 1:
		by = math.NaN()
	case 2:
		if !refined {
			by = math.Inf(1)
		}
	case 3:
		by = 500
	}
	for i := range gradient {
		gradient[i] *= by
	}
	return loss, []*tensors.Tensor{tensors.FromValue(gradient)}, nil
}

var (
	_ Refiner = (*rugged)(nil)
	_ Stepper = (*rugged)(nil)
)

// ruggedConfig has all options that keep state from batch to batch.
func ruggedConfig(schedule Schedule) Config {
	return Config{Epochs: 8, EvaluateEvery: 2, Patience: 8, MinEpochs: AtOnce, AdamW: AdamW{LearningRate: 0.3},
		Guard: &Guard{Multiple: 20, Window: 3, Skips: 6}, Average: 0.6, Schedule: schedule}
}

// Interrupted at any gradient, also at a refined one, a training with all options ends with the same bits and the same
// record.
func TestCutTrainingWithOptionsGoesOnBitForBit(t *testing.T) {
	backend := xlatest.Go(t)
	for _, schedule := range []Schedule{{Kind: Cosine, To: 0.1}, {Kind: Plateau, After: 1}} {
		name, config, stride := schedule.Kind, ruggedConfig(schedule), 1
		if schedule.Kind == Plateau {
			stride = 4
		}
		whole := &rugged{bowl{target: downhill}}
		want, report, err := Fit(context.Background(), backend, whole, start(), config)
		if err != nil {
			t.Fatal(err)
		}
		retried, skipped := 0, 0
		for _, e := range report.Epochs {
			retried, skipped = retried+e.Retried, skipped+e.Skipped
		}
		if skipped == 0 || retried == skipped {
			t.Fatalf("%s: %d batches retried, %d skipped, want some of each", name, retried, skipped)
		}
		for at := 1; at <= whole.calls; at += stride {
			die := at%2 == 0
			config.Checkpoint = &Checkpoint{Path: filepath.Join(t.TempDir(), "rugged"), Every: EachStep}
			problem := func(b bowl) Problem { return &rugged{b} }
			cutShortOf(t, problem, at, die, config)
			cutShortOf(t, problem, 2, die, config)
			got, again, err := Fit(context.Background(), backend, &rugged{bowl{target: downhill}}, start(), config)
			if err != nil {
				t.Fatalf("%s, cut at %d: %v", name, at, err)
			}
			if !got[0].Equal(want[0]) {
				t.Fatalf("%s, cut at %d (dies %v): parameters %v, want %v", name, at, die, got, want[0])
			}
			if diff := cmp.Diff(report, again, cmpopts.IgnoreFields(Epoch{}, "Seconds"), cmpopts.EquateNaNs(),
				cmpopts.IgnoreFields(Report{}, "Seconds")); diff != "" {
				t.Fatalf("%s, cut at %d (dies %v): report (-whole +cut):\n%s", name, at, die, diff)
			}
		}
	}
}

// The number of batches skipped in a row survives an interruption.
func TestCutBetweenSkips(t *testing.T) {
	wrong := map[int]stumble{4: notANumber, 5: notANumber, 6: notANumber}
	config := guardedConfig(&Guard{Skips: 3})
	config.Checkpoint = &Checkpoint{Path: filepath.Join(t.TempDir(), "bowl"), Every: EachStep}
	ctx, cancel := context.WithCancel(context.Background())
	p := &stumbling{bowl: bowl{target: downhill, cancel: cancel, cancelAt: 5}, wrong: wrong}
	if _, _, err := Fit(ctx, xlatest.Go(t), p, start(), config); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	p = &stumbling{bowl: bowl{target: downhill, calls: 5}, wrong: wrong}
	if _, _, err := Fit(context.Background(), xlatest.Go(t), p, start(), config); !errors.Is(err, ErrNotFinite) ||
		p.calls != 6 {
		t.Errorf("%v after %d calls, want the end at the sixth", err, p.calls)
	}
}

// A checkpoint from a version without counts of steps and skipped batches still loads.
func TestCheckpointWithoutTheAddedColumns(t *testing.T) {
	want, _, err := Fit(context.Background(), xlatest.Go(t), &bowl{target: downhill}, start(), checkpointed(nil))
	if err != nil {
		t.Fatal(err)
	}
	c := &Checkpoint{Path: filepath.Join(t.TempDir(), "bowl"), Every: EachStep}
	cutShort(t, 6, true, checkpointed(c))
	for serial := range 2 {
		file, err := safetensors.Read(c.slot(serial))
		if err != nil {
			t.Fatal(err)
		}
		var kept []safetensors.Tensor
		for _, array := range file.Tensors {
			added := false
			for _, column := range epochArrays {
				added = added || column.added && column.name == array.Name
			}
			if !added {
				kept = append(kept, array)
			}
		}
		if len(kept) != len(file.Tensors)-5 {
			t.Fatalf("%d of %d arrays are left, want five less", len(kept), len(file.Tensors))
		}
		position := file.Metadata[positionKey]
		if at := strings.Index(position, `"LargestNorm":`); at >= 0 {
			end := at + strings.Index(position[at:], ",") + 1
			file.Metadata[positionKey] = position[:at] + position[end:]
		}
		if err := safetensors.Write(c.slot(serial), file.Metadata, kept); err != nil {
			t.Fatal(err)
		}
	}
	got, report, err := Fit(context.Background(), xlatest.Go(t), &bowl{target: downhill}, start(), checkpointed(c))
	if err != nil || !got[0].Equal(want[0]) {
		t.Fatalf("%v, %v, want %v", got, err, want)
	}
	for i, e := range report.Epochs {
		if e.LargestNorm != e.GradientNorm {
			t.Errorf("epoch %d: %+v, want one norm", i, e)
		}
	}
}
