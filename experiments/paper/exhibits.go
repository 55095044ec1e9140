package paper

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// Exhibit is a table or figure of the paper, or several of a kind.
type Exhibit struct {
	// Name is the paper's, Shows what it shows.
	Name, Shows string
	// Studies make ours.
	Studies []string
	// Items, where not nil, are what the first study's own tables lack of it. They are there without stored runs too,
	// with the published numbers alone.
	Items func(Evidence) ([]figures.Item, error)
}

// Exhibits are the tables and figures of results in the paper, in its order.
func Exhibits() []Exhibit {
	return []Exhibit{
		{Name: "Table 1", Shows: "errors on heat and genes, on four families of graphs", Studies: []string{"table1"}},
		{Name: "Figure 2", Shows: "errors over simulation time, on community graphs", Studies: []string{"table1"}},
		{Name: "Figure 3", Shows: "accuracy and time of an inference by number and regularity of observations",
			Studies: []string{"sir"}},
		{Name: "Table 2", Shows: "errors on Covid cases and on mentions during a tournament",
			Studies: []string{"epidemics", "twitter-tennis"}, Items: publishedSeriesTable},
		{Name: "Table 3", Shows: "NDCG@10 on data of the Temporal Graph Benchmark", Studies: []string{"node-affinity"},
			Items: publishedAffinityTable},
		{Name: "Table 4", Shows: "weights of the maps after training on heat", Studies: []string{"table1"},
			Items: weightsTable},
		{Name: "Times of training", Shows: "seconds of an epoch by number of nodes", Studies: []string{"table1"},
			Items: epochsTable},
		{Name: "Table of the appendix", Shows: "errors on wealth and opinion", Studies: []string{"table-wealth"}},
		{Name: "Critical-difference diagrams", Shows: "ranks of models on simulated worlds, and on series",
			Studies: []string{"table1", "table-wealth", "epidemics", "twitter-tennis"}},
	}
}

// InOrder are all studies in the order in which the paper has what they make, and last those that it has not.
func InOrder() (studies []experiments.Study) {
	var order []string
	for _, exhibit := range Exhibits() {
		order = append(order, exhibit.Studies...)
	}
	place := func(s experiments.Study) int {
		if at := slices.Index(order, s.Name); at >= 0 {
			return at
		}
		return len(order)
	}
	return slices.SortedStableFunc(slices.Values(All()), func(a, b experiments.Study) int { return place(a) - place(b) })
}

// NotReproduced says what of the paper's results is not among the exhibits, for a page that lists them.
const NotReproduced = "Not reproduced: the paper's tables of hyperparameters and of the ranges that it searched; rows as " +
	"published have the chosen ones. Figures 2 and 3 have no curves of the paper beside ours, as it prints no numbers of " +
	"them. Its own compute time stands beside ours, below."

// weightsTable shows the weights of PENG-CDE on heat, on the first family of graphs with runs; else the paper's alone.
func weightsTable(e Evidence) ([]figures.Item, error) {
	if report, _ := e.usable("table1"); report != nil {
		for _, family := range families() {
			table, err := Table1().Weights(report, "heat", family.Name(), "peng")
			if errors.Is(err, experiments.ErrNotStored) {
				continue
			}
			return []figures.Item{table}, err
		}
	}
	return []figures.Item{publishedWeightsTable()}, nil
}

// epochsTable has what was measured beside what the paper prints.
func epochsTable(e Evidence) ([]figures.Item, error) {
	t := &figures.Table{Title: "Seconds of a training epoch by number of nodes",
		Columns: []figures.Column{{Title: "model"}}}
	for _, nodes := range publishedNodes {
		side := graphs.Side(nodes)
		t.Columns = append(t.Columns, figures.Column{Title: fmt.Sprintf("%d nodes", side*side), Decimals: 2})
	}
	for _, id := range []string{"pre-mult", "peng"} {
		cells := []figures.Cell{figures.Text(publishedRows[id])}
		for i, nodes := range publishedNodes {
			cell, side := figures.Missing(), graphs.Side(nodes)
			if seconds := e.EpochSeconds[id][side*side]; seconds > 0 {
				cell = figures.Number(seconds)
			}
			cells = append(cells, cell.Published(publishedEpochs[id][i], math.NaN()))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Notes = []string{"Seconds of a training epoch: ours are of heat on four grids, whose numbers of nodes are " +
		"squares, with sparse products, on " + e.EpochMachine + ", as \"make bench\" measured them; the paper has 128, 256, " +
		"512, 1024 and 2048 nodes on a GPU (H100 or H200), and does not say which graphs."}
	return []figures.Item{t}, nil
}

// publishedAffinityTable has the paper's table, and ours on other trade.
func publishedAffinityTable(e Evidence) ([]figures.Item, error) {
	const ours = "agtpa-trade"
	t := &figures.Table{Title: "NDCG@10 on data of the Temporal Graph Benchmark, as the paper prints it",
		Columns: []figures.Column{{Title: "model"}, {Title: "tgbn-trade, paper"}, {Title: "tgbn-genre, paper"},
			{Title: "agtpa-trade, ours", Decimals: 3}}}
	var results experiments.Results
	if report, _ := e.usable("node-affinity"); report != nil {
		results = report.Results.Where("data", ours)
	}
	windows, _, _ := overWindows(results)
	for _, row := range publishedAffinity {
		cells := []figures.Cell{figures.Text(row.name)}
		for _, data := range []string{"tgbn-trade", "tgbn-genre"} {
			cell := experiments.None()
			if score, ok := row.on(data); ok && score[1] > 0 {
				cell = figures.Text(fmt.Sprintf("%.3f ± %.3f", score[0], score[1]))
			} else if ok {
				cell = figures.Text(fmt.Sprintf("%.3f", score[0]))
			}
			cells = append(cells, cell)
		}
		if some := results.Where("model", row.id); len(some) > 0 {
			by := protocolOfPaper(some[0].Model)
			over := experiments.Interval{}
			if by == RandomWindows {
				over = windows
			}
			cells = append(cells, some.Where("protocol", string(by)).Cell(testScore, over))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Finding = "TGB's data do not come with the module, so that ours on them are missing here. Where a folder holds " +
		"its files, \"pengcde run node-affinity --data FOLDER\" makes them and \"pengcde show\" sets them beside these. " +
		"Ours here are on trade between 69 countries, by the protocols of the paper's rows: other data, to which no number of " +
		"the paper compares."
	t.Notes = []string{"Table 3 as the paper prints it: ± is a standard deviation. Heuristics and rows from JODIE to " +
		"TGNv2 are by TGB's protocol, from its leaderboard; the others are on the paper's own windows."}
	return []figures.Item{t}, nil
}
