// Package pgt loads the data sets of PyTorch Geometric Temporal as dynamic graphs. The module ships england_covid,
// daily cases of 129 regions of England over 61 days and the numbers of people who moved between them, the same of 105
// provinces of Italy over 79 days and of 94 departments of France over 64, and twitter_tennis, mentions between 1000
// Twitter accounts during two tennis tournaments of 2017.
//
// # england_covid, italy_covid, france_covid
//
// With c[t] the cases [nodes] of day t and k lags (8), snapshot i = 0..days-k-1 (53 of them) is
//
//	features[i] = z[i], ..., z[i+k-1]   [nodes*k], the oldest day first
//	targets[i]  = z[i+k]                [nodes]
//	weights[i]  = people who moved on day i
//	newest[i]   = z[i+k-1]              [nodes]
//	recent[i]   = mean of features[i]   [nodes]
//	z[t]        = (c[t] - mean) / std   of each node
//
// where [Published] computes mean and std over all days and [PastOnly] over the days seen so far. Series.Scales
// converts back to cases. Times are in days, the first is 0. If a file has them, Series.NodeNames are the names of the
// nodes, and Series.Dates the date of day i, the first day of snapshot i; the target of snapshot i is of the date k
// days later. All three have both. Series.Alignment gives the days of features and targets, so that windows whose
// features share a day can be kept out of each other's training; the days used for scales do not count.
//
// Italy and France come from the same collection as england_covid. 13 departments of France have no edge on any day.
//
// Start with [EnglandCovid], [ItalyCovid] or [FranceCovid]; [Load] and [Read] take files of the same format. The
// published windows are of length 5. The forecast of a window of snapshots looks two days ahead: the target of its last
// snapshot i is day i+k, the newest feature of its last input is day i+k-2.
//
// # twitter_tennis
//
// With mentions[k] the mentions [nodes] that accounts get in snapshot k, and degree and transitivity (local clustering)
// of a node taken in the graph of snapshot k, all as the file gives them, snapshot k = 0..last (120 of [RG17], 112 of
// [UO17]) is
//
//	features[k] = onehot5(min(ceil(ln(1+degree)), 4)), onehot11(floor(10 transitivity))   [nodes*16]
//	targets[k]  = ln(1 + mentions[min(k+1, last)])                                        [nodes]
//	weights[k]  = number of mentions from one account to another
//	newest[k]   = ln(1 + sum of the weights into the node)                                [nodes]
//	recent[k]   = mean of newest[max(0, k-7)], ..., newest[k]                             [nodes]
//
// Targets count mentions by all accounts of the original data (the values look like accounts that mention, see
// twitter_tennis.txt), weights only mentions among the 1000: newest is the part of the mentions that inputs show, not
// their number. Times count snapshots from 0, since the file has no dates.
//
// Start with [TwitterTennis]; [ReadTwitterTennis] takes files of the same format. The published windows are of length
// 10 and do not overlap. The forecast of a window looks two snapshots ahead: it forecasts the mentions of k+1, where k
// is its last snapshot, and its newest input is snapshot k-1.
//
// B. Rozemberczki et al., PyTorch Geometric Temporal: Spatiotemporal Signal Processing with Neural Machine Learning
// Models, CIKM 2021. G. Panagopoulos, G. Nikolentzos, M. Vazirgiannis, Transfer Graph Neural Networks for Pandemic
// Forecasting, AAAI 2021. Source and licence of the shipped data are in a text beside each, such as england_covid.txt.
package pgt
