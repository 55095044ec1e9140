package bench

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
)

// column is one of a table: its title, how a row fills it, how many decimals, and whether it says something of the peer
// or of a plan.
type column struct {
	title         string
	cell          func(Row) figures.Cell
	decimals      int
	peer, planned bool
}

// Table shows the rows by model and size, with seconds, memory, steps, and notes on where they were measured. Columns
// of the peer are left out where it took no part in any race, those of plans where no row has one.
func (f File) Table() *figures.Table {
	columns := []column{
		{title: "model", cell: func(r Row) figures.Cell {
			name := modelName(r.Model)
			if r.Variant == implicit && (r.Peer > 0 || r.OutOfMemory) {
				name += ", implicit peer"
			}
			if r.Batch > 0 {
				name += fmt.Sprintf(", %d at a time", r.Batch)
			}
			return figures.Text(name)
		}},
		{title: "n", cell: func(r Row) figures.Cell { return figures.Number(float64(r.N)) }},
		{title: "nodes", cell: func(r Row) figures.Cell { return figures.Number(float64(r.nodes())) }},
		measured("epoch, s", 2, func(r Row) float64 { return r.Ours }),
		ofPeer("peer", 2, func(r Row) float64 { return r.Peer }),
		{title: "ratio", peer: true, cell: func(r Row) figures.Cell {
			if r.OutOfMemory {
				return figures.Text("out of memory")
			}
			return textIf(r.Peer != 0, "%.1f (%.1f to %.1f)", r.Ratio.Median, r.Ratio.Low, r.Ratio.High)
		}},
		measured("inference, s", 3, func(r Row) float64 { return r.OursInference }),
		ofPeer("peer", 3, func(r Row) float64 { return r.PeerInference }),
		measured("compiling, s", 1, func(r Row) float64 { return r.OursCompile }),
		ofPeer("peer", 1, func(r Row) float64 { return r.PeerCompile }),
		measured("memory, MiB", -1, func(r Row) float64 { return mebi(r.OursBytes) }),
		ofPeer("peer", -1, func(r Row) float64 { return mebi(r.PeerBytes) }),
		{title: "planned / above base, MiB", planned: true, cell: func(r Row) figures.Cell {
			return textIf(r.PlannedBytes != 0 && r.OursBytes != 0, "%.0f / %.0f", mebi(r.PlannedBytes),
				mebi(r.OursBytes-r.BaseBytes))
		}},
		{title: "steps", cell: func(r Row) figures.Cell {
			return textIf(r.Accepted != 0, "%d + %d", r.Accepted, r.Rejected)
		}},
		{title: "evaluations, planned / taken", planned: true, cell: func(r Row) figures.Cell {
			return textIf(r.PlannedEvaluations != 0, "%d / %d", r.PlannedEvaluations, r.Evaluations)
		}},
	}
	if len(f.places()) > 1 {
		place := func(r Row) figures.Cell { return figures.Text(r.place()) }
		columns = append(columns, column{title: "machine", cell: place})
	}
	raced := slices.ContainsFunc(f.Rows, func(r Row) bool { return r.Peer > 0 || r.OutOfMemory })
	planned := slices.ContainsFunc(f.Rows, func(r Row) bool { return r.PlannedBytes > 0 })
	columns = slices.DeleteFunc(columns, func(c column) bool { return c.peer && !raced || c.planned && !planned })
	models := f.models()
	rows := slices.SortedStableFunc(slices.Values(f.Rows), func(a, b Row) int {
		return cmp.Or(cmp.Compare(slices.Index(models, a.Model), slices.Index(models, b.Model)), cmp.Compare(a.N, b.N))
	})
	title := fmt.Sprintf("An epoch: forward, gradient and update, of %d series on grids", batchSize)
	table := &figures.Table{Title: title, Rows: make([][]figures.Cell, len(rows)), Notes: f.notes(raced, planned)}
	for _, c := range columns {
		table.Columns = append(table.Columns, figures.Column{Title: c.title, Decimals: c.decimals})
		for i, r := range rows {
			table.Rows[i] = append(table.Rows[i], c.cell(r))
		}
	}
	return table
}

// textIf is a cell that is missing where nothing was measured.
func textIf(measured bool, format string, args ...any) figures.Cell {
	if !measured {
		return figures.Missing()
	}
	return figures.Text(fmt.Sprintf(format, args...))
}

// measured is a column of numbers that are missing where they are 0.
func measured(title string, decimals int, value func(Row) float64) column {
	return column{title: title, decimals: decimals, cell: func(r Row) figures.Cell {
		if v := value(r); v > 0 {
			return figures.Number(v)
		}
		return figures.Missing()
	}}
}

func ofPeer(title string, decimals int, value func(Row) float64) column {
	c := measured(title, decimals, func(r Row) float64 {
		if r.OutOfMemory {
			return 0
		}
		return value(r)
	})
	c.peer = true
	return c
}

// notes say what the columns are, and of every machine the commits and versions.
func (f File) notes(raced, planned bool) []string {
	notes := []string{"n: what was asked for; nodes: those of the grid; steps: accepted + rejected, in all series; " +
		"memory: the largest resident"}
	if planned {
		notes = append(notes, "planned, before the first epoch: data, states, parameters and estimated memory of "+
			"programs, on device and host; above base: the largest resident memory less that before compiling, with "+
			"the compiler, what it made and Go's garbage; evaluations: forward, in all series, planned as if all "+
			"accepted as many steps as that with the most, and rejected none")
	}
	if raced {
		notes = append(notes, "ratio: seconds of the peer over ours, median over pairs of turns (least to largest)"+
			limits(f.Rows))
	}
	for _, place := range f.places() {
		rows := slices.DeleteFunc(slices.Clone(f.Rows), func(r Row) bool { return r.place() != place })
		note := place
		if commits := slices.DeleteFunc(distinct(rows, func(r Row) string { return r.Commit }),
			func(c string) bool { return c == "" }); len(commits) > 0 {
			note += ", at " + strings.Join(commits, ", ")
		}
		if versions := distinct(rows, Row.versions); len(versions) > 0 && versions[0] != "" {
			note += ": " + strings.Join(versions, "; ")
		}
		notes = append(notes, note)
	}
	return notes
}

// limits are those of the peer's memory.
func limits(rows []Row) (text string) {
	for _, gib := range distinct(rows, func(r Row) float64 { return r.PeerGiB }) {
		if gib > 0 {
			text += fmt.Sprintf("; the peer may take %g GiB", gib)
		}
	}
	return text
}

// versions are in one line, without the backend, which is part of the place.
func (r Row) versions() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		if name != "backend" {
			all = append(all, name+" "+strings.TrimPrefix(r.Versions[name], name))
		}
	}
	return strings.Join(all, ", ")
}
