package series

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Split names the choice of windows for training, validation and test.
type Split string

const (
	// Random is the published split: 60% training, 20% validation, shuffled by the seed. Training windows share steps
	// with tested ones.
	Random Split = "random"
	// PurgedRotation tests every non-overlapping window once, by a run that trains on all windows that share no step
	// with it.
	PurgedRotation Split = "purged-rotation"
	// RollingOrigin forecasts each of the last 40% of all windows from the data known at its time.
	RollingOrigin Split = "rolling-origin"
)

// inTitles returns the name for titles of figures and columns.
func (s Split) inTitles() string { return strings.ReplaceAll(string(s), "-", " ") }

var allSplits = []Split{Random, PurgedRotation, RollingOrigin}

const (
	trainFraction      = 0.6
	validationFraction = 0.2
	// originValidation is the fraction of the windows known at an origin that validate, the latest ones. The ratio of
	// training to validation windows equals the other splits'.
	originValidation = validationFraction / (trainFraction + validationFraction)
)

// titles describes which windows are tested.
var titles = map[Split]string{
	Random:         "random split, as published",
	PurgedRotation: "purged rotation: every window tested once, no step shared with training",
	RollingOrigin:  "rolling origin: the last 40% of the windows, each from what was known by then",
}

// split returns the split of one run.
func (f *Forecasting) split(s setting, seed uint64, fold int) (dyngraph.Split, error) {
	splits, err := f.splits(s, seed)
	if err != nil {
		return dyngraph.Split{}, err
	}
	split := splits[fold]
	all, err := f.all.List()
	if err != nil {
		return dyngraph.Split{}, err
	}
	if s.split == Random {
		if !s.stopsEarly() && !s.Untrained {
			split.Train, split.Validation = slices.Concat(split.Train, split.Validation), nil
		}
		if s.overlapping {
			split.Train = sharingNoSnapshot(all, split.Validation, split.Test)
		}
	}
	if s.overlapping || s.split != Random {
		split.Train = every(s.stride, split.Train)
	}
	if len(split.Train) == 0 {
		return dyngraph.Split{}, errs.New(experiments.ErrInput, "experiments: no training window for %q, %s %d, of every "+
			"%d: want a smaller stride", s.ID, s.split, fold, s.stride)
	}
	if s.overlapping {
		rng := rand.New(rand.NewPCG(seed, uint64(fold)))
		rng.Shuffle(len(split.Train), func(i, j int) {
			split.Train[i], split.Train[j] = split.Train[j], split.Train[i]
		})
	}
	return split, nil
}

// splits returns the splits of all runs of a seed.
func (f *Forecasting) splits(s setting, seed uint64) ([]dyngraph.Split, error) {
	if _, err := f.series(); err != nil {
		return nil, err
	}
	if s.split == Random {
		split, err := f.sideBySide.Split(trainFraction, validationFraction, seed)
		return []dyngraph.Split{split}, err
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	rule := splitRule{s.split, s.stopsEarly(), max(1, s.retrainEvery)}
	if made, found := f.made[rule]; found {
		return made, nil
	}
	made, err := rule.splits(f.sideBySide, f.all)
	if err == nil {
		f.made[rule] = made
	}
	return made, err
}

// splitRule decides the splits that do not depend on the seed.
type splitRule struct {
	split        Split
	stopsEarly   bool
	retrainEvery int
}

func (r splitRule) splits(sideBySide, all dyngraph.Windows) ([]dyngraph.Split, error) {
	switch r.split {
	case PurgedRotation:
		if r.stopsEarly {
			return sideBySide.PurgedRotation(all, 1)
		}
		return sideBySide.PurgedRotation(all, 0)
	case RollingOrigin:
		validation := 0.
		if r.stopsEarly {
			validation = originValidation
		}
		return all.RollingOrigin(trainFraction, r.retrainEvery, validation)
	}
	return nil, errs.New(experiments.ErrInput, "experiments: split %q, want one of %q", r.split, allSplits)
}

// every returns the windows that start at multiples of a stride; 0 means 1.
func every(stride int, windows []dyngraph.Window) []dyngraph.Window {
	return slices.DeleteFunc(slices.Clone(windows), func(w dyngraph.Window) bool { return w.Start%max(stride, 1) != 0 })
}

// sharingNoSnapshot returns the windows that share no snapshot with the others; they may share steps.
func sharingNoSnapshot(windows []dyngraph.Window, others ...[]dyngraph.Window) []dyngraph.Window {
	return slices.DeleteFunc(slices.Clone(windows), func(w dyngraph.Window) bool {
		overlaps := func(o dyngraph.Window) bool { return w.Last() >= o.Start && o.Last() >= w.Start }
		return slices.ContainsFunc(slices.Concat(others...), overlaps)
	})
}
