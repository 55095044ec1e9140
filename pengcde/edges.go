package pengcde

import (
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// edges are what a model knows of the edges of its series. The zero value knows nothing.
type edges struct {
	room equivariant.Room // that windows on their own edges fit in
	own  map[run]bool     // whether the windows of a run have less than half of all edges
}

// run are the windows of a series with so many inputs, among so many snapshots.
type run struct {
	series            *dyngraph.Series
	inputs, snapshots int
}

// remembered bounds the series that a model holds on to.
const remembered = 16

// ownEdges leaves out the edges that have no weight in a window, where windows of its series have less than half of all
// edges and matrices are sparse: then less is gathered. All such windows share one room, so that they share what is
// compiled.
func (m *Model) ownEdges(w dyngraph.Window, pattern *dyngraph.Pattern, snapshots [][]float64) (*dyngraph.Pattern,
	[][]float64, equivariant.Room) {
	c := m.config
	if w.Whole || c.Output == Affinity || traits(c.Field).EveryEdge ||
		c.Product.Choose(pattern.Nodes, pattern.Edges()) != equivariant.Sparse {
		return pattern, snapshots, equivariant.Room{}
	}
	key := run{w.Series, w.Inputs(), len(w.Series.Times)}
	own, known := m.edges.own[key]
	if !known {
		own = m.startEdges(key)
		if m.edges.own == nil || len(m.edges.own) >= remembered {
			m.edges.own = make(map[run]bool)
		}
		m.edges.own[key] = own
	}
	if !own {
		return pattern, snapshots, equivariant.Room{}
	}
	pattern, snapshots = pattern.Used(snapshots)
	return pattern, snapshots, m.edges.room
}

// startEdges makes room for the windows of a run and says whether they have few edges. Where another window has weights
// that cannot be normalised, that is not known.
func (m *Model) startEdges(r run) bool {
	pattern, snapshots, err := m.config.Normalise.Apply(r.series.Pattern, r.series.Weights)
	if err != nil {
		return false
	}
	room := equivariant.RunsRoom(pattern, snapshots, r.inputs)
	if 2*room.Entries() >= equivariant.RunsRoom(pattern, snapshots, len(snapshots)).Entries() {
		return false
	}
	m.edges.room = m.edges.room.With(room)
	return true
}
