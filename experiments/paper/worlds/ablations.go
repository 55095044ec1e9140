package worlds

import (
	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Ablations returns our own study with the worlds, the protocol and the training of [Table1] in profile medium. It
// changes one setting of the recommended configuration at a time: the maps and their scale, the path, the layers, the
// width, and the control matrix. Profile medium has community graphs, full all families, both of 100 nodes.
func Ablations() *Worlds {
	return Worlds{
		Study: experiments.Study{Name: "ablations", Title: "One setting at a time", Data: simulated,
			About: prose.Text("about ablations"), Like: []string{"table1", "well-posed"}},
		tasks: []synthetic.Task{synthetic.Heat, synthetic.Gene}, size: ablationsSize,
		subjects: []string{"recommended"}, compared: trainingOf, opening: drawAblations,
		drawn: noFurtherFigures,
	}.complete()
}

func ablationsSize(p experiments.Profile) worldsSize {
	size := publishedSize(experiments.Medium)
	size.models = []string{"recommended"}
	switch p {
	case experiments.Medium:
		size.families = catalogue.Families("community")
	case experiments.Quick:
		size = publishedSize(p)
		size.models = []string{"recommended", "layers-1"}
		return size
	}
	for _, a := range ablations {
		size.models = append(size.models, a.id)
	}
	return size
}

// ablations lists the rows of [Ablations] in its order, each with the setting that it changes.
var ablations = []struct {
	id     string
	change func(*pengcde.Config)
}{
	{"maps-8-published", withMaps(nil, nil, false)},
	{"maps-11", withMaps(published11[0], published11[1], true)},
	{"maps-11-published", withMaps(published11[0], published11[1], false)},
	{"maps-15", withMaps(equivariant.All15(), nil, true)},
	{"maps-15-published", withMaps(equivariant.All15(), nil, false)},
	{"path-hermite", func(c *pengcde.Config) { c.Path = path.Hermite }},
	{"path-linear", func(c *pengcde.Config) { c.Path = path.Linear }},
	{"path-rectilinear", func(c *pengcde.Config) { c.Path = path.Rectilinear }},
	{"layers-1", func(c *pengcde.Config) { c.Layers = 1 }},
	{"layers-3", func(c *pengcde.Config) { c.Layers = 3 }},
	{"layers-4", func(c *pengcde.Config) { c.Layers = 4 }},
	{"width-8", func(c *pengcde.Config) { c.Hidden = 8 }},
	{"width-32", func(c *pengcde.Config) { c.Hidden = 32 }},
	{"width-64", func(c *pengcde.Config) { c.Hidden = 64 }},
	{"control-laplacian", func(c *pengcde.Config) { c.Normalise = dyngraph.NormalisedLaplacian }},
	{"control-adjacency", func(c *pengcde.Config) { c.Normalise = dyngraph.NormalisedAdjacency }},
	{"control-log", func(c *pengcde.Config) { c.Normalise = dyngraph.Log }},
	{"control-raw", func(c *pengcde.Config) { c.Normalise = dyngraph.Raw }},
}

// published11 has the maps of A and of A' of the published set for directed graphs.
var published11 = func() [2][]equivariant.Map {
	maps, derivative := equivariant.Published11()
	return [2][]equivariant.Map{maps, derivative}
}()

// withMaps returns a change of the field's maps, and of whether maps that act on one node have their own scale.
func withMaps(maps, derivative []equivariant.Map, local bool) func(*pengcde.Config) {
	return func(c *pengcde.Config) {
		f := c.Field.(field.PENG)
		f.Maps, f.DerivativeMaps, f.LocalScale = maps, derivative, local
		c.Field = f
	}
}

// ablated returns the rows of [Ablations] besides the recommended one.
func ablated(config pengcde.Config, training train.Config) (all []worldModel) {
	for _, a := range ablations {
		c := pengcde.Recommended(config)
		a.change(&c)
		all = append(all, worldModel{maps: keptMaps(c.Field),
			Row: experiments.NetworkRow(a.id, catalogue.Must(a.id).Name, c, train.Recommended(training))})
	}
	return all
}

// drawAblations draws the errors and gradient norms of all rows, for each of the dynamics.
func drawAblations(r *experiments.Report, drawn *catalogue.Drawn) {
	for _, dynamics := range r.Results.Values("dynamics") {
		drawTrainings(r, dynamics, drawn)
	}
}
