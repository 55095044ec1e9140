package synthetic

import (
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Set is a few trajectories and which of their observations serve what.
type Set struct {
	Trajectories []Trajectory
	// Train, Interpolation and Extrapolation are increasing indices of observations, the same for all trajectories.
	Train, Interpolation, Extrapolation []int
}

// Trajectory is one graph that changes, and what was observed on it.
type Trajectory struct {
	// Times [T] of the observations increase strictly; the first is 0.
	Times []float64
	// Pattern is the union of the edges of all snapshots; Snapshots [J][edges] are weights on it, 0 for absent edges.
	Pattern   *dyngraph.Pattern
	Snapshots [][]float64
	// Events [J-1] are the observations at which the next snapshot comes into force, increasing; Index [T] names the
	// snapshot in force at each observation.
	Events, Index []int
	// Values [T][nodes*channels] are the states, row-major by node.
	Values [][]float64
}

// EventTimes are the times of the events.
func (t *Trajectory) EventTimes() []float64 { return pick(t.Times, t.Events) }

// TrainingIndex names the snapshot that a model in training is shown at each of its observations: the one in force
// there, or, asPublished, the one that is in force at the observation of the same place among all. The published code
// counts places in the training observations where it means observations, so training sees changes later than they are,
// and not those beyond its last place.
func (s *Set) TrainingIndex(asPublished bool) []int {
	index := s.Trajectories[0].Index
	if asPublished {
		return index[:len(s.Train)]
	}
	return pick(index, s.Train)
}

func pick[T any](values []T, places []int) []T {
	picked := make([]T, len(places))
	for i, place := range places {
		picked[i] = values[place]
	}
	return picked
}
