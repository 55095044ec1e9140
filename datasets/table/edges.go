package table

import (
	"context"
	"errors"
	"fmt"
	"math"
)

func (r *reader) readEdges(ctx context.Context) error {
	f, err := r.c.newFile(r.c.Edges.Path)
	if err != nil {
		return err
	}
	e := r.c.Edges
	r.edges.how = e.Aggregate
	columns := []string{e.From, e.To}
	timeAt, weightAt := -1, -1
	if e.Time != None {
		timeAt = len(columns)
		columns = append(columns, e.Time)
	}
	if e.Weight != None {
		weightAt = len(columns)
		columns = append(columns, e.Weight)
	}
	if err := distinct(f, columns); err != nil {
		return err
	}
	others, err := f.each(ctx, columns, func(p place, cells []cell) error {
		from, fault := r.node(p, e.From, cells[0])
		if fault != nil {
			return fault
		}
		to, fault := r.node(p, e.To, cells[1])
		if fault != nil {
			return fault
		}
		weight, snapshot, when := 1.0, 0, instant(0)
		if weightAt >= 0 {
			var ok bool
			if weight, ok = cells[weightAt].float(); !ok || math.IsNaN(weight) {
				return p.fault(e.Weight, cells[weightAt].asNumber(), "a number, or no row where there is no edge")
			}
			if weight < 0 && !e.Signed {
				return p.fault(e.Weight, cells[weightAt].String(), "no negative weight, or Edges.Signed and a model whose "+
					"normalisation can take it")
			}
		}
		if timeAt >= 0 {
			if snapshot, when, fault = r.snapshot(p, e.Time, cells[timeAt]); fault != nil {
				return fault
			}
			if r.edgesAt[snapshot] == 0 {
				r.edgesAt[snapshot] = p.at
			}
		}
		if from < 0 || to < 0 {
			return nil // an unknown node, said at the end
		}
		r.inEdges[from], r.inEdges[to] = true, true
		pair := uint64(uint32(from))<<32 | uint64(uint32(to))
		at, found := r.places[pair]
		if !found {
			at = int32(len(r.from))
			r.places[pair] = at
			r.held += edgeHolds
			r.from, r.to = append(r.from, from), append(r.to, to)
		}
		switch r.edges.row(snapshot, int(at)+1).add(e.Aggregate, int(at), weight, when) {
		case repeated:
			return p.fault("", fmt.Sprintf("a second edge from %s to %s at this time", quote(r.names[from]),
				quote(r.names[to])), "one, or Edges.Aggregate to say what becomes of several")
		case overflowed:
			return p.fault(e.Weight, "weights whose sum is too large for a float", "a smaller unit")
		}
		return r.full(p, &r.edges)
	})
	if err != nil {
		return withNone(err, e)
	}
	r.unread(f, others)
	r.noteEnd(f)
	r.edges.finish()
	return nil
}

// withNone adds to an error about a missing column that an edges file need not have it.
func withNone(err error, e Edges) error {
	var at *Error
	if errors.As(err, &at) && at.Wanted == wantedColumn {
		switch at.Column {
		case e.Time:
			at.Wanted += fmt.Sprintf(", or Edges.Time %q for a graph that does not change", None)
		case e.Weight:
			at.Wanted += fmt.Sprintf(", or Edges.Weight %q to count rows", None)
		}
	}
	return err
}
