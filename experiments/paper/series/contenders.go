package series

import (
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// hyperparameters holds the published hyperparameters for a data set.
type hyperparameters struct {
	peng, original, gnode, stg, dcrnn, astgcn, stidgcn catalogue.Width
}

// widths returns a width with these numbers of hidden features and layers.
func widths(hidden, layers int) catalogue.Width {
	return catalogue.Width{Hidden: hidden, Layers: layers}
}

var (
	covidHyperparameters = hyperparameters{peng: widths(64, 3), original: widths(32, 4), gnode: widths(32, 4),
		stg: widths(32, 1), dcrnn: widths(16, 2), astgcn: widths(8, 3), stidgcn: widths(8, 0)}
	tennisHyperparameters = hyperparameters{peng: widths(64, 3), original: widths(8, 2), gnode: widths(32, 4),
		stg: widths(32, 3), dcrnn: widths(64, 3), astgcn: widths(16, 3), stidgcn: widths(8, 0)}
)

// contenders returns the models of the paper's table of these data sets, for data of this size and windows with this
// number of inputs. The equations use constant steps, except in profile full, which uses the published steps.
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
	coarser := func(id string, w catalogue.Width) pengcde.Config { // adaptive only in profile full
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
			sizes:     []catalogue.Width{widths(8, 1), widths(16, 2), widths(32, 3)},
			tried:     dyngraph.NormalisedAdjacency,
			corrected: func(w catalogue.Width) pengcde.Config { return equation("peng", w) }},
		{id: catalogue.AffineID, matrix: "normalised", published: h.peng, alone: true, note: catalogue.AffineNote,
			training: train.Recommended(train.Config{}),
			corrected: func(w catalogue.Width) pengcde.Config {
				c := data
				c.Hidden, c.Layers = w.Hidden, w.Layers
				return pengcde.Recommended(c)
			}},
		{id: "original", matrix: "normalised",
			published: h.original,
			sizes:     []catalogue.Width{widths(8, 1), widths(16, 2), widths(32, 4)},
			tried:     dyngraph.NormalisedAdjacency,
			corrected: func(w catalogue.Width) pengcde.Config { return equation("original", w) }},
		{id: "gn-ode", matrix: "normalised",
			published: h.gnode,
			sizes:     []catalogue.Width{widths(8, 1), widths(16, 2), widths(32, 4)},
			tried:     dyngraph.NormalisedAdjacency,
			corrected: func(w catalogue.Width) pengcde.Config { return coarser("gn-ode", w) },
			defects:   func(w catalogue.Width) pengcde.Config { return parity(adaptive("gn-ode", w)) }, defectiveMatrix: "raw"},
		{id: "stg-ncde", // its gradients are not finite within a few epochs of the published steps
			published: h.stg,
			sizes:     []catalogue.Width{widths(8, 1), widths(16, 1), widths(32, 1)},
			corrected: func(w catalogue.Width) pengcde.Config { return finer(w) },
			defects:   func(w catalogue.Width) pengcde.Config { return parity(adaptive("stg-ncde", w)) }},
		{id: "dcrnn", matrix: "random walks", defectiveMatrix: "raw",
			published: h.dcrnn,
			sizes:     []catalogue.Width{widths(8, 1), widths(16, 2), widths(32, 2)}},
		{id: "astgcn", matrix: "Laplacian",
			published: h.astgcn,
			sizes:     []catalogue.Width{widths(4, 2), widths(8, 3), widths(16, 3)}},
		{id: "stidgcn",
			published: h.stidgcn,
			sizes:     []catalogue.Width{widths(4, 0), widths(8, 0), widths(16, 0)}},
	}
	for i := range all {
		c := &all[i]
		c.name = catalogue.Must(c.id).Name
		if c.corrected == nil {
			of := *c
			c.corrected = func(w catalogue.Width) pengcde.Config { return discrete(of, w, false) }
			c.defects = func(w catalogue.Width) pengcde.Config { return discrete(of, w, true) }
		}
		if c.defects == nil && !c.alone {
			c.defects, c.defectiveMatrix = func(w catalogue.Width) pengcde.Config { return parity(c.corrected(w)) }, "raw"
		}
		if p == experiments.Full && c.corrected(c.published).Network != nil {
			c.training = train.Config{Epochs: 2000, EvaluateEvery: 25, Patience: 200, MinEpochs: 200}
		}
	}
	return all
}

// parity gives an equation the defects of the published code: raw weights, and a loss that ignores the identity of
// nodes.
func parity(c pengcde.Config) pengcde.Config {
	c.Normalise, c.Parity = dyngraph.Raw, true
	return c
}
