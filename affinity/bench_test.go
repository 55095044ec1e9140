package affinity_test

import (
	"runtime/debug"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/internal/affinitytest"
	"github.com/peng-cde/pengcde-go/internal/cputime"
	"github.com/peng-cde/pengcde-go/internal/resident"
)

// BenchmarkToken measures the processor time of each forecaster without a network on 20 million events in 47 weeks of
// 60,755 users: "s/pass" is a pass through all labels, and all events where it needs them, with forecasts for the
// tested weeks; "s/training" is the training before it, in one epoch where there are epochs. With -short there are a
// few events.
func BenchmarkToken(b *testing.B) {
	data, err := affinity.New(b.Context(), "tokens", 1, affinitytest.Token(testing.Short()))
	if err != nil {
		b.Fatal(err)
	}
	plan, err := data.Official(affinity.Strict)
	if err != nil {
		b.Fatal(err)
	}
	all := map[string]func() affinity.Forecaster{
		"gated state, 1 epoch": func() affinity.Forecaster { return &affinity.GatedState{Epochs: 1} }}
	for name, make := range heuristics {
		if name != "trained" && name != "gated state" {
			all[name] = make
		}
	}
	for name, make := range all {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				debug.FreeOSMemory()
				resident.Reset()
				f, start := make(), cputime.Used()
				if trainer, ok := f.(affinity.Trainer); ok {
					if err := trainer.Train(b.Context(), plan.Past()); err != nil {
						b.Fatal(err)
					}
					b.ReportMetric((cputime.Used() - start).Seconds(), "s/training")
				}
				start = cputime.Used()
				report, err := affinity.Score(b.Context(), plan, f, affinity.Test)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric((cputime.Used() - start).Seconds(), "s/pass")
				b.ReportMetric(float64(resident.Peak())/(1<<20), "MiB-peak")
				b.ReportMetric(report.Mean(affinity.Test), "NDCG")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}
