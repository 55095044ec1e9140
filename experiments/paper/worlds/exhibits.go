package worlds

import (
	"errors"
	"fmt"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// WeightsTable returns the weights of PENG-CDE on heat, on the first family of graphs with runs; without runs, only
// the paper's.
func WeightsTable(e judge.Evidence) ([]figures.Item, error) {
	if report, _ := e.Usable("table1"); report != nil {
		for _, family := range catalogue.Families() {
			table, err := Table1().Weights(report, "heat", family.Name(), "peng")
			if errors.Is(err, experiments.ErrNotStored) {
				continue
			}
			return []figures.Item{table}, err
		}
	}
	return []figures.Item{publishedWeightsTable()}, nil
}

// EpochsTable returns the measured seconds next to the printed ones.
func EpochsTable(e judge.Evidence) ([]figures.Item, error) {
	t := &figures.Table{Title: "Seconds of a training epoch by number of nodes",
		Columns: []figures.Column{{Title: "model"}}}
	for _, nodes := range catalogue.PublishedNodes {
		side := graphs.Side(nodes)
		t.Columns = append(t.Columns, figures.Column{Title: fmt.Sprintf("%d nodes", side*side), Decimals: 2})
	}
	for _, id := range []string{"pre-mult", "peng"} {
		cells := []figures.Cell{figures.Text(catalogue.PublishedName("epoch", id))}
		for _, nodes := range catalogue.PublishedNodes {
			cell, side := figures.Missing(), graphs.Side(nodes)
			if seconds := e.EpochSeconds[id][side*side]; seconds > 0 {
				cell = figures.Number(seconds)
			}
			cells = append(cells, cell.Published(figures.Number(paperSeconds(id, nodes))))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Notes = []string{"Seconds of a training epoch: ours are of heat on four grids, whose numbers of nodes are " +
		"squares, with sparse products, on " + e.EpochMachine + ", as \"make bench\" measured them; the paper has 128, " +
		"256, 512, 1024 and 2048 nodes on a GPU (H100 or H200), and does not say which graphs."}
	return []figures.Item{t}, nil
}
