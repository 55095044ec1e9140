// Package dyngraph holds graphs that change in time: nodes, snapshots as sparse edges on one union pattern, node
// features, targets, the windows that models train on, and their forecasts. It imports no other public package of
// the module.
//
// A [Series] of T snapshots over n nodes stores
//
//	Times    [T]        strictly increasing, in a unit in which they are of order 1 apart
//	Weights  [T][E]     on the E edges of the union pattern, 0 where a snapshot lacks the edge
//	Features [T][n*p]   row-major by node
//	Targets  [T][n*q]   row-major by node, may be absent
//
// NaN in features and targets marks a value that was not observed.
//
// Start with a loader (datasets/table reads your own files) or fill a Series and call [Series.Validate]. Then cut it
// into windows:
//
//	split, err := series.Windows(5, 1).Chronological(0.6, 0.2)
//
// A graph may also come as a stream of [Events], each an edge at a time. [Events.Snapshots] sums them step by step and
// holds only the snapshots, [SeriesOf] makes a Series from snapshots, and [Events.WriteCSV] writes a stream.
//
// Features often repeat earlier steps of the forecast quantity, so windows that share no snapshot may still share days.
// [Alignment] describes this; [Windows.PurgedRotation], [Windows.RollingOrigin] and [Windows.Chronological] then do not
// leak.
//
// Nodes that appear and leave are marked in Series.Present, see [Series.WithPresence].
//
// Limits: all snapshots share one set of nodes, and n counts absent ones too. This package does not fill missing
// values; models do, and document how.
package dyngraph
