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

// Exhibit is a table or figure of the paper, or a group of them.
type Exhibit struct {
	// Name is the paper's name of the exhibit, and Shows describes it.
	Name, Shows string
	// Studies names the studies that reproduce it.
	Studies []string
	// Items, if not nil, returns the tables of the exhibit that the first study's own tables lack. Without stored
	// runs they show only the published numbers.
	Items func(judge.Evidence) ([]figures.Item, error)
}

// Exhibits returns the tables and figures of results in the paper, in its order.
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

// Prints reports whether an exhibit of the paper shows a study of that name.
func Prints(study string) bool {
	return slices.ContainsFunc(Exhibits(), func(e Exhibit) bool { return slices.Contains(e.Studies, study) })
}

// InOrder returns all studies in the order of their exhibits in the paper, followed by the studies that are not in
// it.
func InOrder() (studies []experiments.Study) {
	var order []string
	for _, exhibit := range Exhibits() {
		order = append(order, exhibit.Studies...)
	}
	index := func(s experiments.Study) int {
		if at := slices.Index(order, s.Name); at >= 0 {
			return at
		}
		return len(order)
	}
	return slices.SortedStableFunc(slices.Values(All()), func(a, b experiments.Study) int { return index(a) - index(b) })
}

// NotReproduced lists the results of the paper that are not among the exhibits, for a page.
const NotReproduced = "Not reproduced: the search behind the paper's tables of hyperparameters; the page " +
	"\"Which model when\" has these tables beside the sizes used here. Figures 2 and 3 have no curves of the paper " +
	"beside ours, as it prints no numbers of them. Its own compute time stands beside ours, below."
