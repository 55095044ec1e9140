package aot

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/smallmodels"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// Case is a model with a head and the batch that it is trained on.
type Case struct {
	Model, Head string
	Config      pengcde.Config
	// Data returns the batch. It makes it at the first call; cases share it.
	Data func(context.Context) ([]dyngraph.Window, error)
}

// modelOf is a model by its name, with what it changes of the configuration that all have in common.
type modelOf struct {
	name   string
	change func(pengcde.Config) pengcde.Config
}

// mainModels are the models of [Cases].
var mainModels = []modelOf{
	{"PENG-CDE recommended", pengcde.Recommended},
	{"PENG-CDE as published", withField(field.PENG{})},
	{"Original", withField(field.Original{})},
	{"GN-ODE", withField(field.GNODE{})},
	{"Constant", withField(field.Constant{})},
}

// furtherEquations are the other equations of [AllCases].
var furtherEquations = []modelOf{
	{"Linear law", func(c pengcde.Config) pengcde.Config {
		law := pengcde.LinearLaw(c.Nodes)
		law.Seed, law.Execution, law.GraphOnly = c.Seed, c.Execution, c.GraphOnly
		law.Head, law.Outputs, law.RowFeatures = c.Head, c.Outputs, c.RowFeatures
		return law
	}},
	{"Original affine", withField(field.Original{DerivativeIn: field.LastLayer})},
	{"Adjacency", withField(field.Adjacency{})},
	{"Pre-Mult", withField(field.PreMult{})},
	{"STG-NCDE", withField(rivals.STGNCDE{})},
}

// networks are the models of AllCases in discrete steps. Their programs grow with the number of observations, so they
// have few.
var networks = []modelOf{
	{"DCRNN", withNetwork(rivals.DCRNN{Layers: 1}, false)},
	{"ASTGCN", withNetwork(rivals.ASTGCN{Filters: 16}, true)},
	{"STIDGCN", withNetwork(rivals.STIDGCN{Dropout: rivals.NoDropout}, true)},
}

func withField(f field.Field) func(pengcde.Config) pengcde.Config {
	return func(c pengcde.Config) pengcde.Config { c.Field = f; return c }
}

// withNetwork puts a network in discrete steps in place of the equation; fixed says that its parameters depend on the
// number of observations.
func withNetwork(n sequence.Network, fixed bool) func(pengcde.Config) pengcde.Config {
	return func(c pengcde.Config) pengcde.Config {
		c.Network, c.Field, c.Equation, c.RowFeatures, c.Groups = n, nil, pengcde.Equation{}, 0, 0
		if fixed {
			c.Inputs = few.Observations
		}
		return c
	}
}

const seed = 1234

// classes is how many heads class and affinity have.
const classes = 2

// Heads are the names of the heads in Cases.
func Heads() []string { return []string{"node", "class", "affinity"} }

var (
	long  = synthetic.Config{Family: graphs.Grid{}, Task: synthetic.Heat, Seed: seed}
	short = synthetic.Config{Family: graphs.Grid{}, Task: synthetic.Heat, Seed: seed,
		Graphs: 2, Observations: 12, Events: 4, Horizon: 0.5}
	few = synthetic.Config{Family: graphs.Grid{}, Task: synthetic.Heat, Seed: seed,
		Graphs: 2, Observations: 4, Events: 1, Horizon: 0.5}
	// large has an event that changes about as many edges of a node as on 400 nodes.
	large = synthetic.Config{Family: graphs.Grid{}, Task: synthetic.Heat, Seed: seed,
		Graphs: 2, Observations: 4, Events: 1, Horizon: 0.05, EventProbability: 0.001 * 400 / largest}
)

// Sizes of the graphs in AllCases, square numbers.
const least, medium, largest = 100, 2025, 317 * 317

// Cases returns the main models with all heads, on heat that spreads over changing grids; the number of nodes must be a
// square number. Head node is trained on four series as published, where only the graph drives the state. Head class is
// trained on two short series whose features drive it, head affinity on two with learned features computed from the
// rows of A.
func Cases(nodes int) (all []Case) {
	for _, head := range Heads() {
		from := short
		if head == "node" {
			from = long
		}
		all = append(all, cases(from, nodes, head, mainModels)...)
	}
	return all
}

