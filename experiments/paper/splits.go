package experiments

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Split says which windows are for training, for validation and for test.
type Split string

const (
	// Random is the published way: 60% training, 20% validation, shuffled by the seed. Training windows share steps with
	// tested ones.
	Random Split = "random"
	// Chronological takes every window, one starting at each snapshot, in order of time, see [dyngraph.Windows.Chronological].
	Chronological Split = "chronological"
	// PurgedRotation tests every window once, side by side, by a run that trains on all windows that share no step with it.
	PurgedRotation Split = "purged-rotation"
	// RollingOrigin forecasts each of the last 40% of all windows from what was known by then.
	RollingOrigin Split = "rolling-origin"
	// LeakyRotation is PurgedRotation with training windows that share no snapshot with the tested one, but steps where
	// features repeat them. It is made when it is asked for by name.
	LeakyRotation Split = "leaky-rotation"
)

// Splits lists those that are made unless others are asked for.
func Splits() []Split { return []Split{Random, Chronological, PurgedRotation, RollingOrigin} }

var allSplits = append(Splits(), LeakyRotation)

const (
	trainFraction      = 0.6
	validationFraction = 0.2
	// originValidation is the latest part of the windows known at an origin: as much of both as in the other splits.
	originValidation = validationFraction / (trainFraction + validationFraction)
)

// numbered says whether the split of a seed has several runs, one for each tested window or origin.
func (s Split) numbered() bool {
	return s == PurgedRotation || s == RollingOrigin || s == LeakyRotation
}

// title says in words what is tested.
func (s Split) title() string {
	switch s {
	case Random:
		return "random split, as published"
	case Chronological:
		return "in order of time"
	case PurgedRotation:
		return "purged rotation: every window tested once, no step shared with training"
	case RollingOrigin:
		return "rolling origin: the last 40% of the windows, each from what was known by then"
	case LeakyRotation:
		return "leaky rotation: every window tested once, training shares steps with it"
	}
	return string(s)
}

// cut are the windows of a series, cut once, since checking a series takes longer than splitting it.
type cut struct {
	mutex           sync.Mutex
	series          *dyngraph.Series
	sideBySide, all dyngraph.Windows
}

// windows cuts the series into windows side by side, and into one starting at each snapshot.
func (e Forecasting) windows(series *dyngraph.Series) (sideBySide, all dyngraph.Windows) {
	c := e.cut
	if c == nil {
		c = &cut{}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.series != series {
		c.series, c.sideBySide, c.all = series, series.Windows(e.Window, e.Window), series.Windows(e.Window, 1)
	}
	return c.sideBySide, c.all
}

// split is that of one run.
func (e Forecasting) split(series *dyngraph.Series, s Setting, seed uint64, fold int) (dyngraph.Split, error) {
	splits, err := e.splits(series, s, seed)
	if err != nil {
		return dyngraph.Split{}, err
	}
	if fold < 0 || fold >= len(splits) {
		return dyngraph.Split{}, fmt.Errorf("experiments: part %d of %d of split %q: %w", fold, len(splits), s.Split,
			ErrInput)
	}
	split := splits[fold]
	_, windows := e.windows(series)
	all, err := windows.List()
	if err != nil {
		return dyngraph.Split{}, err
	}
	if s.Split == Random || s.Split == LeakyRotation {
		if !s.stopsEarly() && (s.Model != nil || s.Split != Random) {
			split.Train, split.Validation = slices.Concat(split.Train, split.Validation), nil
		}
		if s.Dense {
			split.Train = sharingNoSnapshot(all, split.Validation, split.Test)
		}
	} else if s.Split == Chronological && !s.stopsEarly() {
		split.Train, split.Validation = dyngraph.Known(all, split.Test[0]), nil
	}
	if s.Dense || s.Split != Random && s.Split != LeakyRotation {
		split.Train = every(s.Stride, split.Train)
	}
	if len(split.Train) == 0 {
		return dyngraph.Split{}, fmt.Errorf("experiments: no training window for %q, %s %d, of every %d: want a "+
			"smaller stride: %w",
			s.ID, s.Split, fold, s.Stride, ErrInput)
	}
	if s.Dense {
		rng := rand.New(rand.NewPCG(seed, uint64(fold)))
		rng.Shuffle(len(split.Train), func(i, j int) {
			split.Train[i], split.Train[j] = split.Train[j],
				split.Train[i]
		})
	}
	return split, nil
}

// stopsEarly says that training looks at validation windows.
func (s Setting) stopsEarly() bool { return s.Model != nil && s.Train.EvaluateEvery >= 0 }

// splits are those of all runs of a seed.
func (e Forecasting) splits(series *dyngraph.Series, s Setting, seed uint64) ([]dyngraph.Split, error) {
	sideBySide, all := e.windows(series)
	one := func(split dyngraph.Split, err error) ([]dyngraph.Split, error) { return []dyngraph.Split{split}, err }
	switch s.Split {
	case Random:
		return one(sideBySide.Split(trainFraction, validationFraction, seed))
	case Chronological:
		return one(all.Chronological(trainFraction, validationFraction))
	case PurgedRotation:
		validation := 0
		if s.stopsEarly() {
			validation = 1
		}
		return sideBySide.PurgedRotation(all, validation)
	case RollingOrigin:
		validation := 0.
		if s.stopsEarly() {
			validation = originValidation
		}
		return all.RollingOrigin(trainFraction, max(1, s.RetrainEvery), validation)
	case LeakyRotation:
		list, err := sideBySide.List()
		if err != nil {
			return nil, err
		}
		return sideBySide.Rotate(len(list))
	}
	return nil, fmt.Errorf("experiments: split %q, want one of %q: %w", s.Split, allSplits, ErrInput)
}

// every are the windows that start at multiples of a stride; 0 means 1.
func every(stride int, windows []dyngraph.Window) []dyngraph.Window {
	var some []dyngraph.Window
	for _, w := range windows {
		if w.Start%max(stride, 1) == 0 {
			some = append(some, w)
		}
	}
	return some
}

// sharingNoSnapshot are the windows that share no snapshot with the others; they may share steps.
func sharingNoSnapshot(windows []dyngraph.Window, others ...[]dyngraph.Window) []dyngraph.Window {
	var free []dyngraph.Window
	for _, w := range windows {
		if !slices.ContainsFunc(slices.Concat(others...),
			func(o dyngraph.Window) bool { return w.Last() >= o.Start && o.Last() >= w.Start }) {
			free = append(free, w)
		}
	}
	return free
}
