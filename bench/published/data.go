package main

import (
	"encoding/json"
	"os"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// dataSet is a data set as run.py writes it.
type dataSet struct {
	Times         [][]float64   `json:"times"`  // [graphs][times]
	Values        [][][]float64 `json:"values"` // [graphs][times][nodes]
	Events        []int         `json:"events"`
	Graphs        [][][2][]int  `json:"graphs"` // [graphs][snapshots] ends of the edges
	Train         []int         `json:"train"`
	Interpolation []int         `json:"interpolation"`
	Extrapolation []int         `json:"extrapolation"`
}

// set returns the data set as a set of this library.
func (d dataSet) set() (*synthetic.Set, error) {
	s := &synthetic.Set{Train: d.Train, Interpolation: d.Interpolation, Extrapolation: d.Extrapolation}
	for b, snapshots := range d.Graphs {
		var from, to []int
		for _, ends := range snapshots {
			from, to = append(from, ends[0]...), append(to, ends[1]...)
		}
		pattern, index, err := dyngraph.NewPattern(len(d.Values[b][0]), from, to)
		if err != nil {
			return nil, err
		}
		t := synthetic.Trajectory{Times: d.Times[b], Pattern: pattern, Values: d.Values[b], Events: d.Events,
			Index: graphs.InForce(d.Events, len(d.Times[b]))}
		for _, ends := range snapshots {
			weights := make([]float64, len(pattern.From))
			for _, edge := range index[:len(ends[0])] {
				weights[edge] = 1
			}
			index = index[len(ends[0]):]
			t.Snapshots = append(t.Snapshots, weights)
		}
		s.Trajectories = append(s.Trajectories, t)
	}
	return s, nil
}

// readSets returns the sets for training, validation and test.
func readSets(path string) (sets [3]*synthetic.Set, err error) {
	var all [3]dataSet
	if err := readJSON(path, &all); err != nil {
		return sets, err
	}
	for i, d := range all {
		if sets[i], err = d.set(); err != nil {
			return sets, err
		}
	}
	return sets, nil
}

func readJSON(path string, into any) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, into)
}

// windows returns the trajectories at these observations, nil for all, see [synthetic.Trajectory.Series].
func windows(s *synthetic.Set, at, index []int) (all []dyngraph.Window) {
	for i := range s.Trajectories {
		all = append(all, s.Trajectories[i].Series(at, index).Whole())
	}
	return all
}
