package table

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/tabular"
)

func (r *reader) readNodes(ctx context.Context) error {
	f, err := r.c.newFile(r.c.Nodes.Path)
	if err != nil {
		return err
	}
	n := &r.c.Nodes
	r.values.how = n.Aggregate
	r.clock.text = "" // the files may have other decimal signs
	columns := []column{r.column(&n.Time, "Nodes.Time", timeNames, ""), r.column(&n.Node, "Nodes.Node", nodeNames, "")}
	for i := range n.Targets {
		columns = append(columns, r.column(&n.Targets[i], "Nodes.Targets", nil, ""))
	}
	for i := range n.Features {
		columns = append(columns, r.column(&n.Features[i], "Nodes.Features", nil, ""))
	}
	numbers := len(columns)
	for i := range n.Categories {
		columns = append(columns, r.column(&n.Categories[i], "Nodes.Categories", nil, ""))
	}
	presenceAt := len(columns)
	if n.presenceColumn() {
		c := r.column(&n.Presence, "Nodes.Presence", nil, "")
		c.truth = true
		columns = append(columns, c)
	}
	r.texts.how, r.textNames = Last, make([]texts, len(n.Categories))
	if n.Time == None {
		return invalid("Nodes.Time %q, want the name of a column: values of nodes have times", None)
	}
	if err := distinct(f, columns); err != nil {
		return err
	}
	for k := range r.ends {
		r.ends[k] = notYet
	}
	width, rows, repeats := r.width(), 0, 0
	others, err := f.each(ctx, columns, func(p fileRow, cells []cell) error {
		rows++
		snapshot, when, fault := r.snapshot(p, n.Time, cells[0])
		if fault != nil {
			return fault
		}
		if r.nodesAt[snapshot] == 0 {
			r.nodesAt[snapshot] = p.at
		}
		node, fault := r.node(p, n.Node, cells[1])
		if fault != nil {
			return fault
		}
		if node >= 0 {
			r.inNodes[node] = true
			r.see(node, snapshot)
		}
		var row *gridRow
		first := int(node) * width
		if node >= 0 {
			row = r.values.row(snapshot, first+width)
			if row.mark(n.Aggregate, first+width-1) == repeated {
				if repeats++; n.Aggregate == Unique {
					found := fmt.Sprintf("a second row for node %s at time %s", errs.Quote(r.names[node]), cells[0])
					wanted := fmt.Sprintf("one, or Nodes.Aggregate %q, %q or %q to combine several", Mean, Sum, Last)
					if r.clock.dated && r.clock.zoned.file == nil && !tabular.WholeDay(when.date()) {
						wanted += "; if a clock went back then, write times with their offsets"
					}
					return p.fault("", found, wanted)
				}
			}
		}
		for k, v := range cells[2:numbers] {
			column := *columns[k+2].name
			value, fault := p.value(column, v, "a finite number, or an empty cell where it is missing")
			if fault != nil {
				return fault
			}
			if k < len(n.Targets) && value < 0 && r.c.Scale == Log1p {
				return p.fault(column, v.String(), fmt.Sprintf("0 or more, as Config.Scale %q takes", Log1p))
			}
			if row == nil || math.IsNaN(value) {
				continue
			}
			if row.add(n.Aggregate, first+k, value, when) == overflowed {
				return p.fault(column, "values whose sum is too large for a float", "a smaller unit")
			}
		}
		for k, v := range cells[numbers:presenceAt] {
			number, fault := r.textNames[k].number(p, n.Categories[k], v)
			if fault != nil {
				return fault
			}
			if row != nil && !math.IsNaN(number) {
				at := int(node)*len(n.Categories) + k
				r.texts.row(snapshot, at+1).add(Last, at, number, when)
			}
		}
		for _, v := range cells[presenceAt:] {
			state, fault := p.isPresence(n.Presence, v)
			if fault != nil {
				return fault
			}
			if row != nil && !math.IsNaN(state) {
				r.states.row(snapshot, int(node)+1).add(Last, int(node), state, when)
			}
		}
		if err := r.full(p, &r.texts); err != nil {
			return err
		}
		return r.full(p, &r.values)
	})
	if errors.Is(err, errAlike) {
		err = r.telling(ctx, f, columns[0], err)
	}
	if err != nil {
		return err
	}
	r.noteColumns(f, others)
	r.noteRepeatedNodes(f, repeats, rows)
	r.noteEnd(f)
	r.values.finish()
	return nil
}

// width is how many values of a node the grid holds: targets, features, and that the node has a row.
func (r *reader) width() int { return len(r.c.Nodes.Targets) + len(r.c.Nodes.Features) + 1 }
