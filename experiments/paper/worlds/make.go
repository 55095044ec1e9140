package worlds

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// make trains on whole trajectories. Data sets are generated once and stored in the results folder.
func (w Worlds) make(ctx context.Context, m *experiments.RunContext, r experiments.Run) (*experiments.Facts, error) {
	at, cache := r.Spec.(world), synthetic.Cache{Folder: m.Folder("worlds")}
	var sets [3]*synthetic.Set
	for i, config := range at.sets {
		var err error
		if sets[i], err = cache.Generate(ctx, config); err != nil {
			return nil, fmt.Errorf("experiments: data of %v: %w", r, err)
		}
	}
	training, validation, test := sets[0], sets[1], sets[2]
	// The published GN-ODE knows the times of events, which take effect here at the next training time; its defects
	// are in pengcde.Config.Parity.
	index := training.TrainingIndex(w.asPublished && at.ID != "gn-ode")
	learner, err := m.Learner(r.Seed)
	if err != nil {
		return nil, err
	}
	trained := windows(training, training.Train, index)
	if at.allTimes {
		trained = trainedAtAllTimes(training, index)
	}
	facts, err := m.Fit(ctx, learner, trained, windows(validation, nil, nil))
	diverged := errors.Is(err, train.ErrNotFinite) && facts.Training != nil && facts.Training.Best >= 0
	if err != nil && !diverged {
		return facts, err
	}
	facts.Scores, facts.Arrays = make(map[string]float64), make(map[string][][]float64)
	unscored := interpolate(ctx, facts, learner, training)
	if unscored == nil {
		unscored = simulate(ctx, facts, learner, test)
	}
	switch {
	case unscored == nil && diverged: // the learner has the best validated parameters
		facts.Before = facts.Scores
	case unscored == nil:
		keepWeights(facts, learner, len(at.maps))
		if at.ID == catalogue.LawID {
			err = errors.Join(err, keepLaw(facts, learner, windows(test, nil, nil)))
		}
	case !diverged || ctx.Err() != nil:
		return facts, unscored
	}
	return facts, err
}

// windows returns the trajectories of a set at these times, nil for all, see [synthetic.Trajectory.Series].
func windows(s *synthetic.Set, times, index []int) []dyngraph.Window {
	all := make([]dyngraph.Window, len(s.Trajectories))
	for b := range s.Trajectories {
		all[b] = s.Trajectories[b].Series(times, index).Whole()
	}
	return all
}

// interpolate scores the training graphs at times within and after the training times.
func interpolate(ctx context.Context, facts *experiments.Facts, l experiments.Learner, training *synthetic.Set) error {
	errors, _, err := trajectories(ctx, l, training)
	if err != nil {
		return err
	}
	for name, at := range map[string][]int{string(Interpolated): training.Interpolation,
		string(Extrapolated): training.Extrapolation} {
		for b := range errors {
			for _, k := range at {
				facts.Scores[name] += errors[b][k] / float64(len(errors)*len(at))
			}
		}
	}
	return nil
}

// pictures is the number of times whose states are stored.
const pictures = 24

// simulate scores the test graphs over all times, and stores their errors over time and the states of the first
// graph.
func simulate(ctx context.Context, facts *experiments.Facts, l experiments.Learner, test *synthetic.Set) error {
	errors, states, err := trajectories(ctx, l, test)
	if err != nil {
		return err
	}
	add := func(name string, row []float64) { facts.Arrays[name] = append(facts.Arrays[name], row) }
	var trained, shown []float64
	for b, trajectory := range test.Trajectories {
		for _, e := range errors[b] {
			facts.Scores["test"] += e / float64(len(errors)*len(errors[b]))
		}
		add("times", trajectory.Times)
		add("errors", errors[b])
		add("events", trajectory.EventTimes())
		trained = append(trained, trajectory.Times[test.Train[len(test.Train)-1]])
	}
	add("trained until", trained)
	first := test.Trajectories[0]
	for i := range pictures {
		k := i * (len(first.Times) - 1) / (pictures - 1)
		shown = append(shown, first.Times[k])
		add("pictures", rounded(first.Values[k]))
		add("picture forecasts", rounded(states[0][k]))
	}
	add("picture times", shown)
	return nil
}

// trajectories returns the errors [graphs][times] and the forecasts [graphs][times][nodes] of a set.
func trajectories(ctx context.Context, l experiments.Learner, set *synthetic.Set) (errors [][]float64,
	states [][][]float64, err error) {
	all, err := l.Forecast(ctx, windows(set, nil, nil))
	if err != nil {
		return nil, nil, err
	}
	errors, states = make([][]float64, len(all)), make([][][]float64, len(all))
	for b, flat := range all {
		for k, truth := range set.Trajectories[b].Values {
			state := flat[k*len(truth) : (k+1)*len(truth)]
			mean, err := train.MSE(state, truth)
			if err != nil {
				return nil, nil, err
			}
			if math.IsNaN(mean) || math.IsInf(mean, 0) {
				return nil, nil, fmt.Errorf("experiments: error of graph %d at time %d is %g: %w", b, k, mean,
					train.ErrNotFinite)
			}
			errors[b], states[b] = append(errors[b], mean), append(states[b], state)
		}
	}
	return errors, states, nil
}

// rounded returns values with four digits; a picture does not show more.
func rounded(values []float64) []float64 {
	short := make([]float64, len(values))
	for i, v := range values {
		short[i], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64) // parses its own output
	}
	return short
}
