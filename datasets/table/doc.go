// Package table reads dynamic graphs from CSV and Parquet files of your own: one file of edges, with a time, a source,
// a destination and a weight in each row, and one of nodes, with a time, a node, its targets and its features.
//
// Start with [Read]; [Recipe.Read] reads later files for a model that was made from earlier ones. Errors about a file
// are an [*Error] with the line (of Parquet the row) and the column, and with what was found there and wanted.
//
// # Files
//
// The ending says the format: .csv (commas), .tsv (tabs), both also with .gz or .zst after it, and .parquet. The first
// line of text names the columns, in any order; columns that are not asked for are named in a notice. Text is UTF-8,
// with or without a byte order mark, and lines end as on any system. Rows may be in any order. Empty lines and the
// spaces around a cell do not count, but none may follow a closing quote, nor in .tsv come before the first. A Parquet
// column holds one number, text, DATE or TIMESTAMP a row.
//
// Nodes are names or whole numbers. They are sorted, by number where all are whole numbers. A node that only one file
// has is part of the graph, without edges or without values, and a notice says so; files without a node in common are
// an error, and so are nodes that are written as 1 and as 1.0.
//
// Times are numbers, or dates as ISO 8601 has them: 2020-03-31, 2020-03 (its first day), 2020-03-31T18:30 with or
// without seconds, their fraction and a zone, and with a space in place of T. Without a zone they are UTC. Microseconds
// count, shorter times do not. Both files use the same kind. Series.Times are the numbers as they are, and of dates the
// time since the first snapshot in units of Config.Step, or without one of the median distance of two snapshots;
// Series.Dates has the dates.
//
// Values that are empty, NA, N/A, NaN, null or none are missing; weights may not be. Numbers are decimal. Infinity,
// and numbers too large or too close to 0 for a float64, are errors. So are negative weights, unless Edges.Signed
// allows them.
//
// # Snapshots
//
// Without Config.Step every time of either file is a snapshot. Rows of the same edge and time are added up, and a
// second row of the same node and time is an error. With a step all rows of the same step belong together: weights are
// added up, and values are the mean of those that are not missing. Aggregate changes both. A step in between without
// any row is a snapshot too, so that lags count steps. A notice tells of a newest step that seems not to be over.
//
// A snapshot for which the edges file has no row is an error, unless Config.WithoutEdges says what its graph is: [Hold]
// the last one, or [Empty]. Edges without times ([None]) are the graph of all snapshots. Targets and features are
// missing in a snapshot for which the nodes file has no row.
//
// # Series
//
// With y[t] the targets of step t = 0..T-1, k lags (Config.Lags) and the horizon h, snapshot i = 0..T-k of the series
// is of the step t = i+k-1, so that all its lags are in the data, and has
//
//	weights[i]  = edges of step t
//	features[i] = z[t-k+1], ..., z[t], x[t]      [nodes*FeatureSize], of each node the lags, oldest first, then its own
//	targets[i]  = z[t+h-1]                       [nodes*TargetSize], NaN where missing and after the last step
//	newest[i]   = z[t], or the last value before [nodes*TargetSize]
//	recent[i]   = mean of the lags that are not missing, or newest where all are
//	z[t]        = (y[t] - mean) / std            of each node and target, over the first TrainFraction of the T steps
//	x[t]        = features, standardised alike, with one mean and one std for all nodes
//
// A window of L snapshots sees L-1 of them, and its target is the target of its last one: h steps after the last that
// it sees. The windows at the end have no target yet ([dyngraph.Windows.Observed] leaves them out);
// [dyngraph.Series.Latest] is the one to forecast from. Edges of the first k-1 steps are not seen.
//
// Where a target is missing it is NaN. A feature that is missing, lags included, repeats the last value before it, and
// is 0, the mean, where there is none; with Config.KeepGaps it is NaN, as models with a mask want it. So are newest and
// recent 0 before the first value of a node.
//
// A std is at least a tenth of its median over nodes, and 1 where no node changes. A node without a value in the
// training steps has the mean and std of all nodes' training values; a column without any value there is an error.
// Series.Scales leads back to the unit of the file.
//
// # Limits
//
// A reading holds snapshots × union of edges, and snapshots × nodes × values, never the rows: at most Config.MaxValues
// numbers, and 2^20 snapshots. Each edge of the union takes about 80 bytes more meanwhile, each node about 128 and its
// name, both together at most as much again. One row of text has at most 16 MiB, a file at most Config.MaxBytes when
// unpacked; it is a regular file. The pages of Parquet that are in memory at a time take no more than Config.MaxValues
// numbers either, whatever their headers claim. All nodes are there at all times. An edge has a direction: write one
// that has none as two rows.
package table
