package worlds

import (
	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

// Table1 returns the study of the paper's first table: heat diffusion and gene regulation on four families of graphs.
//
// Published: 400 nodes, four graphs each for training, validation and test; a model sees the first states and the
// changing graph, and is compared with the states at 80 times; hidden 16, 2 layers, linear encoder and readout,
// adaptive steps, AdamW with rate 0.01, at most 2000 epochs. The number of seeds is not stated; profiles
// medium and full have 3, some rows of medium on heat 6.
func Table1() *Worlds {
	return Worlds{
		Study: experiments.Study{Name: "table1", Title: "Heat diffusion and gene regulation", Data: simulated,
			About: prose.About("table1", "sizes"), Like: []string{"well-posed", "ablations"}},
		tasks: []synthetic.Task{synthetic.Heat, synthetic.Gene}, size: table1Size,
	}.complete()
}

// decisiveOnHeat lists the rows that show on heat how the recommended field compares with its rivals.
var decisiveOnHeat = []string{"recommended", "gn-ode", "adjacency", "constant", "dcrnn", "astgcn", "stidgcn",
	"stg-ncde", catalogue.LawID}

// table1Size returns the published sizes, with more seeds of decisive rows on heat with 100 nodes.
func table1Size(p experiments.Profile) worldsSize {
	size := publishedSize(p)
	if p == experiments.Medium {
		size.further = threeMore(decisiveOnHeat, func(of worldOf) bool { return of.keys["dynamics"] == "heat" })
	}
	return size
}

// Table1AsPublished returns Table1 with the defects of the published code: states stand still before each event,
// models in training see changes late and do not see all of them, and the models have the defects of
// [pengcde.Config].Parity.
func Table1AsPublished() *Worlds {
	w := *Table1()
	w.Name, w.Title, w.asPublished = "table1-as-published", "As table1, with published defects", true
	w.About, w.size = prose.About("table1-as-published", "sizes"), publishedSize
	w.Like, w.opening, w.drawn = nil, nil, nil // the figures of table1 have its name
	return w.complete()
}
