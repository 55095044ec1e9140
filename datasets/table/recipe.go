package table

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Recipe stores how files were read, so that new files with the same columns and nodes become a series for the same
// model. It can be stored as JSON.
type Recipe struct {
	// Config is the configuration of the first reading, with defaults and the columns found written out and without paths.
	Config Config
	// NodeNames are the node names of the series, in its order.
	NodeNames []string
	// Dated says that times are dates. TimeUnit is then the unit of Series.Times: the step, or without a step the
	// median distance between snapshots.
	Dated    bool
	TimeUnit time.Duration `json:",omitempty"`
	// FeatureMean and FeatureStd standardise each column of Nodes.Features, then two sums for each of Edges.Features, for
	// all nodes alike.
	FeatureMean, FeatureStd []float64 `json:",omitempty"`
	// Categories are the categories of each column of Nodes.Categories, in the order of their features.
	Categories [][]string `json:",omitempty"`
	// TargetScale converts standardised targets back to the unit of the file, by node.
	TargetScale dyngraph.Scale
	// Inputs is how many snapshots of the series a model sees; 0 means 1. [Recipe.Read] counts them where it says how long
	// files must be. Package forecast sets it.
	Inputs int `json:"-"`
}

// Read reads new files as the recipe's files were read: the same columns, step, nodes and scales. A node that is not in
// the recipe is an error; a node missing from the new files has no edges and no values. Errors are as in [Read].
func (r Recipe) Read(ctx context.Context, edges, nodes string) (*dyngraph.Series, error) {
	if err := r.check(nodes); err != nil {
		return nil, err
	}
	c := r.Config
	c.Edges.Path, c.Nodes.Path = edges, nodes
	c.First = cmp.Or(c.First, c.Horizon) // a recipe of before First had the targets of one snapshot
	c = c.resolved()
	reader := &reader{c: c, closed: true, names: slices.Clone(r.NodeNames), ids: make(map[string]int32)}
	for u, name := range r.NodeNames {
		reader.ids[name] = int32(u)
	}
	reader.inEdges, reader.inNodes = make([]bool, len(r.NodeNames)), make([]bool, len(r.NodeNames))
	reader.seen = slices.Repeat([]int64{notSeen}, len(r.NodeNames))
	reader.clock = clock{step: c.Step, known: true, dated: r.Dated}
	return reader.read(ctx, &r)
}

// check finds a recipe that was not made by [Read].
func (r Recipe) check(nodes string) error {
	q, p, columns := len(r.Config.Nodes.Targets), len(r.Config.features()), r.Config.Nodes.columns()
	switch {
	case len(r.NodeNames) == 0:
		return invalid("a recipe without nodes, want the one that Read returned")
	case len(r.FeatureMean) != p || len(r.FeatureStd) != p:
		return invalid("a recipe with scales of %d features, want %d", len(r.FeatureMean), p)
	case q > 0 && (len(r.TargetScale.Mean) != q*len(r.NodeNames) || len(r.TargetScale.Std) != q*len(r.NodeNames)):
		return invalid("a recipe with scales of %d targets, want %d (nodes x targets)", len(r.TargetScale.Mean),
			q*len(r.NodeNames))
	case r.Dated && r.TimeUnit < time.Microsecond:
		return invalid("a recipe of dates with the unit %v, want a positive one", r.TimeUnit)
	case len(r.Categories) != len(r.Config.Nodes.Categories):
		return invalid("a recipe with the categories of %d columns, want %d", len(r.Categories),
			len(r.Config.Nodes.Categories))
	case nodes == "" && len(columns) > 0:
		return invalid("no nodes file, want one with the columns %s", list(columns))
	case nodes != "" && len(columns) == 0:
		return invalid("nodes file %s for a recipe that was made without one", nodes)
	}
	return nil
}

// leastDeviation times the median deviation over nodes is the smallest divisor of a target. Otherwise a target that
// hardly changes in the training times could become huge later.
const leastDeviation = 0.1

