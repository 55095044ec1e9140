package tgn

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// Scores agree with PyTorch Geometric's modules, as bench/tgn/peer.py wrote them, after each batch of events.
func TestPeer(t *testing.T) {
	for name, c := range map[string]Config{"tgn": TGN(), "jodie": JODIE()} {
		content, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var peer struct {
			Nodes, Classes, Width, Neighbours int
			Params                            map[string][]float64
			Steps                             []struct {
				At                   float64
				Source, Destination  []int32
				Time, Weight, Scores []float64
			}
		}
		if err := json.Unmarshal(content, &peer); err != nil {
			t.Fatal(err)
		}
		c.Width, c.Neighbours, c.Float64 = peer.Width, peer.Neighbours, true
		n, err := New(xlatest.Go(t), c, affinity.Task{Nodes: peer.Nodes, Classes: peer.Classes, Step: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		for i, p := range n.layers.params() {
			if len(peer.Params[p.Name]) != p.Size() {
				t.Fatalf("%s: %s has %d entries, want %d", name, p.Name, len(peer.Params[p.Name]), p.Size())
			}
			n.core.Params[i] = n.core.Tensor(peer.Params[p.Name], p.Dims...)
		}
		nodes := make([]int32, peer.Nodes)
		for u := range nodes {
			nodes[u] = int32(u)
		}
		for k, step := range peer.Steps {
			var events []dyngraph.Event
			for i, at := range step.Time {
				events = append(events, dyngraph.Event{Time: at, Source: step.Source[i], Destination: step.Destination[i],
					Weight: step.Weight[i]})
			}
			if err := n.Observe(events); err != nil {
				t.Fatal(err)
			}
			scores := make([]float64, len(step.Scores))
			if err := n.Forecast(t.Context(), step.At, nodes, scores); err != nil {
				t.Fatal(err)
			}
			for i, want := range step.Scores {
				if math.Abs(scores[i]-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("%s, batch %d, score %d: %.15g, want %.15g", name, k, i, scores[i], want)
					break
				}
			}
		}
	}
}
