// Package baseline holds forecasts without a trained network, which any model has to beat, and the [Score] that
// compares forecasts.
//
// The forecasts are zero, the mean of the training targets, the last value seen, the mean of the values seen, and ridge
// regression on the values seen. All forecast the target [nodes*TargetSize] of a window from its inputs. [Persistence]
// and [RecentMean] repeat what the series says to be known of its targets' quantity, Series.LastObserved and
// Series.RecentMean; [Ridge] is a straight line through Window.Visible, fitted to training windows.
//
// Start with [Compare], which fits all of them and tests them on the same windows:
//
//	scores, err := baseline.Compare(ctx, split)
//	best, _ := baseline.Best(scores)
//	mean, halfWidth := best.Mean()
package baseline
