package table

import (
	"context"
	"fmt"
	"math"
)

func (r *reader) readNodes(ctx context.Context) error {
	f, err := r.c.newFile(r.c.Nodes.Path)
	if err != nil {
		return err
	}
	n := r.c.Nodes
	r.values.how = n.Aggregate
	columns := append(append([]string{n.Time, n.Node}, n.Targets...), n.Features...)
	if n.Time == None {
		return invalid("Nodes.Time %q, want the name of a column: values of nodes have times", None)
	}
	if err := distinct(f, columns); err != nil {
		return err
	}
	for k := range r.ends {
		r.ends[k] = notYet
	}
	width := r.width()
	others, err := f.each(ctx, columns, func(p place, cells []cell) error {
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
		}
		var row *gridRow
		first := int(node) * width
		if node >= 0 {
			row = r.values.row(snapshot, first+width)
			if n.Aggregate == Unique && row.add(Unique, first+width-1, 1, when) == repeated {
				return p.fault("", fmt.Sprintf("a second row for node %s at time %s", quote(r.names[node]), cells[0]),
					"one, or Nodes.Aggregate to say what becomes of several")
			}
		}
		for k, v := range cells[2:] {
			value, ok := v.float()
			if !ok {
				return p.fault(columns[k+2], v.asNumber(), "a finite number, or an empty cell where it is missing")
			}
			if row == nil || math.IsNaN(value) {
				continue
			}
			if row.add(n.Aggregate, first+k, value, when) == overflowed {
				return p.fault(columns[k+2], "values whose sum is too large for a float", "a smaller unit")
			}
		}
		return r.full(p, &r.values)
	})
	if err != nil {
		return err
	}
	r.unread(f, others)
	r.noteEnd(f)
	r.values.finish()
	return nil
}

// width is how many values of a node the grid holds: targets, features, and that the node has a row.
func (r *reader) width() int { return len(r.c.Nodes.Targets) + len(r.c.Nodes.Features) + 1 }

func distinct(f *file, columns []string) error {
	seen := make(map[string]bool, len(columns))
	for _, column := range columns {
		if seen[column] || column == "" {
			return invalid("%s: column %q is asked for twice or has no name, want each once: the last values of targets "+
				"are features already", f.path, column)
		}
		seen[column] = true
	}
	return nil
}
