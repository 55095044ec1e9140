package paper

import (
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// worldsSize is what a profile decides.
type worldsSize struct {
	// nodes is a square number, as a grid has.
	nodes, seeds, epochs int
	families             []graphs.Family
	// evaluateEvery and patience are epochs.
	evaluateEvery, patience int
	// models are the IDs of rows.
	models []string
	// kappas are the values of κ for [Contact] on communities.
	kappas []float64
	// except, where set, leaves a row out on a family.
	except func(model, family string) bool
}

// publishedSize returns the size of the published tables, or a smaller one for smaller machines.
func publishedSize(p experiments.Profile) worldsSize {
	size := worldsSize{nodes: 400, seeds: 10, epochs: 2000, families: families(), evaluateEvery: 25, patience: 200,
		models: []string{"dcrnn", "astgcn", "stidgcn", "stg-ncde", "constant", "gn-ode", "adjacency", "pre-mult",
			"pre-mult-fair", "original", "peng", "recommended", lawID, "peng15", "peng-fast"}}
	switch p {
	case experiments.Medium:
		size.nodes, size.seeds, size.models = 100, 3, size.models[:14]
	case experiments.Quick:
		size.nodes, size.seeds, size.epochs, size.evaluateEvery = 100, 1, 6, 5
		size.families, size.models = families("grid"), []string{"constant", "original", "peng", "recommended"}
	}
	return size
}

// shortTraining is the number of epochs below which products are dense: they take more than twice as long on 100
// nodes, but compile once for all graphs, in place of once for each data set.
const shortTraining = 20

// worldModel is a row of a table.
type worldModel struct {
	experiments.Model
	// maps are those whose weights are kept.
	maps []equivariant.Map
	// allTimes says that parameters depend on the number of observations, so that training has all of them, see
	// [trainedAtAllTimes].
	allTimes bool
}

// models are the rows of a profile.
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
	model := func(id, name string, f field.Field) worldModel {
		return worldModel{Model: experiments.Network(id, name, with(f), training)}
	}
	preMult := with(field.PreMult{})
	preMult.Parity = true
	all := []worldModel{
		model("constant", "Constant", field.Constant{}),
		model("gn-ode", "GN-ODE", field.GNODE{}),
		model("adjacency", "Adjacency GN-CDE", field.Adjacency{}),
		{Model: experiments.Network("pre-mult", "Pre-Mult GN-CDE, published start", preMult, training)},
		model("pre-mult-fair", "Pre-Mult GN-CDE, our start", field.PreMult{}),
		model("original", "Original GN-CDE", field.Original{}),
		{Model: experiments.Network("peng", "PENG-CDE", config, training), maps: equivariant.Published8()},
		{Model: experiments.Network("peng15", "PENG-CDE, all 15 maps", with(field.PENG{Maps: equivariant.All15()}), training),
			maps: equivariant.All15()},
		{Model: experiments.Network("peng-fast", "PENG-CDE, rate 0.1", config, fast), maps: equivariant.Published8()},
	}
	if !w.asPublished {
		all = slices.Concat(w.rivals(config, training), all, settings(config, training))
	}
	for i := range all {
		all[i].Note = worldNotes[all[i].ID]
	}
	return slices.DeleteFunc(all, func(m worldModel) bool { return !slices.Contains(size.models, m.ID) })
}

var worldNotes = map[string]string{
	"pre-mult": "Pre-Mult, published start: its n x n matrices are drawn from U(0, 1), so that a layer's output begins " +
		"some n times too large; without that, from U(-1/n, 1/n). Its steps do not end beside changes, as in the " +
		"published code.",
	"peng-fast": "Rate 0.1: the learning rate of the published configuration; the paper prints 0.01.",
}
