package pengcde

import (
	"weak"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// run identifies the windows of a series with the same numbers of inputs and snapshots.
type run struct {
	series            weak.Pointer[dyngraph.Series]
	inputs, snapshots int
	normalise         dyngraph.Normalisation
}

// ownEdges removes the edges that have no weight in a window, so that less is gathered. It does so if matrices are
// sparse and the windows of the series have less than half of all neighbours. All windows of a run share one capacity,
// so that they share programs.
func (m *Model) ownEdges(w dyngraph.Window, pattern *dyngraph.Pattern, snapshots [][]float64) (*dyngraph.Pattern,
	[][]float64, equivariant.NeighbourCapacity) {
	c, none := m.computing(), equivariant.NeighbourCapacity{}
	if w.Whole || w.Inputs() >= len(w.Series.Times) || c.Head.Traits().Whole || traits(c.Field).EveryEdge ||
		c.Product.Choose(pattern.Nodes, pattern.Edges()) != equivariant.Sparse {
		return pattern, snapshots, none
	}
	key := run{weak.Make(w.Series), w.Inputs(), len(w.Series.Times), c.Normalise}
	capacity, known := m.capacities[key]
	if !known {
		capacity = m.capacityOf(w)
		if m.capacities == nil {
			m.capacities = make(map[run]equivariant.NeighbourCapacity)
		}
		for other := range m.capacities {
			if other.series.Value() == nil {
				delete(m.capacities, other)
			}
		}
		m.capacities[key] = capacity
	}
	if capacity.Entries() == 0 {
		return pattern, snapshots, none
	}
	pattern, snapshots = pattern.Used(snapshots)
	return pattern, snapshots, capacity
}

// capacityOf returns the capacity for the windows of a run. The capacity is empty if the windows keep all edges: if
// they have half of the neighbours or more, or if the weights of a window cannot be normalised.
func (m *Model) capacityOf(w dyngraph.Window) equivariant.NeighbourCapacity {
	s := w.Series
	pattern, _, err := m.config.Normalise.Apply(s.Pattern, s.Weights[:1])
	if err != nil {
		return equivariant.NeighbourCapacity{}
	}
	capacity, all, err := equivariant.WindowCapacity(pattern, len(s.Weights), w.Inputs(), func(k int) ([]float64, error) {
		_, one, err := m.config.Normalise.Apply(s.Pattern, s.Weights[k:k+1])
		if err != nil {
			return nil, err
		}
		return one[0], nil
	})
	if err != nil || 2*capacity.Entries() >= all.Entries() {
		return equivariant.NeighbourCapacity{}
	}
	return capacity
}
