package experiments

import (
	"context"
	"errors"

	"github.com/peng-cde/pengcde-go/experiments/store"
)

// RunState is a planned run, and whether it is stored: Made with facts, Failed with the error that prevented it, Stale
// only in another [Generation].
type RunState struct {
	Run
	Made, Failed, Stale bool
}

// RunStates lists planned runs with their states.
type RunStates []RunState

// Count returns the number of stored runs and the number of all runs, as [Report.Count] does.
func (r RunStates) Count() (stored, planned int) {
	return r.in(func(run RunState) bool { return run.Made }), len(r)
}

// Failed returns the number of runs that are stored with an error.
func (r RunStates) Failed() int { return r.in(func(run RunState) bool { return run.Failed }) }

// Stale returns the number of runs that are stored only in another [Generation].
func (r RunStates) Stale() int { return r.in(func(run RunState) bool { return run.Stale }) }

func (r RunStates) in(state func(RunState) bool) (count int) {
	for _, run := range r {
		if state(run) {
			count++
		}
	}
	return count
}

// States returns the states of the selected runs of each profile, whatever Options.Profile is. It is faster than
// [Study.Stored] because it decodes no facts. A profile that lacks a selected model or key is left out; if all lack
// it, States returns the error of the first.
func (s Study) States(ctx context.Context, o Options) (map[Profile]RunStates, error) {
	all, err := store.OpenNames(s.Name, o.Fresh, s.Like...)
	if err != nil {
		return nil, err
	}
	names, err := all.Names()
	if err != nil {
		return nil, err
	}
	states := make(map[Profile]RunStates)
	var lacking []error
	for _, p := range Profiles() {
		runs, err := s.selected(ctx, o, p)
		if errors.Is(err, ErrInput) {
			lacking = append(lacking, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		if states[p], err = statesIn(all, names, o.kind(), runs); err != nil {
			return nil, err
		}
	}
	if len(states) == 0 {
		return nil, lacking[0]
	}
	return states, nil
}

// statesIn returns the states of runs in a store with these names.
func statesIn(all store.Store, names store.Names, backend string, runs []Run) (RunStates, error) {
	states := make(RunStates, len(runs))
	for i, r := range runs {
		states[i].Run = r
		if len(names) == 0 {
			continue
		}
		slot, err := r.slot(all, backend)
		if err != nil {
			return nil, err
		}
		state, err := slot.State(names)
		if err != nil {
			return nil, err
		}
		states[i].Made, states[i].Failed, states[i].Stale = state == store.Made, state == store.Failed, state == store.Stale
	}
	return states, nil
}
