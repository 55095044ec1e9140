package worlds

import (
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// observations is the number of times of a trajectory.
const observations = 120

// rivalIDs lists the IDs of the rows of [Worlds.rivals].
var rivalIDs = []string{"dcrnn", "astgcn", "stidgcn", "stg-ncde"}

// rivalNotes describes our choices for these rows.
var rivalNotes = figures.NoteList{
	prose.Text("rivals"),
	"DCRNN is rolled out over the observations. STG-NCDE has the time as its one channel, and its two states begin with " +
		"linear maps of the first state. Neither STIDGCN nor STG-NCDE reads the graph.",
	prose.Text("whole sequences"),
}

// rivals returns the rows of models that are not controlled by the graph. The published code does not apply them to
// simulated worlds. Here discrete-step networks take the first state and the time of each node at each observation,
// with the graph in force, and return the state there.
func (w Worlds) rivals(config pengcde.Config, training train.Config) []worldModel {
	// STIDGCN reads no graph; dense, its programs serve all graphs.
	discrete := func(id string, width catalogue.Width, inputs int, product equivariant.Product) worldModel {
		m := catalogue.Must(id)
		c := pengcde.Config{Nodes: config.Nodes, Features: config.Features,
			Input: pengcde.Input{GraphOnly: true, Inputs: inputs, Normalise: dyngraph.Raw},
			Head:  head.Nodes{At: head.AtEach}, Network: m.Network(width, false),
			Execution: pengcde.Execution{Product: product}}
		return worldModel{Row: experiments.NetworkRow(id, m.Name, c, training), allTimes: inputs > 0}
	}
	neural, stg := config, catalogue.Must("stg-ncde")
	neural.Field = stg.Field
	return []worldModel{
		discrete("dcrnn", catalogue.Width{Hidden: config.Hidden, Layers: config.Layers}, 0, config.Product),
		discrete("astgcn", catalogue.Width{Hidden: config.Hidden}, observations, config.Product),
		discrete("stidgcn", catalogue.Width{Hidden: config.Hidden}, observations, equivariant.Dense),
		{Row: experiments.NetworkRow(stg.ID, stg.Name, neural, training)},
	}
}

// trainedAtAllTimes returns the trajectories of a set at all times, for a model whose parameters depend on their
// number. The model sees no more than others: targets only at the training times, and at another time the graph of
// the last training time before it. index gives the graphs at the training times, as for [windows].
func trainedAtAllTimes(s *synthetic.Set, index []int) []dyngraph.Window {
	all := make([]dyngraph.Window, len(s.Trajectories))
	for b := range s.Trajectories {
		trajectory := &s.Trajectories[b]
		shown := make([]int, len(trajectory.Times))
		unknown := slices.Repeat([]float64{math.NaN()}, len(trajectory.Values[0]))
		series := trajectory.Series(nil, nil)
		series.Targets = slices.Clone(series.Targets)
		for k := range shown {
			last, trained := slices.BinarySearch(s.Train, k)
			if !trained {
				last--
				series.Targets[k] = unknown
			}
			shown[k] = index[last]
		}
		series.Weights = trajectory.Series(nil, shown).Weights
		all[b] = series.Whole()
	}
	return all
}
