package pgt

import (
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Standardisation selects the days from which a node's mean and population standard deviation are computed; "" is
// [Published].
type Standardisation string

const (
	// Published uses all days, also the days of test windows, as PyTorch Geometric Temporal does: one scale for all
	// snapshots, std + 1e-10. Errors are comparable with published ones, but a forecast in cases needs later days.
	Published Standardisation = "published"
	// PastOnly scales snapshot i with k lags by days 0..i+k-2, the days before its newest feature day. These are the
	// days that the inputs of a window with target snapshot i show, so nothing of the future leaks. The standard
	// deviation is at least 1 case, as it is 0 for regions without cases so far. The scale of a day differs a little
	// from snapshot to snapshot, and errors are not comparable with errors under Published.
	PastOnly Standardisation = "past only"
)

const (
	publishedEpsilon = 1e-10 // added to the deviation by PyTorch Geometric Temporal
	leastDeviation   = 1     // in cases, for PastOnly
)

// scales returns the scale of each snapshot from cases [days][nodes].
func (c config) scales(cases [][]float64, snapshots int) []dyngraph.Scale {
	scales := make([]dyngraph.Scale, snapshots)
	if c.standardisation != PastOnly {
		all := scaleOf(cases, func(std float64) float64 { return std + publishedEpsilon })
		for i := range scales {
			scales[i] = all
		}
		return scales
	}
	for i := range scales {
		scales[i] = scaleOf(cases[:i+c.lag-1], func(std float64) float64 { return max(std, leastDeviation) })
	}
	return scales
}

func scaleOf(cases [][]float64, regular func(std float64) float64) dyngraph.Scale {
	nodes := len(cases[0])
	scale := dyngraph.Scale{Mean: make([]float64, nodes), Std: make([]float64, nodes)}
	days := make([]float64, len(cases))
	for u := range nodes {
		for t := range cases {
			days[t] = cases[t][u]
		}
		mean, std := stat.PopMeanStdDev(days, nil)
		scale.Mean[u], scale.Std[u] = mean, regular(std)
	}
	return scale
}
