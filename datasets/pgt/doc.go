// Package pgt loads the data sets of PyTorch Geometric Temporal as dynamic graphs. The module ships england_covid:
// daily cases of 129 regions of England over 61 days and the numbers of people who moved between them.
//
// With c[t] the cases [nodes] of day t and k lags (8), snapshot i = 0..days-k-1 (53 of them) is
//
//	features[i] = z[i], ..., z[i+k-1]   [nodes*k], the oldest day first
//	targets[i]  = z[i+k]                [nodes]
//	weights[i]  = people who moved on day i
//	z[t]        = (c[t] - mean) / std   of each node
//
// where [Published] takes mean and std of all days and [PastOnly] of the days seen so far. Series.Scales leads back to
// cases. Times are in days, the first is 0.
//
// Start with [EnglandCovid]; [Load] and [Read] take files of the same format. The forecast of a window of snapshots
// looks two days ahead: the target of its last snapshot i is day i+k, the newest feature of its last input is day i+k-2.
//
// B. Rozemberczki et al., PyTorch Geometric Temporal: Spatiotemporal Signal Processing with Neural Machine Learning
// Models, CIKM 2021. Source and licence of the shipped data are in england_covid.txt.
package pgt
