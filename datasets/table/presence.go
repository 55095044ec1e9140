package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

const (
	// ByRows, as [Nodes].Presence, makes a node present at the times at which the nodes file has a row for it. A time
	// for which the file has no row at all is as the one before.
	ByRows = "rows"
	// Seen, as [Nodes].Presence, makes a node present from its first row or edge on.
	Seen = "seen"
)

// presenceColumn reports whether Presence names a column.
func (n Nodes) presenceColumn() bool {
	return n.Presence != "" && n.Presence != ByRows && n.Presence != Seen
}

// notSeen is the first step of a node without a row and an edge.
const notSeen = math.MaxInt64

// see takes note that a node occurs at a snapshot.
func (r *reader) see(node int32, snapshot int) { r.seen[node] = min(r.seen[node], r.bins[snapshot]) }

// presence returns which nodes are present at which step, [steps][nodes]; nil if all are always present.
func (r *reader) presence(order []int, steps []step) [][]bool {
	if r.c.Nodes.Presence == "" {
		return nil
	}
	present := make([][]bool, len(steps))
	for i, at := range steps {
		row := make([]bool, len(order))
		if i > 0 {
			copy(row, present[i-1])
		}
		hasRows := at.snapshot >= 0 && r.nodesAt[at.snapshot] > 0
		for u, index := range order {
			switch {
			case r.c.Nodes.Presence == Seen:
				row[index] = r.seen[u] <= at.bin
			case r.c.Nodes.Presence == ByRows && hasRows:
				row[index] = r.values.has(at.snapshot, (u+1)*r.width()-1)
			case hasRows && r.states.has(at.snapshot, u):
				row[index] = r.states.rows[at.snapshot].value(u) == 1
			}
		}
		present[i] = row
	}
	return present
}

// has reports whether a snapshot has a value in a column.
func (g *grid) has(snapshot, column int) bool {
	return snapshot < len(g.rows) && column < g.rows[snapshot].columns && !math.IsNaN(g.rows[snapshot].value(column))
}

// isPresence is a value of the column that says which nodes are present.
func (p fileRow) isPresence(column string, v cell) (float64, *Error) {
	const wanted = "1 for a node that is present, 0 for an absent one, or true and false, or an empty cell for no change"
	switch {
	case strings.EqualFold(v.text, "true"):
		return 1, nil
	case strings.EqualFold(v.text, "false"):
		return 0, nil
	}
	value, fault := p.value(column, v, wanted)
	if fault == nil && !math.IsNaN(value) && value != 0 && value != 1 {
		fault = p.fault(column, v.String(), wanted)
	}
	return value, fault
}

// onlyPresent removes the values of absent nodes.
func (v values) onlyPresent(present [][]bool) {
	for i, there := range present {
		for _, row := range [][]float64{v.y[i], v.x[i], v.texts[i]} {
			for at := range row {
				if !there[at*len(there)/len(row)] {
					row[at] = math.NaN()
				}
			}
		}
	}
}

// checkEdges returns an error for edges of absent nodes in rows of the edges file. Such edges of a static or a held
// graph lose their weight.
func (r *reader) checkEdges(s *dyngraph.Series, graphs [][]float64, steps []step, present [][]bool) error {
	if r.c.Edges.Time == None {
		return nil
	}
	for i, there := range present {
		if steps[i].snapshot < 0 || r.edgesAt[steps[i].snapshot] == 0 {
			continue
		}
		for e, weight := range graphs[i] {
			from, to := s.Pattern.From[e], s.Pattern.To[e]
			if weight == 0 || there[from] && there[to] {
				continue
			}
			node := from
			if there[from] {
				node = to
			}
			f, err := r.c.newFile(r.c.Edges.Path)
			if err != nil {
				return err
			}
			row := fileRow{f, r.edgesAt[steps[i].snapshot]}
			return row.fault(r.c.Edges.Time, fmt.Sprintf("rows of the time %s, which begin here, with an edge from %s to %s, "+
				"and %s is absent then", r.clock.show(steps[i].bin),
				errs.Quote(s.NodeNames[from]), errs.Quote(s.NodeNames[to]), errs.Quote(s.NodeNames[node])),
				r.wantedPresence())
		}
	}
	return nil
}

func (r *reader) wantedPresence() string {
	wanted := fmt.Sprintf("a row of %s for it at that time", r.c.Nodes.Path)
	if r.c.Nodes.presenceColumn() {
		wanted = fmt.Sprintf("a 1 for it in column %q of %s", r.c.Nodes.Presence, r.c.Nodes.Path)
	}
	if r.closed { // a model was made with this Presence
		if r.c.Nodes.presenceColumn() {
			wanted += " or before, from the first time of these files on"
		}
		return wanted + ", or no edge"
	}
	return wanted + fmt.Sprintf(", no edge, or Nodes.Presence %q (present from the first row or edge on)", Seen)
}

// notePresence tells how many nodes are present.
func (r *reader) notePresence(present [][]bool) {
	if present == nil {
		return
	}
	count := func(row []bool) (there int) {
		for _, one := range row {
			if one {
				there++
			}
		}
		return there
	}
	counts := make([]int, len(present))
	left, back := make([]bool, len(r.names)), make([]bool, len(r.names))
	for i, row := range present {
		counts[i] = count(row)
		for u, there := range row {
			left[u] = left[u] || i > 0 && present[i-1][u] && !there
			back[u] = back[u] || left[u] && there
		}
	}
	if slices.Min(counts) == len(r.names) {
		r.notice("all %d nodes are always present", len(r.names))
		return
	}
	r.notice("%d to %d of %d nodes are present at a time, %d at the last", slices.Min(counts), slices.Max(counts),
		len(r.names), counts[len(counts)-1])
	if again := count(back); again > 0 && r.c.Nodes.Presence == ByRows {
		r.notice("%d nodes leave and come back, and how their features changed meanwhile is lost: if their rows are merely "+
			"missing, take Nodes.Presence %q", again, Seen)
	}
}
