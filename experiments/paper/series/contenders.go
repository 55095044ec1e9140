package series

import (
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// hyperparameters are the published ones for a data set.
type hyperparameters struct {
	peng, original, gnode, stg, dcrnn, astgcn, stidgcn catalogue.Width
}

var (
	covidHyperparameters = hyperparameters{peng: catalogue.Width{Hidden: 64, Layers: 3}, original: catalogue.Width{Hidden: 32, Layers: 4}, gnode: catalogue.Width{Hidden: 32, Layers: 4},
		stg: catalogue.Width{Hidden: 32, Layers: 1}, dcrnn: catalogue.Width{Hidden: 16, Layers: 2}, astgcn: catalogue.Width{Hidden: 8, Layers: 3}, stidgcn: catalogue.Width{Hidden: 8}}
	tennisHyperparameters = hyperparameters{peng: catalogue.Width{Hidden: 64, Layers: 3}, original: catalogue.Width{Hidden: 8, Layers: 2}, gnode: catalogue.Width{Hidden: 32, Layers: 4},
		stg: catalogue.Width{Hidden: 32, Layers: 3}, dcrnn: catalogue.Width{Hidden: 64, Layers: 3}, astgcn: catalogue.Width{Hidden: 16, Layers: 3}, stidgcn: catalogue.Width{Hidden: 8}}
)

// contenders are the models of the paper's table of these data sets, for data of a size, windows of so many inputs, and
// constant steps of the equations but in profile full, which has the published ones.
func contenders(p experiments.Profile, data pengcde.Config, inputs int, step float64, h hyperparameters) []contender {
	equation := func(id string, w catalogue.Width) pengcde.Config {
		c := data
		c.Field, c.Hidden, c.Layers = catalogue.Must(id).Field, w.Hidden, w.Layers
		if p != experiments.Full {
			c.Step = step
		}
		return c
	}
	adaptive := func(id string, w catalogue.Width) pengcde.Config {
		c := equation(id, w)
		c.Step, c.Adaptive = 0, &ode.PID{}
		return c
	}
	coarser := func(id string, w catalogue.Width) pengcde.Config { // adaptive in profile full alone
		if p == experiments.Full {
			return adaptive(id, w)
		}
		return equation(id, w)
	}
	finer := func(w catalogue.Width) pengcde.Config { // with longer steps it hardly learns even one window
		c := equation("stg-ncde", w)
		c.Step /= 4
		return c
	}
	discrete := func(c contender, w catalogue.Width, asPublished bool) pengcde.Config {
		config := data
		config.Inputs, config.Normalise = inputs, dyngraph.Raw // they normalise the weights themselves
		config.Network = catalogue.Must(c.id).Network(w, asPublished)
		return config
	}
	all := []contender{
		{id: "peng", matrix: "normalised",
			published: h.peng,
			sizes:     []catalogue.Width{{Hidden: 8, Layers: 1}, {Hidden: 16, Layers: 2}, {Hidden: 32, Layers: 3}},
			tried:     dyngraph.NormalisedAdjacency,
			mended:    func(w catalogue.Width) pengcde.Config { return equation("peng", w) }},
		{id: catalogue.AffineID, matrix: "normalised", published: h.peng, alone: true, note: catalogue.AffineNote,
			training: train.Recommended(train.Config{}),
			mended: func(w catalogue.Width) pengcde.Config {
				c := data
				c.Hidden, c.Layers = w.Hidden, w.Layers
				return pengcde.Recommended(c)
			}},
		{id: "original", matrix: "normalised",
			published: h.original,
			sizes:     []catalogue.Width{{Hidden: 8, Layers: 1}, {Hidden: 16, Layers: 2}, {Hidden: 32, Layers: 4}},
			tried:     dyngraph.NormalisedAdjacency,
			mended:    func(w catalogue.Width) pengcde.Config { return equation("original", w) }},
		{id: "gn-ode", matrix: "normalised",
			published: h.gnode,
			sizes:     []catalogue.Width{{Hidden: 8, Layers: 1}, {Hidden: 16, Layers: 2}, {Hidden: 32, Layers: 4}},
			tried:     dyngraph.NormalisedAdjacency,
			mended:    func(w catalogue.Width) pengcde.Config { return coarser("gn-ode", w) },
			defects:   func(w catalogue.Width) pengcde.Config { return parity(adaptive("gn-ode", w)) }, defectiveMatrix: "raw"},
		{id: "stg-ncde", // whose gradients are not finite within a few epochs of the published steps
			published: h.stg,
			sizes:     []catalogue.Width{{Hidden: 8, Layers: 1}, {Hidden: 16, Layers: 1}, {Hidden: 32, Layers: 1}},
			mended:    func(w catalogue.Width) pengcde.Config { return finer(w) },
			defects:   func(w catalogue.Width) pengcde.Config { return parity(adaptive("stg-ncde", w)) }},
		{id: "dcrnn", matrix: "random walks", defectiveMatrix: "raw",
			published: h.dcrnn,
			sizes:     []catalogue.Width{{Hidden: 8, Layers: 1}, {Hidden: 16, Layers: 2}, {Hidden: 32, Layers: 2}}},
		{id: "astgcn", matrix: "Laplacian",
			published: h.astgcn,
			sizes:     []catalogue.Width{{Hidden: 4, Layers: 2}, {Hidden: 8, Layers: 3}, {Hidden: 16, Layers: 3}}},
		{id: "stidgcn",
			published: h.stidgcn,
			sizes:     []catalogue.Width{{Hidden: 4}, {Hidden: 8}, {Hidden: 16}}},
	}
	for i := range all {
		c := &all[i]
		c.name = catalogue.Must(c.id).Name
		if c.mended == nil {
			of := *c
			c.mended = func(w catalogue.Width) pengcde.Config { return discrete(of, w, false) }
			c.defects = func(w catalogue.Width) pengcde.Config { return discrete(of, w, true) }
		}
		if c.defects == nil && !c.alone {
			c.defects, c.defectiveMatrix = func(w catalogue.Width) pengcde.Config { return parity(c.mended(w)) }, "raw"
		}
		if p == experiments.Full && c.mended(c.published).Network != nil {
			c.training = train.Config{Epochs: 2000, EvaluateEvery: 25, Patience: 200, MinEpochs: 200}
		}
	}
	return all
}

// parity gives an equation the defects of the published code: raw weights, and a loss that forgets which node is which.
func parity(c pengcde.Config) pengcde.Config {
	c.Normalise, c.Parity = dyngraph.Raw, true
	return c
}
