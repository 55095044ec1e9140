package dyngraph

import (
	"math/rand/v2"
	"slices"
)

// Split are windows for training, for choosing the best parameters, and for the final error.
type Split struct{ Train, Validation, Test []Window }

// Split shuffles the windows by seed and takes the fractions for training and validation, rounded down; the rest is
// for testing. This is the split of the published experiments, where windows of different parts lie beside each other
// in time: features of a training window may hold what is the target of a test window. [Windows.Chronological],
// [Windows.PurgedRotation] and [Windows.RollingOrigin] are splits without that leak.
func (w Windows) Split(trainFraction, validationFraction float64, seed uint64) (Split, error) {
	const stream = 0x5851f42d4c957f2d // any constant; the same seed gives other uses of the generator other numbers
	rng := rand.New(rand.NewPCG(seed, stream))
	shuffled := slices.Clone(w.list)
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return Windows{shuffled, w.err}.cut(trainFraction, validationFraction)
}

// Chronological splits the windows in order of time. What trains or validates was known when it is used: validation
// windows whose target is later than the newest step that the first test window shows are left out, and training
// windows whose target is later than the newest step that the first validation window shows (see [Known]).
func (w Windows) Chronological(trainFraction, validationFraction float64) (Split, error) {
	split, err := w.cut(trainFraction, validationFraction)
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

func (w Windows) cut(train, validation float64) (Split, error) {
	if w.err != nil {
		return Split{}, w.err
	}
	if !(train > 0 && validation > 0 && train+validation < 1) {
		return Split{}, invalid("fractions %g for training and %g for validation, want positive ones "+
			"with a sum below 1, the rest is for testing", train, validation)
	}
	total := len(w.list)
	a, b := part(train, total), part(validation, total)
	if a == 0 || b == 0 || a+b == total {
		return Split{}, invalid("%d windows split into %d for training, %d for validation, %d for "+"testing, want "+
			"at least one each: take a smaller stride, shorter windows or other fractions", total, a, b, total-a-b)
	}
	// Capacities end with the parts: appending to one must not write into the next.
	return Split{Train: w.list[:a:a], Validation: w.list[a : a+b : a+b], Test: w.list[a+b : total : total]}, nil
}

// Rotate puts the windows, in order of time, into folds of nearly equal size and returns one split for each: its test
// windows are fold i, its validation windows fold i+1 (the first after the last), the rest is for training. So every
// window is tested exactly once. Where features repeat earlier steps, training windows hold steps of the tested ones:
// [Windows.PurgedRotation] leaves those out.
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
