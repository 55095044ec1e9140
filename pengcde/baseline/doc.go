// Package baseline provides forecasters without a trained network, which any model has to beat, and the [Score] that
// compares forecasts.
//
// The forecasts are zero, the mean of the training targets, the last observed value, the mean of recent values, and
// ridge regression on the visible values. All forecast the target [nodes*TargetSize] of a window from its inputs.
// [Persistence] and [RecentMean] repeat values that the series provides for its targets, Series.LastObserved and
// Series.RecentMean. [Ridge] is a linear regression on Window.Visible, fitted to training windows.
//
// Start with [Compare], which fits all of them and tests them on the same windows:
//
//	scores, err := baseline.Compare(ctx, split)
//	best, _ := baseline.Best(scores)
//	mean, halfWidth := best.Mean()
package baseline
