package sir

import (
	"context"
	"fmt"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// BenchmarkInference times one inference of a batch of 100 epidemics, from trajectories to logits, in the same way as
// the row "inference" of the study.
func BenchmarkInference(b *testing.B) {
	for _, id := range []string{"peng", "affine-steady", "original", "dcrnn"} {
		for _, observations := range []int{20, 200} {
			b.Run(fmt.Sprintf("%s/%d", id, observations), func(b *testing.B) {
				set, err := synthetic.GenerateClasses(b.Context(), synthetic.Classes{Tasks: synthetic.SIRClasses(),
					Config: synthetic.Config{Family: graphs.Grid{}, Nodes: sirSide * sirSide, Graphs: 16,
						Observations: observations, Horizon: 1, Seed: catalogue.TestSeed}})
				if err != nil {
					b.Fatal(err)
				}
				windows, err := set.Windows()
				if err != nil {
					b.Fatal(err)
				}
				var learner experiments.Learner
				for _, row := range sirSizes(experiments.Medium).rows(sampling{observations: observations}) {
					if row.ID != id {
						continue
					}
					if learner, err = row.New(xlatest.Backend(b)); err != nil {
						b.Fatal(err)
					}
				}
				learner.Reset(0)
				batch := filled(windows)
				call := func() {
					if _, err := learner.Forecast(context.Background(), batch); err != nil {
						b.Fatal(err)
					}
				}
				call() // compiles
				for b.Loop() {
					call()
				}
			})
		}
	}
}
