// Package table reads dynamic graphs from CSV and Parquet files: who is joined to whom at what time, and what was
// measured at each node.
//
// Start with [Read]. With y[t] the targets of step t = 0..T-1, k lags (Config.Lags) and the horizon h, snapshot
// i = 0..T-k of the series is of the step t = i+k-1, so that all its lags are in the data, and has
//
//	weights[i]  = edges of step t
//	features[i] = z[t-k+1], ..., z[t], and the node's own features at t   [nodes*FeatureSize], the oldest lag first
//	targets[i]  = z[t+h-1], NaN where it was not observed or is after T-1  [nodes*TargetSize]
//	newest[i]   = z[t], or the last value before                            [nodes*TargetSize]
//	recent[i]   = mean of what was observed among the lags, or newest      [nodes*TargetSize]
//	z[t]        = (y[t] - mean) / std   of each node and target, over the first TrainFraction of the steps
//
// A window of L snapshots sees L-1 of them, and its target is that of its last: h steps after the last that it sees.
// Windows at the end have no target yet ([dyngraph.Windows.Observed] leaves them out); [dyngraph.Series.Latest] is what
// to forecast from.
package table