// AllCases returns all models on short series: with head node on graphs of all sizes, and on the smallest with other
// heads and in float64, and PENG-CDE along all paths. On the largest graphs equations take one step. They end with the
// models of package smallmodels, which have all further heads.
func AllCases() (all []Case, err error) {
	further, err := smallmodels.All()
	if err != nil {
		return nil, err
	}
	var small []Case
	for _, m := range further {
		model, head := m.Name, "node"
		if name, ok := strings.CutPrefix(m.Name, "head "); ok {
			model, head = "PENG-CDE, constant steps", name
		}
		small = append(small, Case{model, head, m.Config,
			func(context.Context) ([]dyngraph.Window, error) { return m.Windows, nil }})
	}
	of := func(nodes int, head string) []Case {
		return slices.Concat(cases(short, nodes, head, mainModels), cases(short, nodes, head, furtherEquations),
			cases(few, nodes, head, networks))
	}
	all = append(of(least, "node"), of(medium, "node")...)
	for _, c := range cases(large, largest, "node", slices.Concat(mainModels, furtherEquations, networks)) {
		if c.Config.Network == nil {
			c.Config.Adaptive, c.Config.Step = nil, large.Horizon
		}
		all = append(all, c)
	}
	for _, head := range Heads()[1:] {
		all = append(all, of(least, head)...)
	}
	varied := func(name string, cases []Case, change func(*pengcde.Config)) {
		for _, c := range cases {
			c.Model += ", " + name
			change(&c.Config)
			all = append(all, c)
		}
	}
	varied("float64", of(least, "node"), func(c *pengcde.Config) { c.Float64 = true })
	for _, kind := range []path.Kind{path.Linear, path.Natural, path.Ramp, path.Rectilinear} {
		varied(string(kind)+" path", cases(short, least, "node", mainModels[:2]),
			func(c *pengcde.Config) { c.Path = kind })
	}
	return append(all, small...), nil
}

// cases are models with one head on graphs of that size.
func cases(from synthetic.Config, nodes int, reads string, models []modelOf) (all []Case) {
	from.Nodes = nodes
	data := once(func(ctx context.Context) (windows []dyngraph.Window, err error) {
		set, err := synthetic.Generate(ctx, from)
		if err != nil {
			return nil, err
		}
		for label := range set.Trajectories {
			s := set.Trajectories[label].Series(set.Train, nil)
			mark(s, reads, label)
			w := s.Whole()
			if reads == "affinity" {
				w = dyngraph.Window{Series: s, Length: len(s.Times)}
			}
			windows = append(windows, w)
		}
		return windows, nil
	})
	for _, m := range models {
		c := pengcde.Config{Nodes: nodes, Features: 1, Seed: seed,
			Equation:  pengcde.Equation{LinearCoders: true, Adaptive: &ode.PID{}},
			Execution: pengcde.Execution{Groups: 1}}
		switch reads {
		case "node":
			c.GraphOnly = true
		case "class":
			c.Head, c.Outputs = head.Class{}, classes
		case "affinity":
			c.Head, c.Outputs, c.RowFeatures = head.Ranking{Pairs: true}, classes, 2
		}
		all = append(all, Case{m.name, reads, m.change(c), data})
	}
	return all
}

// once returns a function that keeps the first result of f without an error.
func once[T any](f func(context.Context) ([]T, error)) func(context.Context) ([]T, error) {
	var lock sync.Mutex
	var kept []T
	return func(ctx context.Context) (result []T, err error) {
		lock.Lock()
		defer lock.Unlock()
		if kept == nil {
			kept, err = f(ctx)
		}
		return kept, err
	}
}

// mark sets the targets of a series for a head.
func mark(s *dyngraph.Series, head string, label int) {
	random := rand.New(rand.NewPCG(seed, uint64(label)))
	for range s.Times {
		switch head {
		case "class":
			s.TargetSize, s.Targets = 1, nil
			s.GraphTargets = append(s.GraphTargets, []float64{float64(label)})
		case "affinity":
			rows := &dyngraph.Affinities{Start: []int{0}}
			for u := range s.Pattern.Nodes {
				rows.Nodes = append(rows.Nodes, int32(u))
				for class := range classes {
					rows.Classes = append(rows.Classes, int32(class))
					rows.Values = append(rows.Values, random.Float64())
				}
				rows.Start = append(rows.Start, len(rows.Classes))
			}
			s.TargetSize, s.Targets, s.Classes = 0, nil, classes
			s.Affinities = append(s.Affinities, rows)
		}
	}
}
