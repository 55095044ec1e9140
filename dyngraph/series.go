package dyngraph

import "time"

// MaxTargetSize bounds Series.TargetSize, so that a forecast of a series without targets cannot ask for all memory.
const MaxTargetSize = 1 << 20

// Series is a graph observed at T times: snapshots of edge weights, node features and node targets.
type Series struct {
	Name string
	// NodeNames [nodes] may be absent; else none is empty and none repeats.
	NodeNames []string
	// Times [T] increase strictly; their unit is the data's (days, years).
	Times []float64
	// Dates [T], where present, are Times in the calendar, and increase strictly with them.
	Dates []time.Time
	// Pattern is the union of the edges of all snapshots.
	Pattern *Pattern
	// Weights [T][edges] follow the pattern; 0 where a snapshot does not have the edge.
	Weights [][]float64
	// Features [T][nodes*FeatureSize] are row-major by node; NaN is a missing value.
	Features    [][]float64
	FeatureSize int
	// Lagged says that the features of a node begin with the targets' quantity at the steps Alignment.Features, oldest
	// first, TargetSize entries each; others may follow.
	Lagged bool
	// Steps says which steps features and targets are made of; the zero value means each snapshot's own.
	Alignment Alignment
	// Targets [T][nodes*TargetSize] are row-major by node, NaN where not observed; nil for a series without targets.
	Targets    [][]float64
	TargetSize int
	// GraphTargets [T][TargetSize], where present, are targets of the graph as a whole, NaN where they were not
	// observed.
	GraphTargets [][]float64
	// Affinities [T], where present, are sparse targets of nodes, to be ranked: what each has to do with each of
	// Classes classes; nil where a snapshot has none.
	Affinities []*Affinities
	Classes    int
	// Known [T], where present, holds for each snapshot the known affinities of each node, of no time after the
	// snapshot: of each entry a logit and [KnownTerms] terms.
	Known []*Affinities
	// LastObserved and RecentMean [T][nodes*TargetSize], where present, are known values of the targets' quantity at a
	// snapshot: its newest value and the mean of its last few, of no step after Alignment.Features; NaN where nothing
	// is known yet. Simple forecasts repeat them, and take them from [Window.LastObserved] and [Window.RecentMean],
	// which refuse a NaN.
	LastObserved, RecentMean [][]float64
	// Scales [T], where present, lead from standardised values back to the data's unit.
	Scales []Scale
}

// Nodes is the number of nodes.
func (s *Series) Nodes() int { return s.Pattern.Nodes }

// Scale is the standardisation of one snapshot: (value - Mean) / Std. Mean and Std, both of length nodes, hold for all
// entries of a node; where Targets is above 0 they are of length nodes*Targets, for each target of a node its own.
type Scale struct {
	Mean, Std []float64
	Targets   int `json:",omitempty"`
}

// Restore returns standardised values, row-major by node with any number of entries a node, in the data's own unit:
// value*Std + Mean. With Targets above 0 that number is a multiple of it, the entry of a target after the other, as
// targets and lags are.
func (c Scale) Restore(values []float64) ([]float64, error) {
	targets := max(c.Targets, 1)
	block := len(c.Mean)
	switch {
	case block == 0 || len(c.Std) != block || block%targets != 0:
		return nil, invalid("a scale of %d means and %d deviations, want equally many, %d for each node", block,
			len(c.Std), targets)
	case len(values)%block != 0:
		return nil, invalid("%d values to restore with the scales of %d nodes and %d targets, want a multiple of %d",
			len(values), block/targets, targets, block)
	}
	restored, size := make([]float64, len(values)), len(values)/(block/targets)
	for i, v := range values {
		at := i/size*targets + i%size%targets
		restored[i] = v*c.Std[at] + c.Mean[at]
	}
	return restored, nil
}
