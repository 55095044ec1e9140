package catalogue

import (
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// Model is a model of the studies. What the paper prints of it is found by its ID, see [Published].
type Model struct {
	// ID is for runs, Name for people; a study may name a variant otherwise.
	ID, Name string
	// Style is the colour and dash of the model, the same in all figures; rows of one model share it. Models that share a
	// figure differ in their dash or clearly in lightness, so that they can be told apart in greyscale too. The zero value
	// is for models without a style of their own.
	Style figures.Style
	// Field is the vector field of an equation, as published; Network makes a network in discrete steps, with the defects
	// of the published code or without.
	Field   field.Field
	Network func(w Width, asPublished bool) sequence.Network
	// Cites are the keys of references.
	Cites []string
}

var (
	citesPENG   = []string{"equivariant-maps", "neural-cde"}
	citesFusion = []string{"gn-cde", "neural-cde"}
	citesMaps   = []string{"equivariant-maps"}
	citesGNODE  = []string{"gn-ode"}
	citesRidge  = []string{"ridge"}
	dcrnn       = func(w Width, p bool) sequence.Network {
		return baseline.DCRNN{Hidden: w.Hidden, Layers: w.Layers, Published: p}
	}
	astgcn = func(w Width, p bool) sequence.Network {
		return baseline.ASTGCN{Filters: w.Hidden, Polynomials: w.Layers, Published: p}
	}
	stidgcn = func(w Width, p bool) sequence.Network {
		return baseline.STIDGCN{Channels: w.Hidden, Published: p}
	}
)

// Models are all models: the paper's, then ours, forecasts without a trained network, and settings of fields.
var Models = []Model{
	{ID: "peng", Name: "PENG-CDE", Style: figures.Style{Colour: figures.Blue},
		Field: field.PENG{}, Cites: citesPENG},
	{ID: "original", Name: "Original GN-CDE", Style: figures.Style{Colour: figures.Vermillion, Dash: figures.Dashed},
		Field: field.Original{}, Cites: citesFusion},
	{ID: "adjacency", Name: "Adjacency GN-CDE", Style: figures.Style{Colour: figures.Orange, Dash: figures.LongDashed},
		Field: field.Adjacency{}, Cites: citesFusion},
	{ID: "pre-mult", Name: "Pre-Mult GN-CDE, published start",
		Style: figures.Style{Colour: figures.Sky, Dash: figures.Dashed}, Field: field.PreMult{}, Cites: citesFusion},
	{ID: "gn-ode", Name: "GN-ODE", Style: figures.Style{Colour: figures.Green, Dash: figures.DashDot},
		Field: field.GNODE{}, Cites: citesGNODE},
	{ID: "constant", Name: "Constant", Style: figures.Style{Colour: figures.Purple, Dash: figures.Dotted},
		Field: field.Constant{}, Cites: citesFusion},
	{ID: "stg-ncde", Name: "STG-NCDE", Style: figures.Style{Colour: figures.Green},
		Field: baseline.STGNCDE{}, Cites: []string{"stg-ncde"}},
	{ID: "dcrnn", Name: "DCRNN", Style: figures.Style{Colour: figures.Ink, Dash: figures.DashDot},
		Network: dcrnn, Cites: []string{"dcrnn"}},
	{ID: "astgcn", Name: "ASTGCN", Style: figures.Style{Colour: figures.Blue, Dash: figures.Dotted},
		Network: astgcn, Cites: []string{"astgcn"}},
	{ID: "stidgcn", Name: "STIDGCN", Style: figures.Style{Colour: figures.Ink, Dash: figures.Dashed},
		Network: stidgcn, Cites: []string{"stidgcn"}},

	{ID: "affine", Name: "PENG-CDE, affine",
		Style: figures.Style{Colour: figures.Blue, Dash: figures.DashDashDot}, Cites: citesPENG},
	{ID: "recommended", Name: "PENG-CDE, recommended",
		Style: figures.Style{Colour: figures.Ink, Dash: figures.DashDashDot}, Cites: citesPENG},
	{ID: "law", Style: figures.Style{Colour: figures.Sky, Dash: figures.DashDashDot}, Cites: citesMaps},
	{ID: "law-of-a", Style: figures.Style{Colour: figures.Sky, Dash: figures.SparseDotted}, Cites: citesMaps},
	{ID: "of-a", Name: "Maps of A alone", Style: figures.Style{Colour: figures.Purple}, Cites: citesMaps},
	{ID: "of-a-linear", Name: "Maps of A alone, linear part",
		Style: figures.Style{Colour: figures.Vermillion, Dash: figures.SparseDotted}, Cites: citesMaps},
	{ID: "gn-ode-silu", Name: "GN-ODE, and SiLU",
		Style: figures.Style{Colour: figures.Green, Dash: figures.DashDashDot}, Cites: citesGNODE},
	{ID: "peng15", Name: "PENG-CDE, all 15 maps",
		Style: figures.Style{Colour: figures.Blue, Dash: figures.LongDashed}, Cites: citesPENG},
	{ID: "peng-fast", Name: "PENG-CDE, rate 0.1",
		Style: figures.Style{Colour: figures.Blue, Dash: figures.DashDotDot}, Field: field.PENG{}, Cites: citesPENG},
	{ID: "peng-linear", Name: "PENG-CDE with a linear part",
		Style: figures.Style{Colour: figures.Sky}, Cites: citesPENG},
	{ID: "peng-precise", Name: "PENG-CDE with adaptive steps",
		Style: figures.Style{Colour: figures.Orange, Dash: figures.DashDot}, Field: field.PENG{}, Cites: citesPENG},
	{ID: "residual", Name: "PENG-CDE, residual", Style: figures.Style{Colour: figures.Orange}, Cites: citesPENG},
	{ID: "pre-mult-fair", Name: "Pre-Mult GN-CDE, our start",
		Style: figures.Style{Colour: figures.Sky, Dash: figures.DashDotDot}, Field: field.PreMult{}, Cites: citesFusion},
	{ID: "persistent", Style: figures.Style{Colour: figures.Ink, Dash: figures.DashDotDot}},
	{ID: "mean", Style: figures.Style{Colour: figures.Sky, Dash: figures.Dotted}},
	{ID: "log-linear", Style: figures.Style{Colour: figures.Ink}},
	{ID: "moving-average", Style: figures.Style{Colour: figures.Vermillion, Dash: figures.LongDashed}},
	{ID: "message-mean", Style: figures.Style{Colour: figures.Sky, Dash: figures.LongDashed}},
	{ID: "message-average", Style: figures.Style{Colour: figures.Orange, Dash: figures.DashDotDot}},
	{ID: "gated-state", Style: figures.Style{Colour: figures.Green, Dash: figures.DashDotDot}},
	{ID: "peng11", Name: "PENG-CDE, 11 maps",
		Style: figures.Style{Colour: figures.Blue, Dash: figures.DashDot}, Cites: citesPENG},
	{ID: "peng-identities", Name: "PENG-CDE, identities",
		Style: figures.Style{Colour: figures.Vermillion, Dash: figures.Dotted}, Cites: citesPENG},
	{ID: "inference", Style: figures.Style{Colour: figures.Vermillion, Dash: figures.DashDotDot}},
	{ID: "removed-ratio", Style: figures.Style{Colour: figures.Purple, Dash: figures.LongDashed}},
	{ID: "zero", Style: figures.Style{Colour: figures.Ink, Dash: figures.Dotted}},
	{ID: "training-mean", Style: figures.Style{Colour: figures.Ink, Dash: figures.LongDashed}},
	{ID: "last-visible", Style: figures.Style{Colour: figures.Green, Dash: figures.LongDashed}},
	{ID: "recent-mean", Style: figures.Style{Colour: figures.Orange, Dash: figures.Dashed}},
	{ID: "ridge", Style: figures.Style{Colour: figures.Sky, Dash: figures.DashDot}, Cites: citesRidge},
	{ID: "ridge-chosen-penalty",
		Style: figures.Style{Colour: figures.Purple, Dash: figures.DashDotDot}, Cites: citesRidge},
	{ID: "peng-norm", Name: "PENG-CDE, norm over the graph", Cites: citesPENG},
	{ID: "peng-last", Name: "PENG-CDE, and A′ in the last layer", Cites: citesPENG},
	{ID: "peng-silu", Name: "PENG-CDE, and SiLU", Cites: citesPENG},
	{ID: "affine-hermite", Name: "PENG-CDE, and local scales", Cites: citesPENG},
	{ID: "affine-rectilinear", Name: "PENG-CDE, affine, rectilinear path", Cites: citesPENG},
	{ID: "affine-cosine", Name: "PENG-CDE, recommended, cosine", Cites: citesPENG},
	{ID: "of-a-hermite", Name: "Maps of A alone, Hermite path", Cites: citesMaps},
	{ID: "of-a-rectilinear", Name: "Maps of A alone, rectilinear path", Cites: citesMaps},
	{ID: "original-norm", Name: "Original GN-CDE, norm over the graph", Cites: citesFusion},
	{ID: "original-silu", Name: "Original GN-CDE, and SiLU", Cites: citesFusion},
	{ID: "original-affine", Name: "Original GN-CDE, affine", Cites: citesFusion},
	{ID: "adjacency-norm", Name: "Adjacency GN-CDE, norm over the graph", Cites: citesFusion},
	{ID: "adjacency-silu", Name: "Adjacency GN-CDE, and SiLU", Cites: citesFusion},
	{ID: "gn-ode-norm", Name: "GN-ODE, norm over the graph", Cites: citesGNODE},
	{ID: "affine-feedback", Name: "PENG-CDE, affine, negative feedback", Cites: citesPENG},
	{ID: "affine-tanh", Name: "PENG-CDE, affine, no norm, tanh", Cites: citesPENG},
	{ID: "affine-average", Name: "PENG-CDE, affine, averaged parameters", Cites: citesPENG},
	{ID: "affine-rtol-1e-2", Name: "PENG-CDE, affine, RTol 0.01", Cites: citesPENG},
	{ID: "affine-rtol-1e-4", Name: "PENG-CDE, affine, RTol 0.0001", Cites: citesPENG},
	{ID: "affine-rate-3e-3", Name: "PENG-CDE, affine, rate 0.003", Cites: citesPENG},
	{ID: "affine-rate-3e-2", Name: "PENG-CDE, affine, rate 0.03", Cites: citesPENG},
	{ID: "peng-guard", Name: "PENG-CDE, guarded", Cites: citesPENG},
}

// models are all models by the IDs of their rows.
var models = func() map[string]Model {
	all := make(map[string]Model)
	for _, m := range Models {
		for _, ending := range []string{"", PublishedEnding, TunedEnding} {
			all[m.ID+ending] = m
		}
	}
	return all
}()

// ByID is the model that a row is of, by the row's ID; false for a row of another's.
func ByID(row string) (Model, bool) {
	m, ok := models[row]
	return m, ok
}

// Must is a model of the studies, by an ID that is part of the program.
func Must(id string) Model {
	m, ok := models[id]
	if !ok {
		panic("no model " + id)
	}
	return m
}
