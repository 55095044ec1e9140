package learned_test

import (
	"context"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/learned"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/affinitytest"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// BenchmarkToken measures an epoch of training, one batch for each week, and the peak resident memory. With -short the
// graph is small.
func BenchmarkToken(b *testing.B) {
	ctx, source := context.Background(), affinitytest.Token(testing.Short())
	source.Weeks = 8
	data, err := affinity.New(ctx, "tokens", 1, source)
	if err != nil {
		b.Fatal(err)
	}
	plans, err := data.Rotation(1, 1)
	if err != nil {
		b.Fatal(err)
	}
	model, err := pengcde.New(xlatest.Backend(b), learned.Config(pengcde.Config{Hidden: 8, Layers: 2,
		Input:    pengcde.Input{RowFeatures: 8, Normalise: dyngraph.Log},
		Equation: pengcde.Equation{LinearCoders: true, Step: 0.5}}, data.Task))
	if err != nil {
		b.Fatal(err)
	}
	defer model.Close()
	f := &learned.Forecaster{Model: model}
	training, _, err := f.Windows(ctx, plans[0].Past())
	if err != nil {
		b.Fatal(err)
	}
	resident.Reset()
	for b.Loop() {
		report, err := model.Fit(ctx, training, nil, train.Config{Epochs: 2, BatchSize: 1,
			EvaluateEvery: train.NoValidation})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(report.Epochs[1].Seconds, "s/epoch")
		b.ReportMetric(float64(len(training)), "weeks")
	}
	b.ReportMetric(float64(resident.Peak())/(1<<20), "MiB")
}
