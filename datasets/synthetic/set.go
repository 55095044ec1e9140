package synthetic

import (
	"errors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrTrajectory is wrapped by errors about invalid trajectories that this package did not generate.
var ErrTrajectory = errors.New("trajectory does not suit")

// Set is a few trajectories, with their observations divided into training, interpolation and extrapolation.
type Set struct {
	Trajectories []Trajectory
	// Train, Interpolation and Extrapolation are increasing indices of observations, the same for all trajectories.
	Train, Interpolation, Extrapolation []int
}

// Trajectory is a changing graph with the states observed on it.
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

// EventTimes returns the times of the events.
func (t *Trajectory) EventTimes() []float64 { return pick(t.Times, t.Events) }

// check refuses fields that are absent or do not fit together. It does not look at weights and states.
func (t *Trajectory) check() error {
	unfit := func(format string, args ...any) error { return errs.New(ErrTrajectory, format, args...) }
	if t.Pattern == nil || t.Pattern.Nodes < 1 {
		return unfit("no graph, want one of at least 1 node")
	}
	if len(t.Times) < 1 || len(t.Values) != len(t.Times) || len(t.Index) != len(t.Times) {
		return unfit("%d times, states of %d and snapshots in force at %d, want equally many, at least 1", len(t.Times),
			len(t.Values), len(t.Index))
	}
	for k, states := range t.Values {
		switch {
		case k > 0 && !(t.Times[k] > t.Times[k-1]):
			return unfit("time %d is %g after %g, want times that increase strictly", k, t.Times[k], t.Times[k-1])
		case t.Index[k] < 0 || t.Index[k] >= len(t.Snapshots):
			return unfit("snapshot %d in force at observation %d, want one of %d", t.Index[k], k, len(t.Snapshots))
		case len(states) == 0 || len(states)%t.Pattern.Nodes != 0 || len(states) != len(t.Values[0]):
			return unfit("%d states at observation %d, want equally many of each of %d nodes, at all observations",
				len(states), k, t.Pattern.Nodes)
		}
	}
	return nil
}

// TrainingIndex returns the snapshot that a model sees at each training observation: the snapshot in force there. With
// asPublished it is the snapshot in force at the observation with the same position among all observations. The
// published code uses positions among the training observations as indices of observations, so training sees changes
// too late, and misses changes beyond its last position. The set must have a trajectory.
func (s *Set) TrainingIndex(asPublished bool) []int {
	index := s.Trajectories[0].Index
	if asPublished {
		return index[:len(s.Train)]
	}
	return pick(index, s.Train)
}

func pick[T any](values []T, index []int) []T {
	picked := make([]T, len(index))
	for i, at := range index {
		picked[i] = values[at]
	}
	return picked
}
