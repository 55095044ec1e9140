package rankertest

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Peer is what a published network gave: its parameters, events in batches, and the scores of all nodes after each.
type Peer struct {
	Nodes, Classes, Width, TimeWidth, Neighbours int
	Params                                       map[string][]float64
	Steps                                        []struct {
		At                   float64
		Source, Destination  []int32
		Time, Weight, Scores []float64
	}
}

// ReadPeer reads what bench/tgn wrote for a network: from testdata, or from the folder $PENGCDE_PEER_TGN.
func ReadPeer(t *testing.T, name string) (p Peer) {
	t.Helper()
	folder := cmp.Or(os.Getenv("PENGCDE_PEER_TGN"), "testdata")
	content, err := os.ReadFile(filepath.Join(folder, name+".json"))
	if err == nil {
		err = json.Unmarshal(content, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Task returns the task of a peer.
func (p Peer) Task() affinity.Task { return affinity.Task{Nodes: p.Nodes, Classes: p.Classes, Step: 1} }

// Compare tests that a network with the peer's parameters has its scores, up to a relative tolerance.
func (p Peer) Compare(t *testing.T, name string, r *ranker.Ranker, f affinity.Forecaster, tolerance float64) {
	t.Helper()
	for i, declared := range r.Declared() {
		values := p.Params[declared.Name]
		if len(values) != declared.Size() {
			t.Fatalf("%s: %s has %d entries, want %d", name, declared.Name, len(values), declared.Size())
		}
		r.Params[i] = r.Tensor(values, declared.Dims...)
	}
	if len(r.Declared()) != len(p.Params) {
		t.Errorf("%s: %d parameters, the peer has %d", name, len(r.Declared()), len(p.Params))
	}
	nodes := make([]int32, p.Nodes)
	for u := range nodes {
		nodes[u] = int32(u)
	}
	for k, step := range p.Steps {
		var events []dyngraph.Event
		for i, at := range step.Time {
			events = append(events, dyngraph.Event{Time: at, Source: step.Source[i], Destination: step.Destination[i],
				Weight: step.Weight[i]})
		}
		if err := f.Observe(events); err != nil {
			t.Fatal(err)
		}
		scores := make([]float64, len(step.Scores))
		if err := f.Forecast(t.Context(), step.At, nodes, scores); err != nil {
			t.Fatal(err)
		}
		for i, want := range step.Scores {
			if math.Abs(scores[i]-want) > tolerance*(1+math.Abs(want)) {
				t.Errorf("%s, batch %d, score %d: %.15g, want %.15g", name, k, i, scores[i], want)
				break
			}
		}
	}
}
