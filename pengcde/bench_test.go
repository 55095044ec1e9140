package pengcde

import (
	"context"
	"fmt"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// BenchmarkEnglandWindow is one training window of england-covid, 30 constant steps: forecast, and loss with gradient.
func BenchmarkEnglandWindow(b *testing.B) {
	series, err := pgt.EnglandCovid()
	if err != nil {
		b.Fatal(err)
	}
	split, err := series.Windows(5, 5).Split(0.6, 0.2, 0)
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []struct{ hidden, layers int }{{16, 2}, {64, 3}} {
		m, err := New(xlatest.Backend(b), Config{Nodes: 129, Features: 8, Hidden: size.hidden, Layers: size.layers})
		if err != nil {
			b.Fatal(err)
		}
		batches, err := batches(m.backend, 1, source{m, split.Train[:1], nil})
		if err != nil {
			b.Fatal(err)
		}
		ctx := context.Background()
		for name, call := range map[string]func() error{
			"forecast": func() error { _, _, err := m.network.(*equation).forecast(ctx, m.params, batches[0], nil); return err },
			"gradient": func() error {
				_, gradients, err := gradientOf(ctx, m.network, m.params, batches[0])
				xla.Free(gradients...)
				return err
			},
		} {
			b.Run(fmt.Sprintf("hidden=%d/layers=%d/%s", size.hidden, size.layers, name), func(b *testing.B) {
				if err := call(); err != nil { // compiles
					b.Fatal(err)
				}
				for b.Loop() {
					if err := call(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		batches[0].free()
		m.Close()
	}
}
