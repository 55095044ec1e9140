package table

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/plain"
)

// series makes the series from the rows read. If the recipe has no scales yet, it sets them.
func (r *reader) series(recipe *Recipe) (*dyngraph.Series, error) {
	order := r.orderNodes()
	steps, err := r.orderSteps()
	if err != nil {
		return nil, err
	}
	c, n, offset := r.c, len(r.names), r.c.offset()
	if len(steps)-offset < 1 {
		takes := plain.Count(c.lags(), "lag")
		if recipe.Inputs > 1 {
			takes += fmt.Sprintf(" and %d inputs", recipe.Inputs)
		}
		return nil, invalid("%d snapshots for %s, want %d at least: read longer files, or make a model with fewer "+
			"Config.Lags", len(steps), takes, offset+max(1, recipe.Inputs))
	}
	graphs, edges := r.distinctGraphs(steps), len(r.from)
	tooMany := func(features int) error {
		perSnapshot := n * (c.featureSize(features) + 3*len(c.Nodes.Targets)*c.targetSteps())
		if graphs <= c.MaxValues/max(1, edges) && len(steps) <= c.MaxValues/max(1, perSnapshot) {
			return nil
		}
		return invalid("%d graphs of %d edges and %d snapshots of %d nodes hold more than %d values: take a larger "+
			"Config.Step, a smaller horizon, fewer features, or a larger Config.MaxValues, at 8 bytes each", graphs,
			edges, len(steps), n, c.MaxValues)
	}
	if err := tooMany(len(c.features())); err != nil {
		return nil, err
	}
	if len(c.Calendar) > 0 && !r.clock.dated {
		return nil, invalid("Config.Calendar %q and times that are numbers, want dates", c.Calendar[0])
	}
	s := &dyngraph.Series{Name: name(c.Edges.Path), NodeNames: make([]string, n),
		TargetSize: len(c.Nodes.Targets) * c.targetSteps(), EachStep: len(c.Nodes.Targets) > 0 && c.targetSteps() > 1,
		Lagged: c.lags() > 0, Alignment: c.steps()}
	for u, at := range order {
		s.NodeNames[at] = r.names[u]
	}
	if err := r.compareNodes(); err != nil {
		return nil, err
	}
	weights, err := r.graphs(s, order, steps)
	if err != nil {
		return nil, err
	}
	present := r.presence(order, steps)
	if err := r.checkEdges(s, weights, steps, present); err != nil {
		return nil, err
	}
	r.notePresence(present)
	s.Weights = weights[offset:]
	r.times(s, steps, recipe)
	values := r.nodeValues(order, steps)
	values.onlyPresent(present)
	if err := r.noteGaps(values, present, recipe.NodeNames == nil); err != nil {
		return nil, err
	}
	var still []int
	if recipe.NodeNames == nil {
		recipe.NodeNames, recipe.Dated = s.NodeNames, r.clock.dated
		if still, err = recipe.measure(c.Nodes.Path, values, n); err != nil {
			return nil, err
		}
	}
	r.noteStale(s.NodeNames, values.y, steps, present)
	recipe.standardise(values)
	r.noteStill(recipe.NodeNames, values.y, still)
	if err := tooMany(values.features + recipe.extra()); err != nil {
		return nil, err
	}
	recipe.extend(&values, r.dates(steps), n)
	r.noteNewTexts(recipe, values)
	s.FeatureSize = c.featureSize(values.features)
	r.fill(s, values)
	if s.TargetSize > 0 {
		for range s.Times {
			s.Scales = append(s.Scales, recipe.TargetScale)
		}
	}
	if present != nil {
		s, err = s.WithPresence(present[offset:])
	} else {
		err = s.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("datasets/table: %w", err)
	}
	return s, nil
}

// name returns a path without folder and extensions.
func name(path string) string {
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	return base
}

// orderNodes returns the index of each node: by number where all names are whole numbers, by name otherwise, and as the
// recipe has them in a recipe.
func (r *reader) orderNodes() []int {
	sorted := make([]int, len(r.names))
	for u := range sorted {
		sorted[u] = u
	}
	if !r.closed {
		numbers := make([]int64, len(r.names))
		numbered := true
		for u, name := range r.names {
			number, err := strconv.ParseInt(name, 10, 64)
			numbered = numbered && err == nil
			numbers[u] = number
		}
		slices.SortFunc(sorted, func(a, b int) int {
			if numbered {
				return cmp.Or(cmp.Compare(numbers[a], numbers[b]), cmp.Compare(r.names[a], r.names[b]))
			}
			return cmp.Compare(r.names[a], r.names[b])
		})
	}
	order := make([]int, len(sorted))
	for at, u := range sorted {
		order[u] = at
	}
	return order
}

// step is one of the regular or irregular times: its start, and the number of its snapshot, -1 where no row is of it.
type step struct {
	bin      int64
	snapshot int
}

