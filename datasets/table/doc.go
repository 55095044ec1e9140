// Package table reads dynamic graphs from your own CSV and Parquet files. The edges file has a time, a source, a
// destination and a weight in each row; the nodes file has a time, a node, its targets and its features.
//
// Start with [Read]; [Recipe.Read] reads later files for a model trained on earlier files. Errors about a file are an
// [*Error] with the line (in Parquet the row), the column, the text found and the text expected.
//
// # Files
//
// The extension gives the format: .csv, .tsv, both optionally followed by .gz or .zst, and .parquet. Cells of .tsv are
// separated by tabs, of .csv by semicolons if the first line has some and no comma, else by commas; Config.Separator
// names another separator. The first line of a text file names the columns, in any order. The columns of times, nodes
// and weights are found if they have a common name, see [Edges] and [Nodes]; two candidates are an error. Notices list
// the columns that were found by a less usual name, and columns that are not used. Text is UTF-8, with or without a
// byte order mark, in lines that end in LF or CR LF. Rows may be in any order. Empty lines and spaces around a cell are
// ignored, but no space may follow a closing quote, nor precede an opening quote if tabs separate cells. A Parquet
// column holds one number, DECIMAL, text, DATE or TIMESTAMP per row, the column of Nodes.Presence also BOOLEAN.
//
// Nodes are names or whole numbers. They are sorted, by number if all are whole numbers. A node in only one file is
// part of the graph, without edges or without values, and a notice says so. Files without a common node are an error;
// so is a node written as 1 and as 1.0, as 1001 in one file and as 01001 in the other, or with other characters of
// Unicode for the same letters.
//
// Times are numbers, or dates in ISO 8601 format: 2020-03-31, 2020-03 (its first day), 2020-03-31T18:30 with or without
// seconds, their fraction and a zone, and with a space instead of T. Other dates need Config.DateFormat, which has
// YYYY, MM and, where the dates have them, DD, hh, mm, ss and AM for twelve hours: MM/DD/YYYY, "DD.MM.YYYY hh:mm",
// YYYYMMDD. Without a zone they are UTC. Times shorter than a microsecond are ignored. Both files must use the same
// kind. Series.Times are the numbers as they are. For dates they are the times since the first snapshot in units of
// Config.Step, or without a step in units of the median distance between snapshots; Series.Dates has the dates.
//
// Values that are empty, NA, N/A, NaN, null or none are missing. Missing weights are an error unless Edges.EmptyWeight
// leaves out their rows ([Drop]) or makes them 0 ([Zero]). Numbers are decimal, with a point, or with a comma if
// Config.Decimal says so. In a file separated by semicolons the first number with a sign tells which it is; 1,234 and
// 1.234 do not, and are an error there before another number does. So are separators of thousands. Infinity, and
// numbers too large or too close to 0 for a float64, are errors. So are negative weights, unless Edges.Signed allows
// them.
//
// # Snapshots
//
// Without Config.Step every time in either file is a snapshot. Rows of the same edge and time are added up, and a
// second row of the same node and time is an error. With a step, rows of the same step are combined: weights are added
// up, and values that are not missing are averaged, which a notice says. Aggregate changes both. A step without rows
// between other steps is a snapshot too, so that lags count steps. A notice warns of a newest step that seems
// incomplete.
//
// A snapshot for which the edges file has no row is an error, unless Config.WithoutEdges chooses its graph: [Hold], the
// last graph, or [Empty]. Edges without times ([None]) are the graph of all snapshots. Targets and features are missing
// in a snapshot for which the nodes file has no row.
//
// # Series
//
// With y[t] the targets of step t = 0..T-1, k lags (Config.Lags) and the targets f (Config.First) to h (Horizon) ahead,
// snapshot i = 0..T-k of the series is of the step t = i+k-1, so that all its lags are in the data, and has
//
//	weights[i]  = edges of step t
//	features[i] = z[t-k+1], ..., z[t], x[t]      [nodes*FeatureSize], of each node the lags, oldest first, then its own
//	targets[i]  = z[t+f-1], ..., z[t+h-1]        [nodes*TargetSize], NaN where missing and after the last step
//	newest[i]   = z[t], or the last value before [nodes*TargetSize], the same for each of these steps
//	recent[i]   = mean of the lags that are not missing, or newest where all are
//	z[t]        = (y[t] - mean) / std            of each node and target, over the first TrainFraction of the T steps;
//	                                             with Config.Scale of log(1 + y[t])
//	x[t]        = features, then for each of Edges.Features its sums over edges from the node and to it in step t, both
//	              standardised alike, with one mean and one std for all nodes; after them for each category of
//	              Nodes.Categories 1 where it is the node's, else 0, and the parts of the date (Config.Calendar)
//
// A window of L snapshots has L-1 inputs, and the targets of its last snapshot are its own: f to h steps after its last
// input. The windows at the end have no target yet ([dyngraph.Windows.Observed] leaves them out) or lack later ones
// ([dyngraph.Windows.Complete] does); forecast from [dyngraph.Series.Latest]. Edges of the first k-1 steps are not
// used.
//
// A missing target is NaN. A missing feature, including lags, repeats the previous value, or is 0, the mean, if there
// is none. With Config.KeepGaps it is NaN, for models with a mask. Newest and recent are also 0 before the first value
// of a node.
//
// A std is at least a tenth of the median std over nodes, and 1 if no node changes. A node without a value in the
// training steps has the mean and std of all nodes' training values; a column without any value there is an error.
// Series.Scales converts back to the unit of the file.
//
// # Limits
//
// Reading holds snapshots × union of edges, and snapshots × nodes × values, never the rows: at most Config.MaxValues
// numbers, and 2^20 snapshots. During reading each edge of the union takes about 80 bytes more, each node about 128 and
// its name, both together at most Config.MaxValues numbers again. One row of text has at most 16 MiB, a file at most
// Config.MaxBytes when unpacked. Files must be regular files. The pages of Parquet that are in memory at a time take no
// more than Config.MaxValues numbers either, whatever their headers claim. All nodes exist at all times, unless
// Nodes.Presence says otherwise. Edges are directed: write an undirected edge as two rows.
package table
