package dyngraph

import (
	"cmp"
	"slices"
)

// PurgedRotation returns one split for each window, which is the test window. Training windows are the candidates,
// earlier or later, that share no step with the test window. If validation is above 0, this number of windows is for
// validation: the first after the test window (the earliest follow the latest) that share no step with it. Training
// windows then share no step with the validation windows either. Candidates may be denser than the windows themselves.
//
// This is leave-one-out cross-validation with purging: M. López de Prado, Advances in Financial Machine Learning
// (2018), section 7.4.1.
func (w Windows) PurgedRotation(candidates Windows, validation int) ([]Split, error) {
	switch {
	case w.err != nil:
		return nil, w.err
	case candidates.err != nil:
		return nil, candidates.err
	case validation < 0:
		return nil, invalid("%d validation windows in a rotation, want 0 or more", validation)
	}
	splits := make([]Split, len(w.list))
	for i := range w.list {
		split := Split{Test: w.list[i : i+1 : i+1]}
		for k := 1; k < len(w.list) && len(split.Validation) < validation; k++ {
			next := (i + k) % len(w.list)
			split.Validation = append(split.Validation, Purge(w.list[next:next+1], split.Test)...)
		}
		split.Train = Purge(candidates.list, split.Test, split.Validation)
		if len(split.Train) == 0 || len(split.Validation) < validation {
			return nil, invalid("beside the window at snapshot %d, %d windows for training and %d for "+
				"validation touch none of its steps, want at least 1 and %d: take shorter windows or a longer "+
				"series", w.list[i].Start, len(split.Train), len(split.Validation), validation)
		}
		splits[i] = split
	}
	return splits, nil
}

// RollingOrigin tests each of the K windows from index floor(first*K) on, as if time had stopped at its newest visible
// step. Each split tests the next every windows. A model is trained again for each split, on the windows that are
// [Known] to the first test window. If validationFraction is above 0, this fraction of these windows, rounded down but
// at least one, is for validation: the latest ones. Training windows are then known to the first validation window.
//
// L. J. Tashman, Out-of-sample tests of forecasting accuracy: an analysis and review, International Journal of
// Forecasting 16 (2000).
func (w Windows) RollingOrigin(first float64, every int, validationFraction float64) ([]Split, error) {
	switch {
	case w.err != nil:
		return nil, w.err
	case !(first > 0 && first < 1):
		return nil, invalid("rolling origin from the fraction %g of the windows, want one between 0 and 1", first)
	case every < 1:
		return nil, invalid("training anew every %d origins, want at least 1", every)
	case !(validationFraction >= 0 && validationFraction < 1):
		return nil, invalid("fraction %g for validation, want 0 or more and less than 1", validationFraction)
	}
	var splits []Split
	total := len(w.list)
	for i := part(first, total); i < total; i += min(every, total-i) {
		end := i + min(every, total-i)
		split := Split{Test: w.list[i:end:end], Train: Known(w.list[:i], w.list[i])}
		if n := len(split.Train); validationFraction > 0 && n > 0 {
			split.Validation = split.Train[n-max(1, part(validationFraction, n)):]
			split.Train = Known(split.Train, split.Validation[0])
		}
		if len(split.Train) == 0 {
			return nil, invalid("no window is known for training when the one at snapshot %d is "+
				"forecast, of %d before it: begin later, or take shorter windows", w.list[i].Start, i)
		}
		splits = append(splits, split)
	}
	return splits, nil
}

// part returns the fraction of a number, rounded down.
func part(fraction float64, total int) int {
	const ulps = 1e-9 // keeps products such as 0.29*100 from falling below their integer
	return int(fraction*float64(total) + ulps)
}

// HoldOut parts training windows where none are for validation: the latest quarter validates, at least one window, and
// the windows that touch no step of it train. So a choice among models looks at no other data than a training does.
func HoldOut(windows []Window) (training, validation []Window) {
	all := slices.SortedStableFunc(slices.Values(windows), func(a, b Window) int { return cmp.Compare(a.Start, b.Start) })
	rest := len(all) - min(len(all), max(1, len(all)/4))
	return Purge(all[:rest], all[rest:]), all[rest:]
}
