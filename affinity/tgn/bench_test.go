package tgn

import (
	"testing"

	"github.com/peng-cde/pengcde-go/affinity/internal/rankertest"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// BenchmarkToken measures each network on 20 million events, see [rankertest.Scale]; with -short on a few.
func BenchmarkToken(b *testing.B) {
	for name, c := range variants {
		b.Run(name, func(b *testing.B) {
			n, err := New(xlatest.Backend(b), c, rankertest.ScaleTask())
			if err != nil {
				b.Fatal(err)
			}
			defer n.Close()
			rankertest.Scale(b, n.core, n)
		})
	}
}
