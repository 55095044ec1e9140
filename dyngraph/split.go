package dyngraph

import (
	"math/rand/v2"
	"slices"
)

// Split holds the windows for training, for the choice of the best parameters, and for the final error.
type Split struct{ Train, Validation, Test []Window }

// Split shuffles the windows by seed and takes the fractions for training and validation, rounded down; the rest is for
// testing. This is the split of the published experiments. It mixes training and test windows in time, so the features
// of a training window may contain the target of a test window. [Windows.Chronological], [Windows.PurgedRotation] and
// [Windows.RollingOrigin] are splits without this leak.
func (w Windows) Split(trainFraction, validationFraction float64, seed uint64) (Split, error) {
	if w.err != nil {
		return Split{}, w.err
	}
	train, validation, test, err := Shuffle(w.list, trainFraction, validationFraction, seed)
	return Split{Train: train, Validation: validation, Test: test}, err
}

// Shuffle is the split of [Windows.Split] for windows of any type.
func Shuffle[W any](windows []W, trainFraction, validationFraction float64, seed uint64) (train, validation, test []W,
	err error) {
	const stream = 0x5851f42d4c957f2d // any constant; the same seed gives other uses of the generator other numbers
	rng := rand.New(rand.NewPCG(seed, stream))
	shuffled := slices.Clone(windows)
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return cut(shuffled, trainFraction, validationFraction)
}

// Chronological splits the windows in order of time, so that training and validation use only data known at that time.
// It leaves out validation windows whose target is later than the newest step in the inputs of the first test window,
// and training windows whose target is later than the newest step in the inputs of the first validation window (see
// [Known]).
func (w Windows) Chronological(trainFraction, validationFraction float64) (Split, error) {
	if w.err != nil {
		return Split{}, w.err
	}
	var split Split
	var err error
	split.Train, split.Validation, split.Test, err = cut(w.list, trainFraction, validationFraction)
	if err != nil {
		return Split{}, err
	}
	train, validation := len(split.Train), len(split.Validation)
	split.Validation = Known(split.Validation, split.Test[0])
	if len(split.Validation) > 0 {
		split.Train = Known(split.Train, split.Validation[0])
	}
	if len(split.Train) == 0 || len(split.Validation) == 0 {
		return Split{}, invalid("%d training and %d validation windows of %d and %d were known when "+
			"the next part begins, want at least one each: take more windows or other fractions",
			len(split.Train), len(split.Validation), train, validation)
	}
	return split, nil
}

// cut takes the fractions for training and validation, rounded down; the rest is for testing.
func cut[W any](windows []W, train, validation float64) (a, b, c []W, err error) {
	if !(train > 0 && validation > 0 && train+validation < 1) {
		return nil, nil, nil, invalid("fractions %g for training and %g for validation, want positive ones "+
			"with a sum below 1, the rest is for testing", train, validation)
	}
	total := len(windows)
	i := part(train, total)
	k := i + part(validation, total)
	if i == 0 || k == i || k == total {
		return nil, nil, nil, invalid("%d windows split into %d for training, %d for validation, %d for testing, want "+
			"at least one each: take a smaller stride, shorter windows or other fractions", total, i, k-i, total-k)
	}
	// Capacities end with the parts: appending to one must not write into the next.
	return windows[:i:i], windows[i:k:k], windows[k:total:total], nil
}

// Rotate divides the windows, in order of time, into folds of nearly equal size and returns one split for each. Split i
// tests fold i, validates on fold i+1 (the first after the last), and trains on the rest. Every window is thus tested
// exactly once. If features repeat earlier steps, training windows contain steps of the test windows;
// [Windows.PurgedRotation] leaves those training windows out.
func (w Windows) Rotate(folds int) ([]Split, error) {
	if w.err != nil {
		return nil, w.err
	}
	if folds < 3 || folds > len(w.list) {
		return nil, invalid("%d folds of %d windows, want at least 3 (test, validation, training) and "+
			"at most one for each window", folds, len(w.list))
	}
	splits := make([]Split, folds)
	for k, window := range w.list {
		fold := k * folds / len(w.list)
		for i := range splits {
			switch part := &splits[i]; fold {
			case i:
				part.Test = append(part.Test, window)
			case (i + 1) % folds:
				part.Validation = append(part.Validation, window)
			default:
				part.Train = append(part.Train, window)
			}
		}
	}
	return splits, nil
}
