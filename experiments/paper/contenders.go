package paper

import (
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// width is the width of a model's hidden layers or state and the number of its layers, for ASTGCN of polynomials.
type width struct{ hidden, layers int }

// hyperparameters are the published ones for a data set.
type hyperparameters struct {
	peng, original, gnode, stg, dcrnn, astgcn, stidgcn width
}

var (
	covidHyperparameters = hyperparameters{peng: width{64, 3}, original: width{32, 4}, gnode: width{32, 4},
		stg: width{32, 1}, dcrnn: width{16, 2}, astgcn: width{8, 3}, stidgcn: width{hidden: 8}}
	tennisHyperparameters = hyperparameters{peng: width{64, 3}, original: width{8, 2}, gnode: width{32, 4},
		stg: width{32, 3}, dcrnn: width{64, 3}, astgcn: width{16, 3}, stidgcn: width{hidden: 8}}
)

// contenders are the models of the paper's table of these data sets, for data of a size, windows of so many inputs, and
// constant steps of the equations but in profile full, which has the published ones.
func contenders(p experiments.Profile, data pengcde.Config, inputs int, step float64, h hyperparameters) []contender {
	equation := func(f field.Field, w width) pengcde.Config {
		c := data
		c.Field, c.Hidden, c.Layers = f, w.hidden, w.layers
		if p != experiments.Full {
			c.Step = step
		}
		return c
	}
	adaptive := func(f field.Field, w width) pengcde.Config {
		c := equation(f, w)
		c.Step, c.Adaptive = 0, &ode.PID{}
		return c
	}
	coarser := func(f field.Field, w width) pengcde.Config { // adaptive in profile full alone
		if p == experiments.Full {
			return adaptive(f, w)
		}
		return equation(f, w)
	}
	finer := func(w width) pengcde.Config { // with longer steps it hardly learns even one window
		c := equation(rivals.STGNCDE{}, w)
		c.Step /= 4
		return c
	}
	discrete := data
	discrete.Inputs, discrete.Normalise = inputs, dyngraph.Raw // they normalise the weights themselves
	recurrent := func(w width, published bool) pengcde.Config {
		c := discrete
		c.Network = rivals.DCRNN{Hidden: w.hidden, Layers: w.layers, Published: published}
		return c
	}
	attention := func(w width, published bool) pengcde.Config {
		c := discrete
		c.Network = rivals.ASTGCN{Filters: w.hidden, Polynomials: w.layers, Published: published}
		return c
	}
	interactive := func(w width, published bool) pengcde.Config {
		c := discrete
		c.Network = rivals.STIDGCN{Channels: w.hidden, Published: published}
		return c
	}
	all := []contender{
		{id: "peng", name: "PENG-CDE", matrix: "normalised",
			published: h.peng, sizes: []width{{8, 1}, {16, 2}, {32, 3}}, tried: dyngraph.NormalisedAdjacency,
			mended: func(w width) pengcde.Config { return equation(field.PENG{}, w) }},
		{id: affineID, name: affineName, matrix: "normalised", published: h.peng, alone: true, note: affineNote,
			training: train.Recommended(train.Config{}),
			mended: func(w width) pengcde.Config {
				c := data
				c.Hidden, c.Layers = w.hidden, w.layers
				return pengcde.Recommended(c)
			}},
		{id: "original", name: "Original GN-CDE", matrix: "normalised",
			published: h.original, sizes: []width{{8, 1}, {16, 2}, {32, 4}}, tried: dyngraph.NormalisedAdjacency,
			mended: func(w width) pengcde.Config { return equation(field.Original{}, w) }},
		{id: "gn-ode", name: "GN-ODE", matrix: "normalised",
			published: h.gnode, sizes: []width{{8, 1}, {16, 2}, {32, 4}}, tried: dyngraph.NormalisedAdjacency,
			mended:  func(w width) pengcde.Config { return coarser(field.GNODE{}, w) },
			defects: func(w width) pengcde.Config { return parity(adaptive(field.GNODE{}, w)) }, defectiveMatrix: "raw"},
		{id: "stg-ncde", name: "STG-NCDE", // whose gradients are not finite within a few epochs of the published steps
			published: h.stg, sizes: []width{{8, 1}, {16, 1}, {32, 1}},
			mended:  func(w width) pengcde.Config { return finer(w) },
			defects: func(w width) pengcde.Config { return parity(adaptive(rivals.STGNCDE{}, w)) }},
		{id: "dcrnn", name: "DCRNN", matrix: "random walks", defectiveMatrix: "raw",
			published: h.dcrnn, sizes: []width{{8, 1}, {16, 2}, {32, 2}},
			mended:  func(w width) pengcde.Config { return recurrent(w, false) },
			defects: func(w width) pengcde.Config { return recurrent(w, true) }},
		{id: "astgcn", name: "ASTGCN", matrix: "Laplacian",
			published: h.astgcn, sizes: []width{{4, 2}, {8, 3}, {16, 3}},
			mended:  func(w width) pengcde.Config { return attention(w, false) },
			defects: func(w width) pengcde.Config { return attention(w, true) }},
		{id: "stidgcn", name: "STIDGCN",
			published: h.stidgcn, sizes: []width{{hidden: 4}, {hidden: 8}, {hidden: 16}},
			mended:  func(w width) pengcde.Config { return interactive(w, false) },
			defects: func(w width) pengcde.Config { return interactive(w, true) }},
	}
	for i := range all {
		c := &all[i]
		if c.defects == nil && !c.alone {
			c.defects, c.defectiveMatrix = func(w width) pengcde.Config { return parity(c.mended(w)) }, "raw"
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
