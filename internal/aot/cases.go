package aot

import (
	"context"
	"math/rand/v2"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// Case is a model with a head and the batch that it is trained on.
type Case struct {
	Model, Head string
	Config      pengcde.Config
	Windows     []dyngraph.Window
}

// models have adaptive steps.
var models = []struct {
	name   string
	change func(pengcde.Config) pengcde.Config
}{
	{"PENG-CDE recommended", pengcde.Recommended},
	{"PENG-CDE as published", func(c pengcde.Config) pengcde.Config { return c }},
	{"Original", func(c pengcde.Config) pengcde.Config { c.Field = field.Original{}; return c }},
	{"GN-ODE", func(c pengcde.Config) pengcde.Config { c.Field = field.GNODE{}; return c }},
	{"Constant", func(c pengcde.Config) pengcde.Config { c.Field = field.Constant{}; return c }},
}

const seed = 1234

// classes is how many heads class and affinity have.
const classes = 2

// Heads are the names of the heads in Cases.
func Heads() []string { return []string{"node", "class", "affinity"} }

// Cases returns all models with all heads, on heat that spreads over changing grids; the number of nodes must be a
// square number. Head node is trained on four series as published, where only the graph drives the state. Head class is
// trained on two short series whose features drive it, head affinity on two with learned features computed from the
// rows of A.
func Cases(ctx context.Context, nodes int) ([]Case, error) {
	long := synthetic.Config{Family: graphs.Grid{}, Task: synthetic.Heat, Nodes: nodes, Seed: seed}
	short := long
	short.Graphs, short.Observations, short.Events, short.Horizon = 2, 12, 4, 0.5
	var all []Case
	for _, reads := range Heads() {
		from := short
		if reads == "node" {
			from = long
		}
		set, err := synthetic.Generate(ctx, from)
		if err != nil {
			return nil, err
		}
		var windows []dyngraph.Window
		for label := range set.Trajectories {
			s := set.Trajectories[label].Series(set.Train, nil)
			mark(s, reads, label)
			w := s.Whole()
			if reads == "affinity" {
				w = dyngraph.Window{Series: s, Length: len(s.Times)}
			}
			windows = append(windows, w)
		}
		for _, m := range models {
			c := pengcde.Config{Nodes: set.Trajectories[0].Pattern.Nodes, Features: 1, Seed: seed,
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
			all = append(all, Case{m.name, reads, m.change(c), windows})
		}
	}
	return all, nil
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
