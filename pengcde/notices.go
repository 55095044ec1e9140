package pengcde

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// largeControl is the sum of a node's entries above which a control is called large. For states of this order the
// default tolerance, 1e-3, allows an error of the order of a standardised target.
const largeControl = 1e3

// noteControl writes a warning about a large control to Config.Notices, once for each model.
func (m *Model) noteControl(s *dyngraph.Series, p *dyngraph.Pattern, snapshots [][]float64) {
	if m.noted.control {
		return
	}
	node, sum := largestSum(p, snapshots)
	if !(sum > largeControl) {
		return
	}
	m.noted.control = true
	fmt.Fprintf(cmp.Or[io.Writer](m.config.Notices, os.Stderr),
		"pengcde: control %v of series %q: the entries of node %d sum to %.2g. "+
			"States grow to that order, and the solver's error with them: rounding, or another order of the nodes, can "+
			"change forecasts by as much. Normalise it, or take tolerances so tight that this error does not matter.\n",
		m.config.Normalise, s.Name, node, sum)
}

// largestSum returns the node with the largest sum of absolute entries in a row or a column of any snapshot.
func largestSum(p *dyngraph.Pattern, snapshots [][]float64) (node int, sum float64) {
	rows, columns := make([]float64, p.Nodes), make([]float64, p.Nodes)
	for _, entries := range snapshots {
		clear(rows)
		clear(columns)
		for e, c := range entries {
			rows[p.From[e]] += math.Abs(c)
			columns[p.To[e]] += math.Abs(c)
		}
		for u := range rows {
			if largest := max(rows[u], columns[u]); largest > sum {
				node, sum = u, largest
			}
		}
	}
	return node, sum
}

// largeFeature is the magnitude from which a feature is called large; standardised features are hardly ever above 10.
const largeFeature = 1e3

// noteFeatures writes a warning to Config.Notices, once for each model, about a large feature among those that a window
// sees from snapshot start on.
func (m *Model) noteFeatures(s *dyngraph.Series, start int, seen [][]float64) {
	if m.noted.features {
		return
	}
	largest, snapshot, at := 0.0, 0, 0
	for k, row := range seen {
		for i, x := range row {
			if size := math.Abs(x); size > largest {
				largest, snapshot, at = size, k, i
			}
		}
	}
	if largest < largeFeature {
		return
	}
	m.noted.features = true
	fmt.Fprintf(cmp.Or[io.Writer](m.config.Notices, os.Stderr),
		"pengcde: feature %d of node %d is %.3g in snapshot %d of series %q, and models learn from features of order 1: "+
			"beside a large one others hardly count, and steps of the solver become small. Standardise each feature by its "+
			"mean and deviation in the training snapshots, or take log(1+x) of counts.\n",
		at%s.FeatureSize, at/s.FeatureSize, seen[snapshot][at], start+snapshot, s.Name)
}

// manySteps is the number of constant steps of a window from which on they are called many: times in seconds have more,
// times in the unit of snapshots have fewer.
const manySteps = 10_000

// longInterval is the mean time between snapshots from which on it is called long. With snapshots 10 apart in place of
// 0.17 a training on genes ended with 19 times the loss, with 600 it failed.
const longInterval = 50

// noteTimes writes a warning to Config.Notices, once for each model, if the times of a window are in a unit so small
// that states grow over an interval, or constant steps are many, as with seconds since 1970.
func (m *Model) noteTimes(s *dyngraph.Series, knots []float64) {
	if m.noted.times || m.config.Network != nil || len(knots) < 2 {
		return
	}
	span, intervals := knots[len(knots)-1]-knots[0], float64(len(knots)-1)
	about := fmt.Sprintf("spans %.4g units of time in %g intervals, and models learn rates of order 1", span, intervals)
	switch {
	case m.config.Adaptive == nil && span > manySteps*m.config.Step:
		about = fmt.Sprintf("spans %.4g units of time, %.3g constant steps of %g", span, span/m.config.Step, m.config.Step)
	case !(span > longInterval*intervals):
		return
	}
	m.noted.times = true
	fmt.Fprintf(cmp.Or[io.Writer](m.config.Notices, os.Stderr),
		"pengcde: a window of series %q %s. Take a larger unit for the times, such as days in place of seconds, so that "+
			"snapshots are about 1 apart.\n", s.Name, about)
}

// smallWeights is the sum of a node's weights to others below which a self-loop of 1 is said to hide them.
const smallWeights = 0.1

// noteWeights writes a warning to Config.Notices, once for each model, about a series of training windows whose weights
// vanish beside the self-loops that the normalisation adds. The windows were checked.
func (m *Model) noteWeights(training []dyngraph.Window) {
	c := m.config
	if m.noted.weights || c.Network != nil || traits(c.Field).NoGraph && c.RowFeatures == 0 ||
		c.Normalise != dyngraph.NormalisedLaplacian && c.Normalise != dyngraph.NormalisedAdjacency {
		return
	}
	looked := make(map[*dyngraph.Series]bool)
	for _, w := range training {
		s := w.Series
		if looked[s] {
			continue
		}
		looked[s] = true
		sums := outgoingSums(s)
		if len(sums) == 0 || sums[len(sums)/2] >= smallWeights {
			continue
		}
		m.noted.weights = true
		median := sums[len(sums)/2]
		factor, _ := strconv.ParseFloat(fmt.Sprintf("%.0e", 1/median), 64) // in one digit
		fmt.Fprintf(cmp.Or[io.Writer](c.Notices, os.Stderr),
			"pengcde: in series %q the weights from a node sum to %.2g in the median, and each node gets a self-loop of 1 "+
				"beside them, so the model hardly sees the graph: multiply the weights by about %s, so that the sums are about "+
				"1.\n", s.Name, median, strconv.FormatFloat(factor, 'f', -1, 64))
		return
	}
}

// outgoingSums returns, sorted, the sums of the weights from a node to others, of all snapshots and nodes that have
// some.
func outgoingSums(s *dyngraph.Series) (sums []float64) {
	from := make([]float64, s.Nodes())
	for _, row := range s.Weights {
		clear(from)
		for e, w := range row {
			if s.Pattern.From[e] != s.Pattern.To[e] {
				from[s.Pattern.From[e]] += math.Abs(w)
			}
		}
		for _, sum := range from {
			if sum != 0 {
				sums = append(sums, sum)
			}
		}
	}
	slices.Sort(sums)
	return sums
}
