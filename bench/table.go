package bench

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
)

// column describes a column of a table: its title, its decimals and how a row fills it.
type column[R any] struct {
	title    string
	decimals int
	cell     func(R) figures.Cell
}

// tabulate leaves out columns that all rows lack.
func tabulate[R any](title string, notes []string, rows []R, columns []column[R]) *figures.Table {
	table := &figures.Table{Title: title, Rows: make([][]figures.Cell, len(rows)), Notes: notes}
	for _, c := range columns {
		cells, missing := make([]figures.Cell, len(rows)), len(rows) > 0
		for i, r := range rows {
			cells[i] = c.cell(r)
			missing = missing && cells[i].IsMissing()
		}
		if missing {
			continue
		}
		table.Columns = append(table.Columns, figures.Column{Title: c.title, Decimals: c.decimals})
		for i, cell := range cells {
			table.Rows[i] = append(table.Rows[i], cell)
		}
	}
	return table
}

// Table returns the rows by model and size, with seconds, memory, steps, and notes on where they were measured.
// Columns that no row fills are left out, such as the peer's if it took no part in any race.
func (f File) Table() *figures.Table {
	models, machines := f.models(), f.machines()
	rows := slices.SortedStableFunc(slices.Values(f.Rows), func(a, b Row) int {
		return cmp.Or(cmp.Compare(slices.Index(models, a.Model), slices.Index(models, b.Model)),
			cmp.Compare(a.nodes(), b.nodes()))
	})
	title := fmt.Sprintf("An epoch: forward, gradient and update, of %d series on grids", batchSize)
	return tabulate(title, f.notes(), rows, []column[Row]{
		{"model", 0, func(r Row) figures.Cell {
			name := modelName(r.Model)
			if r.Variant == implicit && (r.Peer > 0 || r.OutOfMemory) {
				name += ", implicit peer"
			}
			if r.Steps == own {
				name += ", peer on its own steps"
			}
			if r.Batch > 0 {
				name += fmt.Sprintf(", %d at a time", r.Batch)
			}
			return figures.Text(name)
		}},
		{"n", 0, func(r Row) figures.Cell { return figures.Number(float64(r.N)) }},
		{"nodes", 0, func(r Row) figures.Cell { return figures.Number(float64(r.nodes())) }},
		{"epoch, s", 2, func(r Row) figures.Cell { return measured(r.Ours) }},
		{"peer", 2, func(r Row) figures.Cell { return r.ofPeer(r.Peer) }},
		{"ratio", 0, func(r Row) figures.Cell {
			if r.OutOfMemory {
				return figures.Text("out of memory")
			}
			return textIf(r.Peer != 0, "%.1f (%.1f to %.1f)", r.Ratio.Median, r.Ratio.Low, r.Ratio.High)
		}},
		{"inference, s", 3, func(r Row) figures.Cell { return measured(r.OursInference) }},
		{"peer", 3, func(r Row) figures.Cell { return r.ofPeer(r.PeerInference) }},
		{"compiling, s", 1, func(r Row) figures.Cell { return measured(r.OursCompile) }},
		{"peer", 1, func(r Row) figures.Cell { return r.ofPeer(r.PeerCompile) }},
		{"memory, MiB", -1, func(r Row) figures.Cell { return measured(mebi(r.OursBytes)) }},
		{"peer", -1, func(r Row) figures.Cell { return r.ofPeer(mebi(r.PeerBytes)) }},
		{"planned / above base, MiB", 0, func(r Row) figures.Cell {
			return textIf(r.PlannedBytes != 0 && r.OursBytes != 0, "%.0f / %.0f", mebi(r.PlannedBytes),
				mebi(r.OursBytes-r.BaseBytes))
		}},
		{"steps", 0, func(r Row) figures.Cell { return textIf(r.Accepted != 0, "%d + %d", r.Accepted, r.Rejected) }},
		{"peer's steps", 0, func(r Row) figures.Cell {
			return textIf(r.PeerAccepted != 0, "%d + %d", r.PeerAccepted, r.PeerRejected)
		}},
		{"evaluations, planned / taken", 0, func(r Row) figures.Cell {
			return textIf(r.PlannedEvaluations != 0, "%d / %d", r.PlannedEvaluations, r.Evaluations)
		}},
		{"machine", 0, func(r Row) figures.Cell { return textIf(len(machines) > 1, "%s", r.machine()) }},
	})
}

// textIf returns a cell that is missing if nothing was measured.
func textIf(measured bool, format string, args ...any) figures.Cell {
	if !measured {
		return figures.Missing()
	}
	return figures.Text(fmt.Sprintf(format, args...))
}

// measured returns a number that is missing if it is 0.
func measured(value float64) figures.Cell {
	if value <= 0 {
		return figures.Missing()
	}
	return figures.Number(value)
}

// ofPeer returns a number that is also missing if the peer ran out of memory.
func (r Row) ofPeer(value float64) figures.Cell {
	if r.OutOfMemory {
		return figures.Missing()
	}
	return measured(value)
}

// notes explains the columns, and lists the commits and versions of every machine.
func (f File) notes() []string {
	notes := []string{"n: nodes asked for; nodes: nodes of the grid; steps: accepted + rejected, in all series; " +
		"memory: the largest resident"}
	if slices.ContainsFunc(f.Rows, func(r Row) bool { return r.PlannedBytes > 0 }) {
		notes = append(notes, "planned, before the first epoch: data, states, parameters and estimated memory of "+
			"programs, on device and host; above base: the largest resident memory less the memory before compiling, with "+
			"the compiler, what it made and Go's garbage; evaluations: forward, in all series, planned as if all "+
			"accepted as many steps as the series with the most, and rejected none")
	}
	if slices.ContainsFunc(f.Rows, func(r Row) bool { return r.Peer > 0 || r.OutOfMemory }) {
		note := "ratio: seconds of the peer over ours, median over pairs of turns (least to largest)"
		for _, gib := range distinct(f.Rows, func(r Row) float64 { return r.PeerGiB }) {
			if gib > 0 {
				note += fmt.Sprintf("; the peer may take %g GiB", gib)
			}
		}
		notes = append(notes, note)
	}
	for _, machine := range f.machines() {
		rows := slices.DeleteFunc(slices.Clone(f.Rows), func(r Row) bool { return r.machine() != machine })
		note := machine
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

// versions returns the versions in one line, without the backend, which the machine names.
func (r Row) versions() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		if name != "backend" {
			all = append(all, name+" "+strings.TrimPrefix(r.Versions[name], name))
		}
	}
	return strings.Join(all, ", ")
}
