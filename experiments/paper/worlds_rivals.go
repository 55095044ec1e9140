package paper

import (
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// observations is the number of times of a trajectory.
const observations = 120

// rivalIDs are the IDs of the rows of [Worlds.rivals].
var rivalIDs = []string{"dcrnn", "astgcn", "stidgcn", "stg-ncde"}

// rivalNotes say what of these rows is our choice.
var rivalNotes = figures.NoteList{
	"DCRNN, ASTGCN, STIDGCN, STG-NCDE: the published code, which printed these rows, has no wiring of them for these data, " +
		"so it is ours. At each observed time the input of a node is its first state and the time, the graph is the one in " +
		"force (its weights, which each network normalises itself), and the output is the state at that time. Width 16 as " +
		"the other rows, defects of the published networks mended, batch, optimiser and stopping as the other rows.",
	"DCRNN is rolled out over the observations. STG-NCDE has the time as its one channel, and its two states begin with " +
		"linear maps of the first state. Neither STIDGCN nor STG-NCDE reads the graph.",
	"ASTGCN and STIDGCN take the whole sequence at once, later graphs too, and have parameters for each of its 120 times. " +
		"So they train on all times of the training graphs, with what the other rows are shown: targets at the 80 times of " +
		"training, and at another time the graph of the last of these before it. Their last convolution goes over " +
		"one time, not all, with the same parameters at each: separate ones would never be trained at the 40 other times.",
}

// rivals are the rows of models that are not controlled by the graph. The published code has no wiring of them for
// simulated worlds; here networks in discrete steps take the first state and the time of each node at each observation,
// with the graph in force, and give the state there.
func (w Worlds) rivals(config pengcde.Config, training train.Config) []worldModel {
	discrete := func(id, name string, network sequence.Network, inputs int) worldModel {
		c := pengcde.Config{Nodes: config.Nodes, Features: config.Features,
			Input: pengcde.Input{GraphOnly: true, Inputs: inputs, Normalise: dyngraph.Raw},
			Head:  head.Nodes{At: head.AtEach}, Network: network,
			Execution: pengcde.Execution{Product: equivariant.Dense}}
		return worldModel{Model: experiments.Network(id, name, c, training), allTimes: inputs > 0}
	}
	neural := config
	neural.Field = baseline.STGNCDE{}
	return []worldModel{
		discrete("dcrnn", "DCRNN", baseline.DCRNN{Hidden: config.Hidden, Layers: config.Layers}, 0),
		discrete("astgcn", "ASTGCN", baseline.ASTGCN{Filters: config.Hidden}, observations),
		discrete("stidgcn", "STIDGCN", baseline.STIDGCN{Channels: config.Hidden}, observations),
		{Model: experiments.Network("stg-ncde", "STG-NCDE", neural, training)},
	}
}

// trainedAtAllTimes are the trajectories of a set at all times, for a model whose parameters depend on their number. It
// is shown what others are: targets at the times of training alone, and at another time the graph of the last of them
// before it. Index names the graphs at the times of training, as for [windows].
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
