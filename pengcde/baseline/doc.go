// Package baseline holds forecasts without a trained network, which any model has to beat: zero, the mean of the training
// targets, the last value seen, the mean of the values seen.
//
// All forecast the target [nodes*TargetSize] of a window from its inputs. [LastVisible] and [RecentMean] repeat features,
// so they want a series whose features are earlier values of its one target, oldest first and in the same scale, as
// datasets/pgt makes them for england_covid.
//
// Start with [Forecaster]:
//
//	for _, f := range baseline.Heuristics() {
//		err := f.Fit(split.Train)
//		forecast, err := f.Forecast(split.Test[0])
//	}
package baseline
