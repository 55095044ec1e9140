package pengcde

import (
	"weak"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// run are the windows of a series with so many inputs, among so many snapshots.
type run struct {
	series            weak.Pointer[dyngraph.Series]
	inputs, snapshots int
	normalise         dyngraph.Normalisation
}

// ownEdges leaves out the edges that have no weight in a window, where windows of its series have less than half of all
// neighbours and matrices are sparse: then less is gathered. All windows of a run share one capacity, so that they share
// programs.
func (m *Model) ownEdges(w dyngraph.Window, pattern *dyngraph.Pattern, snapshots [][]float64) (*dyngraph.Pattern,
	[][]float64, equivariant.NeighbourCapacity) {
	c, none := m.computing(), equivariant.NeighbourCapacity{}
	if w.Whole || w.Inputs() >= len(w.Series.Times) || c.Head.Traits().Whole || traits(c.Field).EveryEdge ||
		c.Product.Choose(pattern.Nodes, pattern.Edges()) != equivariant.Sparse {
		return pattern, snapshots, none
	}
	key := run{weak.Make(w.Series), w.Inputs(), len(w.Series.Times), c.Normalise}
	room, known := m.rooms[key]
	if !known {
		room = m.roomOf(w)
		if m.rooms == nil {
			m.rooms = make(map[run]equivariant.NeighbourCapacity)
		}
		for other := range m.rooms {
			if other.series.Value() == nil {
				delete(m.rooms, other)
			}
		}
		m.rooms[key] = room
	}
	if room.Entries() == 0 {
		return pattern, snapshots, none
	}
	pattern, snapshots = pattern.Used(snapshots)
	return pattern, snapshots, room
}

// roomOf returns the capacity for the windows of a run. It is empty where they are to have all edges: where they have
// half of the neighbours or more, and where the weights of one cannot be normalised.
func (m *Model) roomOf(w dyngraph.Window) equivariant.NeighbourCapacity {
	s := w.Series
	pattern, _, err := m.config.Normalise.Apply(s.Pattern, s.Weights[:1])
	if err != nil {
		return equivariant.NeighbourCapacity{}
	}
	room, all, err := equivariant.WindowCapacity(pattern, len(s.Weights), w.Inputs(), func(k int) ([]float64, error) {
		_, one, err := m.config.Normalise.Apply(s.Pattern, s.Weights[k:k+1])
		if err != nil {
			return nil, err
		}
		return one[0], nil
	})
	if err != nil || 2*room.Entries() >= all.Entries() {
		return equivariant.NeighbourCapacity{}
	}
	return room
}
