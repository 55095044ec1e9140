package paper

import (
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/ranking"
	"github.com/peng-cde/pengcde-go/experiments/paper/series"
	"github.com/peng-cde/pengcde-go/experiments/paper/worlds"
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
	Items func(judge.Evidence) ([]figures.Item, error)
}

// Exhibits are the tables and figures of results in the paper, in its order.
func Exhibits() []Exhibit {
	return []Exhibit{
		{Name: "Table 1", Shows: "errors on heat and genes, on four families of graphs", Studies: []string{"table1"}},
		{Name: "Figure 2", Shows: "errors over simulation time, on community graphs", Studies: []string{"table1"}},
		{Name: "Figure 3", Shows: "accuracy and time of an inference by number and regularity of observations",
			Studies: []string{"sir"}},
		{Name: "Table 2", Shows: "errors on Covid cases and on mentions during a tournament",
			Studies: []string{"epidemics", "twitter-tennis"}, Items: series.Table2},
		{Name: "Table 3", Shows: "NDCG@10 on data of the Temporal Graph Benchmark", Studies: []string{"node-affinity"},
			Items: ranking.Table3},
		{Name: "Table 4", Shows: "weights of the maps after training on heat", Studies: []string{"table1"},
			Items: worlds.WeightsTable},
		{Name: "Times of training", Shows: "seconds of an epoch by number of nodes", Studies: []string{"table1"},
			Items: worlds.EpochsTable},
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
const NotReproduced = "Not reproduced: the paper's tables of hyperparameters and of the ranges that it searched; " +
	"rows as published have the chosen ones. Figures 2 and 3 have no curves of the paper beside ours, as it prints no " +
	"numbers of them. Its own compute time stands beside ours, below."
