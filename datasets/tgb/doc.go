// Package tgb reads the node property data sets of the Temporal Graph Benchmark (TGB) as published, and ships a data
// set in their format. Package affinity has the protocols and the score.
//
// Start with [AgtpaTrade], which is in the module, or with [Open]:
//
//	data, err := tgb.Open(ctx, tgb.Config{Name: "tgbn-genre", Path: "/data/tgb"})
//
// where Path is the folder with tgbn-genre_edgelist.csv and tgbn-genre_node_labels.csv (or both with .gz after it), the
// folder above it, or the zip as published. Nothing is downloaded.
//
//	data set     events      nodes   classes  time     what an event is
//	agtpa-trade  90,057      69      69       year     share of a country's exports that went to another
//	tgbn-trade   468,245     255     255      year     the same, of agricultural goods
//	tgbn-genre   17,858,395  1,505   513      seconds  a user heard a song of a genre
//	tgbn-reddit  27,174,118  11,766  698      seconds  a user wrote in a subreddit; the weight is the score of the post
//	tgbn-token   72,936,998  61,756  1,001    seconds  a user sent or got a token; the weight is the value
//
// # Files
//
// CSV with a header line, quotes around names with commas, and rows in order of time. Columns have fixed positions:
//
//	edges   trade, genre: time, source, destination, weight
//	        reddit: time, user, subreddit, words, score; token: time, user, token, value, is sender
//	labels  time, source, destination, weight
//
// The columns "words" and "is sender" are checked but not kept. Values of tgbn-token are as in the file; TGB takes
// their logarithm, or not, depending on whether it finds its own cache. Scores of tgbn-reddit may be negative.
//
// Nodes are numbered as in TGB. In trade they are numbered by first appearance, source before destination, and every
// node is a class. In the other data sets classes are the destinations, numbered from 0 by first appearance, and users
// follow from Config.Classes on. If a user has the name of a class, Data.NodeNames adds " (user)".
//
// A fault in a file is an [*Error] with its line, the text found and the text expected. Faults are decreasing times,
// negative weights, a second label of a pair, a label of a node without an edge, an unclosed quote, and truncated
// compressed data.
//
// # Limits
//
// [Open] reads both files, to check them and to number the nodes. Iterating over events or labels reads the files
// again, a row at a time: memory holds names and the distinct times of events, never the rows. Times are whole numbers.
// A row has at most 16 MiB.
//
// S. Huang et al., Temporal Graph Benchmark for Machine Learning on Temporal Graphs, NeurIPS 2023. Source and licence
// of the shipped data are in agtpa_trade/agtpa_trade.txt.
package tgb
