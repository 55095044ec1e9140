package bench

import (
	"fmt"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
)

// BenchmarkAffine reports the seconds per epoch of [field.Affine] and of the published field, in turn, on the case of
// the races, with the total tries of its adaptive steps.
func BenchmarkAffine(b *testing.B) {
	for _, nodes := range []int{100, 144, 529} {
		b.Run(fmt.Sprintf("n=%d", nodes), func(b *testing.B) {
			c, err := newCase(b.Context(), Setting{Nodes: nodes, Seed: 1234})
			if err != nil {
				b.Fatal(err)
			}
			var models [2]*pengcde.Model
			for i, f := range []field.Field{field.PENG{}, field.Affine()} {
				c.config.Field = f
				if models[i], err = pengcde.New(xlatest.Backend(b), c.config); err != nil {
					b.Fatal(err)
				}
				defer models[i].Close()
			}
			epoch := func(i int) float64 {
				report, err := models[i].Fit(b.Context(), c.windows, nil, c.training)
				if err != nil {
					b.Fatal(err)
				}
				return report.Epochs[0].Seconds
			}
			var seconds [2][]float64
			for i := range models {
				epoch(i) // compiles
			}
			for b.Loop() {
				for i := range models {
					seconds[i] = append(seconds[i], epoch(i))
				}
			}
			var ratios []float64
			for k := range seconds[0] {
				ratios = append(ratios, seconds[1][k]/seconds[0][k])
			}
			for i, name := range []string{"published", "affine"} {
				steps, err := c.steps(b.Context(), models[i])
				if err != nil {
					b.Fatal(err)
				}
				tries := 0
				for _, s := range steps {
					tries += s.Accepted + s.Rejected
				}
				b.ReportMetric(float64(tries), name+"-tries")
				b.ReportMetric(spreadOf(seconds[i]).Median, name+"-s")
				b.ReportMetric(slices.Min(seconds[i]), name+"-least-s")
			}
			b.ReportMetric(spreadOf(seconds[1]).Median/spreadOf(seconds[0]).Median, "ratio")
			b.ReportMetric(spreadOf(ratios).Median, "ratio-of-turns")
		})
	}
}
