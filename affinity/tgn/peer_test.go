package tgn

import (
	"testing"

	"github.com/peng-cde/pengcde-go/affinity/internal/rankertest"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// Scores agree with the published modules, as bench/tgn/peer.py wrote them, after each batch of events.
func TestPeer(t *testing.T) {
	for name, c := range map[string]Config{"tgn": TGN(), "jodie": JODIE(), "dyrep": DyRep(), "tgnv2": TGNv2()} {
		peer := rankertest.ReadPeer(t, name)
		c.Width, c.Neighbours, c.Float64 = peer.Width, peer.Neighbours, true
		n := made(t, xlatest.Go(t), c, peer.Task())
		peer.Compare(t, name, n.core, n, 1e-12)
	}
}
