package synthetic

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Classes configures trajectories for classification: each class has its own [Task], and everything else is the same.
type Classes struct {
	// Config applies to every class, with Config.Graphs trajectories in each; its Task is not set.
	Config Config
	// Tasks are the classes, 2 or more.
	Tasks []Task
}

// ClassSet is trajectories of several classes.
type ClassSet struct {
	Trajectories []Trajectory
	// Labels are the classes of the trajectories, from 0 on.
	Labels []int
}

// GenerateClasses draws and simulates a set in which the classes alternate: 0, 1, 0, 1, ... Trajectories share no
// random draw, within a set or between sets with different seeds: the observations at which the graph changes are drawn
// for each trajectory, while [Generate] draws them once. Its errors are the errors of [Generate].
func GenerateClasses(ctx context.Context, classes Classes) (*ClassSet, error) {
	configs, err := classes.configs()
	if err != nil {
		return nil, err
	}
	s, seeds := &ClassSet{}, stream(configs[0].Seed, trajectoryStream, 0)
	for b := range configs[0].Graphs {
		for label, c := range configs {
			c.Seed = seeds.Uint64()
			events, err := c.drawEvents()
			if err != nil {
				return nil, err
			}
			t, err := c.trajectory(ctx, 0, events)
			if err != nil {
				return nil, fmt.Errorf("datasets/synthetic: %s on %s, class %d, trajectory %d: %w",
					c.Task.Dynamics.Name, c.Family.Name(), label, b, err)
			}
			s.Trajectories, s.Labels = append(s.Trajectories, t), append(s.Labels, label)
		}
	}
	return s, nil
}

// configs returns the configuration of each class, checked and with defaults.
func (c Classes) configs() ([]Config, error) {
	if len(c.Tasks) < 2 {
		return nil, errs.New(ErrConfig, "datasets/synthetic: %d classes, want at least 2 tasks to tell apart, as "+
			"SIRClasses", len(c.Tasks))
	}
	if c.Config.Task.Dynamics.Rate != nil {
		return nil, errs.New(ErrConfig, "datasets/synthetic: Config.Task is %q beside the tasks of classes, want it "+
			"unset", c.Config.Task.Dynamics.Name)
	}
	configs := make([]Config, len(c.Tasks))
	for label, task := range c.Tasks {
		config := c.Config
		config.Task = task
		configs[label] = config.withDefaults()
		if err := configs[label].check(); err != nil {
			return nil, errs.In(fmt.Sprintf("datasets/synthetic: class %d", label), err)
		}
	}
	return configs, nil
}

// classesGeneration is the version of GenerateClasses' output. In the first, all trajectories of a set had their events
// at the same observations.
const classesGeneration = 2

// Identity returns everything that determines the generated set: the [Config.Identity] of each class.
func (c Classes) Identity() (string, error) {
	configs, err := c.configs()
	if err != nil {
		return "", err
	}
	identities := make([]json.RawMessage, len(configs))
	for label, config := range configs {
		identity, err := config.Identity()
		if err != nil {
			return "", errs.In(fmt.Sprintf("datasets/synthetic: class %d", label), err)
		}
		identities[label] = json.RawMessage(identity)
	}
	identity, err := json.Marshal(struct {
		Generation int               `json:"Generation"`
		Classes    []json.RawMessage `json:"Classes"`
	}{classesGeneration, identities})
	return string(identity), err
}

// Windows returns the trajectories as whole series with states as features, [nodes*channels], and the label as the only
// target: the graph's target at the last snapshot. Series have different names and share rows with the set. Errors wrap
// [ErrTrajectory], also if a class from 0 to the largest label has no trajectory, or [dyngraph.ErrInvalid] for times
// and weights that a series cannot have.
func (s *ClassSet) Windows() ([]dyngraph.Window, error) {
	if err := s.checkLabels(); err != nil {
		return nil, err
	}
	windows := make([]dyngraph.Window, len(s.Labels))
	for i, label := range s.Labels {
		t := &s.Trajectories[i]
		if err := t.check(); err != nil {
			return nil, errs.In(fmt.Sprintf("datasets/synthetic: trajectory %d", i), err)
		}
		series := t.Series(nil, nil)
		series.Name = fmt.Sprintf("trajectory %d, class %d", i, label)
		series.Targets, series.TargetSize = nil, 1
		series.GraphTargets = slices.Repeat([][]float64{{math.NaN()}}, len(t.Times))
		series.GraphTargets[len(t.Times)-1] = []float64{float64(label)}
		if err := series.Validate(); err != nil {
			return nil, errs.In(fmt.Sprintf("datasets/synthetic: trajectory %d", i), err)
		}
		windows[i] = series.Whole()
	}
	return windows, nil
}

// checkLabels requires a label for each trajectory, and a trajectory for each class.
func (s *ClassSet) checkLabels() error {
	if len(s.Trajectories) == 0 || len(s.Labels) != len(s.Trajectories) {
		return errs.New(ErrTrajectory, "datasets/synthetic: %d labels of %d trajectories, want one for each, at least 1",
			len(s.Labels), len(s.Trajectories))
	}
	if i := slices.IndexFunc(s.Labels, func(label int) bool { return label < 0 }); i >= 0 {
		return errs.New(ErrTrajectory, "datasets/synthetic: label %d of trajectory %d, want 0 or more", s.Labels[i], i)
	}
	classes := slices.Compact(slices.Sorted(slices.Values(s.Labels)))
	for want, class := range classes {
		if class != want {
			return errs.New(ErrTrajectory, "datasets/synthetic: no trajectory of class %d, and some of class %d: number "+
				"the classes from 0 on", want, class)
		}
	}
	return nil
}
