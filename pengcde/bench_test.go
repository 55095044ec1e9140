package pengcde

import (
	"context"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/xla"
)

// BenchmarkWindow measures one training window with its gradient: of england-covid, 30 constant steps, and of
// twitter-tennis, 4.
func BenchmarkWindow(b *testing.B) {
	england, err := pgt.EnglandCovid()
	if err != nil {
		b.Fatal(err)
	}
	tennis, err := pgt.TwitterTennis(pgt.RG17)
	if err != nil {
		b.Fatal(err)
	}
	peng := func(hidden, layers int, step float64) Config {
		return Config{Hidden: hidden, Layers: layers,
			Equation: Equation{Step: step}}
	}
	for _, c := range []struct {
		name   string
		series *dyngraph.Series
		length int
		config Config
	}{
		{"england/peng-16x2", england, 5, peng(16, 2, 0)}, {"england/peng-64x3", england, 5, peng(64, 3, 0)},
		{"tennis/peng-16x2", tennis, 10, peng(16, 2, 2)}, {"tennis/peng-64x3", tennis, 10, peng(64, 3, 2)},
		{"tennis/dcrnn-16x2", tennis, 10, Config{Network: rivals.DCRNN{}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			split, err := c.series.Windows(c.length, c.length).Split(0.6, 0.2, 0)
			if err != nil {
				b.Fatal(err)
			}
			c.config.Nodes, c.config.Features = c.series.Nodes(), c.series.FeatureSize
			m, err := New(xlatest.Backend(b), c.config)
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			made, err := batches(m.backend, 1, source{m, split.Train[:1], nil})
			if err != nil {
				b.Fatal(err)
			}
			defer freeAll(made)
			call := func() {
				_, gradients, err := gradientOf(context.Background(), m.network, m.params, made[0])
				if err != nil {
					b.Fatal(err)
				}
				xla.Free(gradients...)
			}
			call() // compiles
			for b.Loop() {
				call()
			}
		})
	}
}
