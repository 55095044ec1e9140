package table

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

func (r *reader) readEdges(ctx context.Context) error {
	f, err := r.c.newFile(r.c.Edges.Path)
	if err != nil {
		return err
	}
	e := &r.c.Edges
	r.edges.how = e.Aggregate
	columns := []column{r.column(&e.From, "Edges.From", fromNames, ""), r.column(&e.To, "Edges.To", toNames, "")}
	timeAt, weightAt := -1, -1
	if e.Time != None {
		timeAt = len(columns)
		columns = append(columns, r.column(&e.Time, "Edges.Time", timeNames, "for a graph that does not change"))
	}
	if e.Weight != None {
		weightAt = len(columns)
		columns = append(columns, r.column(&e.Weight, "Edges.Weight", weightNames, "to count rows"))
	}
	numbers := len(columns)
	for i := range e.Features {
		c := r.column(&e.Features[i], "Edges.Features", nil, "")
		c.shared = true
		columns = append(columns, c)
	}
	r.sums.how = Sum
	if err := distinct(f, columns); err != nil {
		return err
	}
	var empty *Error // about the first row without a weight
	rows, emptyRows, repeats := 0, 0, 0
	others, err := f.each(ctx, columns, func(p fileRow, cells []cell) error {
		rows++
		weight, snapshot, when := 1.0, 0, instant(0)
		if weightAt >= 0 {
			var fault *Error
			weight, fault = p.value(e.Weight, cells[weightAt], "a number, or no row where there is no edge")
			if fault != nil {
				return fault
			}
			if math.IsNaN(weight) {
				if emptyRows++; emptyRows == 1 {
					empty = p.fault(e.Weight, cells[weightAt].String(), "")
				}
				if e.EmptyWeight != Zero {
					return nil // dropped, or an error at the end, which counts all
				}
				weight = 0
			}
			if weight < 0 && !e.Signed {
				return p.fault(e.Weight, cells[weightAt].String(), "no negative weight, or Edges.Signed and a model whose "+
					"normalisation can take it")
			}
		}
		from, fault := r.node(p, e.From, cells[0])
		if fault != nil {
			return fault
		}
		to, fault := r.node(p, e.To, cells[1])
		if fault != nil {
			return fault
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
		if timeAt >= 0 {
			r.see(from, snapshot)
			r.see(to, snapshot)
		}
		pair := uint64(uint32(from))<<32 | uint64(uint32(to))
		at, found := r.edgeNumbers[pair]
		if !found {
			at = int32(len(r.from))
			r.edgeNumbers[pair] = at
			r.held += edgeHolds
			r.from, r.to = append(r.from, from), append(r.to, to)
		}
		switch r.edges.row(snapshot, int(at)+1).add(e.Aggregate, int(at), weight, when) {
		case repeated:
			return p.fault("", fmt.Sprintf("a second edge from %s to %s at this time", errs.Quote(r.names[from]),
				errs.Quote(r.names[to])), "one, or Edges.Aggregate to combine several")
		case combined:
			repeats++
		case overflowed:
			return p.fault(e.Weight, "weights whose sum is too large for a float", "a smaller unit")
		}
		if err := r.full(p, &r.edges); err != nil {
			return err
		}
		for k, v := range cells[numbers:] {
			if fault := r.sum(p, k, v, snapshot, from, to); fault != nil {
				return fault
			}
		}
		return r.full(p, &r.sums)
	})
	if errors.Is(err, errAlike) {
		err = r.telling(ctx, f, columns[timeAt], err)
	}
	if err == nil && emptyRows > 0 {
		err = r.emptyWeights(f, empty, emptyRows, rows)
	}
	if err != nil {
		return err
	}
	r.noteColumns(f, others)
	r.noteRepeatedEdges(f, repeats, rows)
	r.noteEnd(f)
	r.edges.finish()
	return nil
}

// sum adds the value of an edge's feature to the sums of the nodes that it joins.
func (r *reader) sum(p fileRow, feature int, v cell, snapshot int, from, to int32) error {
	column := r.c.Edges.Features[feature]
	value, fault := p.value(column, v, "a finite number, or an empty cell where it is missing")
	if fault != nil {
		return fault
	}
	if math.IsNaN(value) {
		return nil
	}
	size := 2 * len(r.c.Edges.Features)
	for way, node := range []int32{from, to} {
		at := int(node)*size + 2*feature + way
		if r.sums.row(snapshot, at+1).add(Sum, at, value, 0) == overflowed {
			return p.fault(column, "values whose sum is too large for a float", "a smaller unit")
		}
	}
	return nil
}

// emptyWeights tells of rows without a weight, the first of which is a fault: a notice, or an error if they are refused
// or no row is left.
func (r *reader) emptyWeights(f *file, first *Error, empty, rows int) error {
	how := r.c.Edges.EmptyWeight
	switch {
	case how == Refuse:
		first.Found += fmt.Sprintf(", in this and all together %d of %d rows", empty, rows)
		first.Wanted = fmt.Sprintf("numbers, or Edges.EmptyWeight %q or %q (no edge, or weight 0)", Drop, Zero)
		return first
	case how == Drop && empty == rows:
		return &Error{Path: f.path, Column: r.c.Edges.Weight, Found: "no weight in any row, so that none is left",
			Wanted: fmt.Sprintf("weights, or Edges.EmptyWeight %q", Zero)}
	}
	r.notice("%s: %d of %d rows have no weight: Edges.EmptyWeight %q %s", f.path, empty, rows, how,
		map[EmptyWeight]string{Drop: "leaves them out", Zero: "makes it 0"}[how])
	return nil
}
