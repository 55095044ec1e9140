package dyngraph

import "time"

// MaxTargetSize bounds Series.TargetSize, so that a forecast of a series without targets cannot allocate unbounded
// memory.
const MaxTargetSize = 1 << 20

// Series is a graph observed at T times: snapshots of edge weights, node features and node targets.
type Series struct {
	Name string
	// NodeNames [nodes] may be absent; otherwise names are nonempty and unique.
	NodeNames []string
	// Times [T] increase strictly, in the unit of the data (days, years).
	Times []float64
	// Dates [T], if present, are Times in the calendar, and increase strictly with them.
	Dates []time.Time
	// Pattern is the union of the edges of all snapshots.
	Pattern *Pattern
	// Weights [T][edges] are in the order of the pattern; 0 where a snapshot does not have the edge.
	Weights [][]float64
	// Features [T][nodes*FeatureSize] are row-major by node; NaN is a missing value.
	Features    [][]float64
	FeatureSize int
	// Lagged means that the features of a node begin with the target quantity at the steps Alignment.Features, oldest
	// first, TargetSize entries each. Other features may follow.
	Lagged bool
	// Alignment gives the steps that features and targets come from; the zero value means the snapshot's own step.
	Alignment Alignment
	// Targets [T][nodes*TargetSize] are row-major by node, NaN where not observed; nil for a series without targets.
	Targets    [][]float64
	TargetSize int
	// GraphTargets [T][TargetSize], if present, are targets of the graph as a whole, NaN where not observed.
	GraphTargets [][]float64
	// Affinities [T], if present, are sparse targets of nodes, for ranking: the affinity of each node to each of
	// Classes classes. An entry is nil if the snapshot has none.
	Affinities []*Affinities
	Classes    int
	// Prior [T], if present, holds logits of classes that are known by the time of each snapshot, such as the logits of
	// [affinity.LogLinear]. A model adds its own to them.
	Prior []*Affinities
	// LastObserved and RecentMean [T][nodes*TargetSize], if present, are values of the target quantity that are known
	// at a snapshot: the newest value, and the mean of the last few, from no step after Alignment.Features. NaN means
	// that no value is known yet. Simple forecasts repeat them. They read them by [Window.LastObserved] and
	// [Window.RecentMean], which return an error for NaN.
	LastObserved, RecentMean [][]float64
	// Scales [T], if present, convert standardised values back to the unit of the data.
	Scales []Scale
}

// Nodes returns the number of nodes.
func (s *Series) Nodes() int { return s.Pattern.Nodes }

// Scale is the standardisation of one snapshot: (value - Mean) / Std. Mean and Std have length nodes and hold for all
// entries of a node. If Targets is above 0 they have length nodes*Targets, one entry for each target of each node.
type Scale struct {
	Mean, Std []float64
	Targets   int `json:",omitempty"`
}

// Restore returns standardised values in the unit of the data: value*Std + Mean. values are row-major by node, with any
// number of entries per node. If Targets is above 0 this number is a multiple of it, and the targets of a node
// alternate, as in targets and lags.
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
