package experiments

import (
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Worlds is an experiment on simulated worlds: node dynamics on graphs that change. A model sees the first states and the
// changing graph; it is trained on four graphs, chosen by four others and tested on four more.
type Worlds struct {
	// Name is what a shell calls it; Title and Data are for people.
	Name, Title, Data string
	// AsPublished repeats the defects of the published code: states stand still before each event, models in training are shown
	// changes later than they are and not all of them, and the models have those of pengcde.Config.Parity.
	AsPublished bool

	tasks []synthetic.Task
	size  func(Profile) worldsSize
}

// Table1 is the first table of the paper: heat diffusion and gene regulation on four families of graphs.
func Table1() Worlds {
	return Worlds{Name: "table1", Title: "Heat diffusion and gene regulation", Data: "simulated on four families of graphs that change",
		tasks: []synthetic.Task{synthetic.Heat, synthetic.Gene}, size: publishedSize}
}

// Table1AsPublished is Table1 with the defects of the published code.
func Table1AsPublished() Worlds {
	w := Table1()
	w.Name, w.Title, w.AsPublished = "table1-as-published", w.Title+", as the published code has them", true
	return w
}

// TableWealth is the table of the paper's appendix: wealth and opinion dynamics on four families of graphs.
func TableWealth() Worlds {
	return Worlds{Name: "table-wealth", Title: "Wealth and opinion dynamics", Data: "simulated on four families of graphs that change",
		tasks: []synthetic.Task{synthetic.Wealth, synthetic.Opinion}, size: appendixSize}
}

func (e Worlds) experiment() Experiment { return shell(e.Name, e.Title, e.Data, e.Run, e.Stored) }

// World is dynamics on a family of graphs.
type World struct {
	Dynamics, Family string
	// Nodes are asked for; a grid has the next square number.
	Nodes       int
	Amplitude   synthetic.Amplitude
	AsPublished bool `json:",omitempty"`

	task   synthetic.Task
	family graphs.Family
}

// families lists those of the published tables.
func families(names ...string) []graphs.Family {
	all := slices.DeleteFunc(graphs.All(), func(f graphs.Family) bool { return f == graphs.Random{} })
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(f graphs.Family) bool { return !slices.Contains(names, f.Name()) })
	}
	return all
}

// WorldModel is a row of a table: a model and its training.
type WorldModel struct {
	// ID is what a shell calls it, Name is for people.
	ID    string
	Name  string         `json:"-"`
	Model pengcde.Config // without the nodes
	Train train.Config
	// Note is printed under tables with the row.
	Note string `json:"-"`
	// published is the name of the paper's row.
	published string
}

// worldsSize is what a profile decides.
type worldsSize struct {
	nodes, seeds, epochs int
	families             []graphs.Family
	// evaluateEvery and patience are epochs.
	evaluateEvery, patience int
	// models are the IDs of rows.
	models []string
}

// publishedSize is that of the published tables and what is made of it for smaller machines.
func publishedSize(p Profile) worldsSize {
	switch p {
	case Full:
		return worldsSize{nodes: 400, seeds: 10, epochs: 2000, families: families(), evaluateEvery: 25, patience: 200,
			models: []string{"constant", "gn-ode", "adjacency", "pre-mult", "pre-mult-fair", "original", "peng", "peng15", "peng-fast"}}
	case Medium:
		return worldsSize{nodes: 100, seeds: 3, epochs: 150, families: families(), evaluateEvery: 25, patience: 200,
			models: []string{"constant", "gn-ode", "adjacency", "pre-mult", "pre-mult-fair", "original", "peng", "peng15"}}
	default:
		return worldsSize{nodes: 100, seeds: 2, epochs: 6, families: families("community", "grid"), evaluateEvery: 5, patience: 200,
			models: []string{"constant", "gn-ode", "adjacency", "original", "peng"}}
	}
}

// appendixSize is publishedSize with fewer models where time is short.
func appendixSize(p Profile) worldsSize {
	size := publishedSize(p)
	if p == Quick {
		size.models = []string{"constant", "original", "peng"}
	}
	return size
}

// models are the rows of a profile.
func (e Worlds) models(size worldsSize) []WorldModel {
	model := func(id, name, published string, change func(*WorldModel)) WorldModel {
		m := WorldModel{ID: id, Name: name, published: published,
			Model: pengcde.Config{Features: 1, Hidden: 16, Layers: 2, GraphOnly: true, LinearCoders: true, Adaptive: &ode.PID{}, Parity: e.AsPublished},
			Train: train.Config{Epochs: size.epochs, EvaluateEvery: size.evaluateEvery, Patience: size.patience, MinEpochs: 200, BatchSize: trainingGraphs,
				AdamW: train.AdamW{LearningRate: 0.01}}}
		if size.epochs < shortTraining {
			m.Model.Product = equivariant.Dense
		}
		change(&m)
		return m
	}
	with := func(f field.Field) func(*WorldModel) {
		return func(m *WorldModel) { m.Model.Field = f }
	}
	all := []WorldModel{
		model("constant", "Constant", "Constant", with(field.Constant{})),
		model("gn-ode", "GN-ODE", "Graph Neural ODE", with(field.GNODE{})),
		model("adjacency", "Adjacency GN-CDE", "Adjacency GN-CDE", with(field.Adjacency{})),
		model("pre-mult", "Pre-Mult GN-CDE, published start", "Pre Mult GN-CDE", func(m *WorldModel) {
			m.Model.Field, m.Model.Parity = field.PreMult{}, true
			m.Note = "Pre-Mult, published start: its n x n matrices are drawn from U(0, 1), so that a layer's output begins some n times too large; without that, from U(-1/n, 1/n). Its steps do not end beside changes, as in the published code."
		}),
		model("pre-mult-fair", "Pre-Mult GN-CDE", "", with(field.PreMult{})),
		model("original", "Original GN-CDE", "Original GN-CDE", with(field.Original{})),
		model("peng", "PENG-CDE", "PENG-CDE", func(*WorldModel) {}),
		model("peng15", "PENG-CDE, all 15 maps", "", func(m *WorldModel) { m.Model.Field = field.PENG{Maps: equivariant.All15()} }),
		model("peng-fast", "PENG-CDE, rate 0.1", "", func(m *WorldModel) {
			m.Train.AdamW.LearningRate = 0.1
			m.Note = "Rate 0.1: the learning rate of the published configuration; the paper prints 0.01."
		}),
	}
	return slices.DeleteFunc(all, func(m WorldModel) bool { return !slices.Contains(size.models, m.ID) })
}

const (
	// Seeds of the data sets are those of the published code, a world's seeds worldSeeds apart.
	trainingSeed, validationSeed, testSeed = 1234, 1734, 2734
	worldSeeds                             = 10_000
	// trainingGraphs is the number of graphs in each data set.
	trainingGraphs = 4
	// shortTraining is the number of epochs below which products are dense: they take more than twice as long on 100 nodes, but
	// compile once for all graphs, in place of once for each data set.
	shortTraining = 20
)