func (r *reader) orderSteps() ([]step, error) {
	bins := slices.Sorted(slices.Values(r.bins))
	if len(bins) == 0 { // no times at all
		return nil, invalid("no times in %s and %s", r.c.Edges.Path, r.c.Nodes.Path)
	}
	var steps []step
	if r.c.Step == (Step{}) {
		for _, bin := range bins {
			steps = append(steps, step{bin, r.snapshots[bin]})
		}
		return steps, nil
	}
	first, last := bins[0], bins[len(bins)-1]
	if last-first >= maxSnapshots {
		return nil, invalid("%d snapshots of %v from %s to %s, want at most %d: take a larger Config.Step", last-first+1,
			r.c.Step, r.clock.show(first), r.clock.show(last), maxSnapshots)
	}
	for bin := first; bin <= last; bin++ {
		snapshot, found := r.snapshots[bin]
		if !found {
			snapshot = -1
		}
		steps = append(steps, step{bin, snapshot})
	}
	return steps, nil
}

// times fills Times and Dates. Times of dates are counted in the recipe's unit from the first snapshot on.
func (r *reader) times(s *dyngraph.Series, steps []step, recipe *Recipe) {
	if r.clock.dated && recipe.TimeUnit == 0 {
		if recipe.TimeUnit = r.c.Step.Duration; recipe.TimeUnit == 0 {
			recipe.TimeUnit = r.medianGap(steps)
		}
	}
	for _, step := range steps[r.c.offset():] {
		at := r.clock.start(step.bin)
		if !r.clock.dated {
			s.Times = append(s.Times, at.number())
			continue
		}
		s.Dates = append(s.Dates, at.date())
		// Microseconds are exact where nanoseconds would overflow.
		since := at.date().UnixMicro() - s.Dates[0].UnixMicro()
		s.Times = append(s.Times, float64(since)/float64(recipe.TimeUnit.Microseconds()))
	}
}

func (r *reader) medianGap(steps []step) time.Duration {
	var gaps []int64
	for i := 1; i < len(steps); i++ {
		gaps = append(gaps, steps[i].bin-steps[i-1].bin)
	}
	if len(gaps) == 0 {
		return 24 * time.Hour
	}
	slices.Sort(gaps)
	return time.Duration(min(gaps[len(gaps)/2], math.MaxInt64/1000)) * time.Microsecond
}

// nodeValues are the targets and the features of each step, row-major by node, NaN where missing.
func (r *reader) nodeValues(order []int, steps []step) values {
	v := values{targets: len(r.c.Nodes.Targets), features: len(r.c.features()), names: r.textNames}
	width := r.width()
	for _, step := range steps {
		y, x := nans(len(order)*v.targets), nans(len(order)*v.features)
		if step.snapshot >= 0 && step.snapshot < len(r.values.rows) {
			row := r.values.rows[step.snapshot]
			for u := range row.columns / width {
				for k := range v.targets {
					y[order[u]*v.targets+k] = r.c.Scale.of(row.value(u*width + k))
				}
				for k := range r.c.Nodes.Features {
					x[order[u]*v.features+k] = row.value(u*width + v.targets + k)
				}
			}
		}
		r.addSums(x, v.features, order, step)
		v.y, v.x = append(v.y, y), append(v.x, x)
		row := nans(len(order) * len(v.names))
		if step.snapshot >= 0 && step.snapshot < len(r.texts.rows) {
			for at := range r.texts.rows[step.snapshot].columns {
				row[order[at/len(v.names)]*len(v.names)+at%len(v.names)] = r.texts.rows[step.snapshot].value(at)
			}
		}
		v.texts = append(v.texts, row)
	}
	return v
}

// addSums sets the features of a step that are sums over edges, the last ones of each node. They stay missing where the
// step's graph is the one before.
func (r *reader) addSums(x []float64, features int, order []int, at step) {
	size, snapshot := 2*len(r.c.Edges.Features), at.snapshot
	has := snapshot >= 0 && r.edgesAt[snapshot] > 0
	if r.c.Edges.Time == None {
		snapshot, has = 0, true
	}
	if size == 0 || !has && r.c.WithoutEdges != Empty {
		return
	}
	for u, to := range order {
		sums := x[to*features+features-size:][:size]
		clear(sums)
		if !has || snapshot >= len(r.sums.rows) {
			continue
		}
		row := &r.sums.rows[snapshot]
		for k := range sums {
			if from := u*size + k; from < row.columns {
				if value := row.value(from); !math.IsNaN(value) {
					sums[k] = value
				}
			}
		}
	}
}

// dates returns the dates of steps; nil for times that are numbers.
func (r *reader) dates(steps []step) (all []time.Time) {
	for _, step := range steps {
		if r.clock.dated {
			all = append(all, r.clock.start(step.bin).date())
		}
	}
	return all
}

// of transforms a target.
func (s Scaling) of(y float64) float64 {
	if s == Log1p {
		return math.Log1p(y)
	}
	return y
}

func nans(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
