package table

import (
	"fmt"
	"math"
	"runtime"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/countsort"
)

// manyEdges is how many make the table of their numbers one of 100 MiB and more.
const manyEdges = 1 << 22

// pattern is made of the edges, each of which occurs once, with the index of each in it. [dyngraph.NewPattern] does so
// too, in three times the memory.
func (r *reader) pattern(order []int) (*dyngraph.Pattern, []int32) {
	r.edgeNumbers = nil // only for reading
	if len(r.from) > manyEdges {
		runtime.GC() // their memory is for what follows; Go would take as much again first
	}
	for e := range r.from {
		r.from[e], r.to[e] = int32(order[r.from[e]]), int32(order[r.to[e]])
	}
	sorted := countsort.Order(len(r.names), r.from, countsort.Order(len(r.names), r.to, nil))
	p := &dyngraph.Pattern{Nodes: len(r.names), From: make([]int32, len(sorted)), To: make([]int32, len(sorted))}
	index := make([]int32, len(sorted))
	for at, e := range sorted {
		p.From[at], p.To[at], index[e] = r.from[e], r.to[e], int32(at)
	}
	r.from, r.to = nil, nil
	return p, index
}

// distinctGraphs is how many rows of weights graphs makes; snapshots share the row of a graph that does not change.
func (r *reader) distinctGraphs(steps []step) int {
	if r.c.Edges.Time == None {
		return 1
	}
	own := 0
	for _, step := range steps {
		if step.snapshot >= 0 && r.edgesAt[step.snapshot] > 0 {
			own++
		}
	}
	if own < len(steps) && r.c.WithoutEdges == Empty {
		return own + 1
	}
	return own
}

// graphs makes the pattern and returns the weights of each step.
func (r *reader) graphs(s *dyngraph.Series, order []int, steps []step) ([][]float64, error) {
	pattern, index := r.pattern(order)
	s.Pattern = pattern
	weights := func(snapshot int) []float64 {
		row := make([]float64, pattern.Edges())
		from := r.edges.rows[snapshot]
		for k := range from.columns {
			if w := from.value(k); !math.IsNaN(w) {
				row[index[k]] = w
			}
		}
		r.edges.rows[snapshot] = gridRow{} // its memory is for the rows to come
		return row
	}
	graphs := make([][]float64, len(steps))
	if r.c.Edges.Time == None {
		static := weights(0)
		for i := range graphs {
			graphs[i] = static
		}
		return graphs, nil
	}
	var last, none []float64
	held := 0
	for i, step := range steps {
		if step.snapshot >= 0 && r.edgesAt[step.snapshot] > 0 {
			last = weights(step.snapshot)
			graphs[i] = last
			continue
		}
		held++
		switch {
		case r.c.WithoutEdges == Hold && last != nil:
			graphs[i] = last
		case r.c.WithoutEdges == Empty:
			if none == nil {
				none = make([]float64, pattern.Edges())
			}
			graphs[i] = none
		default:
			return nil, r.withoutEdges(step)
		}
	}
	if held > 0 {
		r.notice("%s has no row for %d of %d snapshots: their graph is %s", r.c.Edges.Path, held, len(steps),
			map[WithoutEdges]string{Hold: "the last one before", Empty: "one without edges"}[r.c.WithoutEdges])
	}
	return graphs, nil
}

// withoutEdges is the error about a step for which the edges file has no row.
func (r *reader) withoutEdges(at step) error {
	when := r.clock.show(at.bin)
	wanted := `edges at each time, or Config.WithoutEdges "hold" or "empty" (the last graph again, or none)`
	if r.c.WithoutEdges == Hold {
		wanted = `edges at the first time: "hold" has no graph before it to repeat; Config.WithoutEdges "empty" takes none`
	}
	if at.snapshot >= 0 && r.nodesAt[at.snapshot] > 0 {
		f, err := r.c.newFile(r.c.Nodes.Path)
		if err != nil {
			return err
		}
		return fileRow{f, r.nodesAt[at.snapshot]}.fault(r.c.Nodes.Time, fmt.Sprintf("the time %s, for which %s has no row",
			when, r.c.Edges.Path), wanted)
	}
	return &Error{Path: r.c.Edges.Path, Column: r.c.Edges.Time, Found: fmt.Sprintf("no row for the step of %v from %s on",
		r.c.Step, when), Wanted: wanted}
}