// measure computes scales from the first part of the steps. It returns the entries of TargetScale of nodes whose target
// hardly changes there.
func (r *Recipe) measure(path string, v values, nodes int) (still []int, err error) {
	const rounding = 1e-9             // 0.29*100 is below 29
	known := make([]int, 0, len(v.y)) // steps of which a target is; all where there are none
	for t, row := range v.y {
		if v.targets == 0 || slices.ContainsFunc(row, func(y float64) bool { return !math.IsNaN(y) }) {
			known = append(known, t)
		}
	}
	if len(known) == 0 {
		return nil, nil
	}
	steps := known[max(1, int(r.Config.TrainFraction*float64(len(known))+rounding))-1] + 1
	if err := r.categories(path, v, steps); err != nil {
		return nil, err
	}
	r.FeatureMean, r.FeatureStd = make([]float64, v.features), slices.Repeat([]float64{1}, v.features)
	r.TargetScale = dyngraph.Scale{Mean: make([]float64, nodes*v.targets),
		Std: slices.Repeat([]float64{1}, nodes*v.targets), Targets: v.targets, Log1p: r.Config.Scale == Log1p}
	if r.Config.Unscaled {
		return nil, nil
	}
	sound := func(column string, scales ...[]float64) error {
		for _, v := range slices.Concat(scales...) {
			if math.IsInf(v, 0) || math.IsNaN(v) {
				return &Error{Path: path, Column: column, Found: "values too large to take a mean and a deviation of",
					Wanted: "a smaller unit"}
			}
		}
		return nil
	}
	unseen := func(column string) error {
		return &Error{Path: path, Column: column, Found: fmt.Sprintf("no value in the first %.3g %% of times",
			100*r.Config.TrainFraction), Wanted: "values there to take scales from, or Config.Unscaled"}
	}
	for k, name := range r.Config.features() {
		var observed []float64
		for _, row := range v.x[:steps] {
			for u := range nodes {
				if value := row[u*v.features+k]; !math.IsNaN(value) {
					observed = append(observed, value)
				}
			}
		}
		if len(observed) == 0 {
			return nil, unseen(name)
		}
		r.FeatureMean[k], r.FeatureStd[k] = moments(observed)
		r.FeatureStd[k] = cmp.Or(r.FeatureStd[k], 1) // safe to divide by
		if err := sound(name, r.FeatureMean[k:k+1], r.FeatureStd[k:k+1]); err != nil {
			return nil, err
		}
	}
	for k := range v.targets {
		some, ok := r.measureTarget(v, k, steps, nodes)
		if !ok {
			return nil, unseen(r.Config.Nodes.Targets[k])
		}
		still = append(still, some...)
		if err := sound(r.Config.Nodes.Targets[k], r.TargetScale.Mean, r.TargetScale.Std); err != nil {
			return nil, err
		}
	}
	return still, nil
}

// measureTarget computes the mean and the deviation of each node; nodes without a value get the mean and the deviation
// of all nodes. It returns the entries of nodes whose target hardly changes, and false if no node has a value.
func (r *Recipe) measureTarget(v values, k, steps, nodes int) (still []int, ok bool) {
	var all, deviations []float64
	var bare []int
	for u := range nodes {
		var observed []float64
		for _, row := range v.y[:steps] {
			if value := row[u*v.targets+k]; !math.IsNaN(value) {
				observed = append(observed, value)
			}
		}
		at := u*v.targets + k
		if len(observed) == 0 {
			bare = append(bare, at)
			continue
		}
		all = append(all, observed...)
		mean, std := moments(observed)
		r.TargetScale.Mean[at], r.TargetScale.Std[at] = mean, std
		if std > 0 {
			deviations = append(deviations, std)
		}
	}
	if len(all) == 0 {
		return nil, false
	}
	least := 1.0
	if len(deviations) > 0 {
		slices.Sort(deviations)
		least = leastDeviation * deviations[len(deviations)/2]
	}
	mean, std := moments(all)
	for _, at := range bare {
		r.TargetScale.Mean[at], r.TargetScale.Std[at] = mean, cmp.Or(std, 1)
	}
	for u := range nodes {
		at := u*v.targets + k
		if r.TargetScale.Std[at] < least {
			r.TargetScale.Std[at], still = least, append(still, at)
		}
	}
	return still, true
}

// moments returns the mean and the population deviation, which is 0 if values differ only by rounding.
func moments(values []float64) (mean, std float64) {
	const rounding = 1e-12
	if mean, std = stat.PopMeanStdDev(values, nil); std <= rounding*math.Abs(mean) {
		std = 0
	}
	return mean, std
}

// standardise changes values to (value - mean) / std.
func (r *Recipe) standardise(v values) {
	for i := range v.y {
		for k := range v.y[i] {
			v.y[i][k] = (v.y[i][k] - r.TargetScale.Mean[k]) / r.TargetScale.Std[k]
		}
		for k := range v.x[i] {
			v.x[i][k] = (v.x[i][k] - r.FeatureMean[k%v.features]) / r.FeatureStd[k%v.features]
		}
	}
}
