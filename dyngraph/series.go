package dyngraph

import (
	"math"
	"slices"
	"time"
)

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
	// Present [T][nodes] says which nodes are present at which snapshot; nil means all, always. An absent node has no
	// edges, and NaN as feature, target, newest value and recent mean: [Series.WithPresence] sets them. Models freeze the
	// states of absent nodes.
	Present [][]bool
	// Features [T][nodes*FeatureSize] are row-major by node; NaN is a missing value.
	Features    [][]float64
	FeatureSize int
	// Lagged means that the features of a node begin with the target quantity at the steps Alignment.Features, oldest
	// first, Quantities entries each. Other features may follow.
	Lagged bool
	// EachStep means that the targets of a node are the target quantity at each of the steps Alignment.Targets, nearest
	// first, Quantities entries each. A model then forecasts all these steps at once.
	EachStep bool
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
	// [Window.RecentMean], which return an error for NaN. With EachStep they repeat a value for each step.
	LastObserved, RecentMean [][]float64
	// Scales [T], if present, convert standardised values back to the unit of the data.
	Scales []Scale
}

// Nodes returns the number of nodes, 0 without Pattern.
func (s *Series) Nodes() int {
	if s.Pattern == nil {
		return 0
	}
	return s.Pattern.Nodes
}

// TargetSteps returns the number of steps in a row of targets: 1 without EachStep.
func (s *Series) TargetSteps() int {
	if !s.EachStep {
		return 1
	}
	return max(1, s.Alignment.Targets.Last-s.Alignment.Targets.First+1)
}

// Quantities returns the number of target quantities of a node: TargetSize, or with EachStep its share of a step.
func (s *Series) Quantities() int { return s.TargetSize / s.TargetSteps() }

// AtStep returns the entries of a row of targets, or of a forecast of one, at a step counted from 0 for the nearest:
// [nodes*Quantities]. It panics if the row does not have the step.
func (s *Series) AtStep(row []float64, step int) []float64 {
	if !s.EachStep && step == 0 {
		return row
	}
	var values []float64
	first := step * s.Quantities()
	for node := range slices.Chunk(row, s.TargetSize) {
		values = append(values, node[first:first+s.Quantities()]...)
	}
	return values
}

// OfStep returns the series with one step of the targets, counted from 0 for the nearest. It shares features and
// graphs with the series. Windows of it are windows of forecasts for that step alone. It panics as AtStep does.
func (s *Series) OfStep(step int) *Series {
	if !s.EachStep && step == 0 {
		return s
	}
	one, at := *s, s.Alignment.Targets.First+step
	one.EachStep, one.TargetSize, one.Alignment.Targets = false, s.Quantities(), StepRange{at, at}
	for _, rows := range []*[][]float64{&one.Targets, &one.LastObserved, &one.RecentMean, &one.GraphTargets} {
		all := *rows
		*rows = nil
		for _, row := range all {
			*rows = append(*rows, s.AtStep(row, step))
		}
	}
	return &one
}

// Scale is the standardisation of one snapshot: (value - Mean) / Std. Mean and Std have length nodes and hold for all
// entries of a node. If Targets is above 0 they have length nodes*Targets, one entry for each target of each node. With
// Log1p the standardised values are log(1 + x) of the data x, which are 0 or more.
type Scale struct {
	Mean, Std []float64
	Targets   int  `json:",omitempty"`
	Log1p     bool `json:",omitempty"`
}

// Restore returns standardised values in the unit of the data: value*Std + Mean, with Log1p exp of that minus 1, or 0
// where this is negative. values are row-major by node, with any number of entries per node. If Targets is above 0 this
// number is a multiple of it, and the targets of a node alternate, as in targets and lags.
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
		if restored[i] = v*c.Std[at] + c.Mean[at]; c.Log1p {
			restored[i] = max(0, math.Expm1(restored[i]))
		}
	}
	return restored, nil
}
