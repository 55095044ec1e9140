package catalogue

import (
	_ "embed" // for the list of models
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// Model is a model of the studies. [Published] finds its printed values by ID.
type Model struct {
	// ID identifies runs, Name is for people; a study may name a variant differently.
	ID, Name string
	// Style is the colour and dash of the model, the same in all figures and for all rows of the model. Models that
	// share a figure differ in dash or clearly in lightness, so that they can be told apart in greyscale too. The
	// zero value is for models without a style.
	Style figures.Style
	// Field is the published vector field of an equation. Network makes a discrete-step network, with or without the
	// defects of the published code.
	Field   field.Field
	Network func(w Width, asPublished bool) sequence.Network
	// Cites lists the keys of references.
	Cites []string
}

// modelsText lists the paper's models first, then ours, forecasts without a trained network, and settings of fields.
//
//go:embed models.csv
var modelsText string

// Models lists all models of the studies.
var Models = readModels(modelsText)

// fields maps model IDs to the published vector fields, networks to the discrete-step networks.
var (
	fields = map[string]field.Field{"peng": field.PENG{}, "peng-fast": field.PENG{}, PreciseID: field.PENG{},
		"original": field.Original{}, "adjacency": field.Adjacency{}, "pre-mult": field.PreMult{},
		"pre-mult-fair": field.PreMult{}, "gn-ode": field.GNODE{}, "constant": field.Constant{},
		"stg-ncde": rivals.STGNCDE{}}
	networks = map[string]func(w Width, asPublished bool) sequence.Network{
		"dcrnn": func(w Width, p bool) sequence.Network {
			return rivals.DCRNN{Hidden: w.Hidden, Layers: w.Layers, Published: p}
		},
		"astgcn": func(w Width, p bool) sequence.Network {
			return rivals.ASTGCN{Filters: w.Hidden, Polynomials: w.Layers, Published: p}
		},
		"stidgcn": func(w Width, p bool) sequence.Network {
			return rivals.STIDGCN{Channels: w.Hidden, Published: p}
		},
	}
)

// colours and dashes are the names of the constants of package figures, in their order.
var (
	colours = []string{"", "Blue", "Vermillion", "Green", "Purple", "Orange", "Sky", "Ink"}
	dashes  = []string{"", "Dashed", "DashDot", "Dotted", "LongDashed", "DashDotDot", "DashDashDot", "SparseDotted"}
)

func readModels(text string) (all []Model) {
	for _, row := range Table("models.csv", text) {
		colour, dash := slices.Index(colours, row[2]), slices.Index(dashes, row[3])
		if colour < 0 || dash < 0 {
			panic("models.csv: no style of " + row[0])
		}
		all = append(all, Model{ID: row[0], Name: row[1], Cites: strings.Fields(row[4]), Field: fields[row[0]],
			Network: networks[row[0]], Style: figures.Style{Colour: figures.Colour(colour), Dash: figures.Dash(dash)}})
	}
	return all
}

// models maps the IDs of rows to their models.
var models = func() map[string]Model {
	all := make(map[string]Model)
	for _, m := range Models {
		for _, ending := range []string{"", PublishedEnding, TunedEnding} {
			all[m.ID+ending] = m
		}
	}
	return all
}()

// ByID returns the model of a row by the row's ID; false if no model of the studies has it.
func ByID(row string) (Model, bool) {
	m, ok := models[row]
	return m, ok
}

// Must returns a model of the studies by an ID that is part of the program; it panics if there is none.
func Must(id string) Model {
	m, ok := models[id]
	if !ok {
		panic("no model " + id)
	}
	return m
}
