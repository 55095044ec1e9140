package worlds

import (
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// worldsSize holds the settings of a profile.
type worldsSize struct {
	// nodes is a square number, as a grid has.
	nodes, seeds, epochs int
	families             []graphs.Family
	// evaluateEvery and patience are in epochs.
	evaluateEvery, patience int
	// models lists the IDs of rows.
	models []string
	// kappas lists the values of κ for [Contact] on communities.
	kappas []float64
	// except, if not nil, reports whether a row is left out on a family.
	except func(model, family string) bool
	// further, if not nil, returns the number of seeds of a row in a world beyond seeds.
	further func(model string, of worldOf) int
}

// seedsOf returns the number of seeds of a row in a world.
func (s worldsSize) seedsOf(model string, of worldOf) int {
	if s.further == nil {
		return s.seeds
	}
	return s.seeds + s.further(model, of)
}

// threeMore returns a worldsSize.further with three seeds for these rows in some worlds.
func threeMore(rows []string, in func(worldOf) bool) func(model string, of worldOf) int {
	return func(model string, of worldOf) int {
		if in(of) && slices.Contains(rows, model) {
			return 3
		}
		return 0
	}
}

// publishedNodes is the number of nodes of a graph in the published tables.
const publishedNodes = 400

// publishedSize returns the size of the published tables, or a smaller one for smaller machines.
func publishedSize(p experiments.Profile) worldsSize {
	size := worldsSize{nodes: publishedNodes, seeds: 3, epochs: 2000, families: catalogue.Families(), evaluateEvery: 25,
		patience: 200,
		models: []string{"dcrnn", "astgcn", "stidgcn", "stg-ncde", "constant", "gn-ode", "adjacency", "pre-mult",
			"pre-mult-fair", "original", "peng", "recommended", catalogue.LawID, "peng15", "peng-fast"}}
	switch p {
	case experiments.Medium:
		size.nodes = 100
		size.models = slices.DeleteFunc(size.models, func(id string) bool { return id == "peng-fast" })
	case experiments.Quick:
		size.nodes, size.seeds, size.epochs, size.evaluateEvery = 100, 1, 6, 5
		size.families, size.models = catalogue.Families("grid"), []string{"constant", "original", "peng", "recommended"}
	}
	return size
}

// shortTraining is the number of epochs below which products are dense. They take more than twice as long on 100
// nodes, but compile once for all graphs instead of once for each data set.
const shortTraining = 20

// worldModel is a row of a table.
type worldModel struct {
	experiments.Row
	// maps lists the maps whose weights are stored.
	maps []equivariant.Map
	// allTimes reports that parameters depend on the number of observations, so that training uses all of them, see
	// [trainedAtAllTimes].
	allTimes bool
}

// models returns the rows of a profile.
func (w Worlds) models(size worldsSize) []worldModel {
	config := pengcde.Config{Nodes: size.nodes, Features: 1, Hidden: 16, Layers: 2,
		Input:    pengcde.Input{GraphOnly: true},
		Equation: pengcde.Equation{LinearCoders: true, Adaptive: &ode.PID{}, Parity: w.asPublished}}
	if size.epochs < shortTraining {
		config.Product = equivariant.Dense
	}
	training := train.Config{Epochs: size.epochs, EvaluateEvery: size.evaluateEvery, Patience: size.patience,
		MinEpochs: 200, BatchSize: trainingGraphs, AdamW: train.AdamW{LearningRate: 0.01}}
	fast := training
	fast.AdamW.LearningRate = 0.1
	with := func(f field.Field) pengcde.Config {
		c := config
		c.Field = f
		return c
	}
	model := func(id string) worldModel {
		m := catalogue.Must(id)
		return worldModel{Row: experiments.NetworkRow(id, m.Name, with(m.Field), training), maps: keptMaps(m.Field)}
	}
	maps15 := with(field.PENG{Maps: equivariant.All15()})
	all := []worldModel{model("constant"), model("gn-ode"), model("adjacency"), model("pre-mult"), model("pre-mult-fair"),
		model("original"), model("peng"), model("peng15"), model("peng-fast")}
	for i := range all {
		m := &all[i]
		switch m.ID {
		case "pre-mult":
			c := with(field.PreMult{})
			c.Parity = true
			m.Row = experiments.NetworkRow(m.ID, m.Name, c, training)
		case "peng15":
			m.Row, m.maps = experiments.NetworkRow(m.ID, m.Name, maps15, training), equivariant.All15()
		case "peng-fast":
			m.Row = experiments.NetworkRow(m.ID, m.Name, config, fast)
		}
	}
	if !w.asPublished {
		all = slices.Concat(w.rivals(config, training), all, settings(config, training), ablated(config, training))
	}
	for i := range all {
		all[i].Note = worldNotes[all[i].ID]
	}
	return slices.DeleteFunc(all, func(m worldModel) bool { return !slices.Contains(size.models, m.ID) })
}

var worldNotes = map[string]string{
	"pre-mult":  prose.Text("pre-mult"),
	"peng-fast": "Rate 0.1: the learning rate of the published configuration; the paper prints 0.01.",
}
