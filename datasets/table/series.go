package table

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// series makes the series of what was read. Where the recipe has no scales yet, it gets them.
func (r *reader) series(recipe *Recipe) (*dyngraph.Series, error) {
	order := r.orderNodes()
	steps, err := r.orderSteps()
	if err != nil {
		return nil, err
	}
	c, n, offset := r.c, len(r.names), r.c.offset()
	if len(steps)-offset < 1 {
		return nil, invalid("%d snapshots for %d lags, want at least as many: set Lags to fewer, or read longer files",
			len(steps), c.lags())
	}
	perSnapshot := max(len(r.from), n*(c.featureSize()+3*len(c.Nodes.Targets)))
	if len(steps) > c.MaxValues/max(1, perSnapshot) {
		return nil, invalid("%d snapshots of %d edges and %d nodes hold more than %d values: take a larger Step, or a "+
			"larger MaxValues, at 8 bytes each", len(steps), len(r.from), n, c.MaxValues)
	}
	s := &dyngraph.Series{Name: name(c.Edges.Path), NodeNames: make([]string, n), TargetSize: len(c.Nodes.Targets),
		FeatureSize: c.featureSize(), Lagged: c.lags() > 0, Steps: c.steps()}
	for u, at := range order {
		s.NodeNames[at] = r.names[u]
	}
	r.compareNodes()
	graphs, err := r.graphs(s, order, steps)
	if err != nil {
		return nil, err
	}
	s.Weights = graphs[offset:]
	r.times(s, steps, recipe)
	r.noteSpacing(s.Times)
	values := r.nodeValues(order, steps)
	if err := r.noteGaps(values, recipe.NodeNames == nil); err != nil {
		return nil, err
	}
	if recipe.NodeNames == nil {
		recipe.NodeNames, recipe.Dated = s.NodeNames, r.clock.dated
		if err := recipe.measure(c.Nodes.Path, values, n); err != nil {
			return nil, err
		}
	}
	recipe.standardise(values)
	r.fill(s, values)
	if s.TargetSize > 0 {
		for range s.Times {
			s.Scales = append(s.Scales, recipe.TargetScale)
		}
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("datasets/table: %w", err)
	}
	return s, nil
}

// name is a path without folder and endings.
func name(path string) string {
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	return base
}

// orderNodes returns the place of each node: by number where all names are whole numbers, by name otherwise, and as the
// recipe has them in a recipe.
func (r *reader) orderNodes() []int {
	byPlace := make([]int, len(r.names))
	for u := range byPlace {
		byPlace[u] = u
	}
	if !r.closed {
		numbers := make([]int64, len(r.names))
		numbered := true
		for u, name := range r.names {
			number, err := strconv.ParseInt(name, 10, 64)
			numbered = numbered && err == nil
			numbers[u] = number
		}
		slices.SortFunc(byPlace, func(a, b int) int {
			if numbered {
				return cmp.Or(cmp.Compare(numbers[a], numbers[b]), cmp.Compare(r.names[a], r.names[b]))
			}
			return cmp.Compare(r.names[a], r.names[b])
		})
	}
	order := make([]int, len(byPlace))
	for at, u := range byPlace {
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
		return nil, invalid("%d snapshots of %v from %s to %s, want at most %d: take a larger Step", last-first+1,
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

// compareNodes tells of nodes that one file lacks.
func (r *reader) compareNodes() {
	var without, isolated []string
	for u, name := range r.names {
		if r.c.Nodes.Path != "" && !r.inNodes[u] {
			without = append(without, name)
		}
		if !r.inEdges[u] {
			isolated = append(isolated, name)
		}
	}
	slices.Sort(without)
	slices.Sort(isolated)
	if len(without) > 0 {
		r.notice("%d of %d nodes have no row in %s, their values are missing at all times: %s", len(without), len(r.names),
			r.c.Nodes.Path, list(without))
	}
	if len(isolated) > 0 {
		r.notice("%d of %d nodes have no edge in %s, they see no other node: %s", len(isolated), len(r.names),
			r.c.Edges.Path, list(isolated))
	}
}

// manyEdges is how many make the table of their places one of 100 MiB and more.
const manyEdges = 1 << 22

// pattern is made of the edges, each of which occurs once, with the place of each in it. [dyngraph.NewPattern] does so
// too, in three times the memory.
func (r *reader) pattern(order []int) (*dyngraph.Pattern, []int32) {
	r.places = nil // only for reading
	if len(r.from) > manyEdges {
		runtime.GC() // their memory is for what follows; Go would take as much again first
	}
	sorted := make([]int32, len(r.from))
	for e := range sorted {
		r.from[e], r.to[e] = int32(order[r.from[e]]), int32(order[r.to[e]])
		sorted[e] = int32(e)
	}
	sorted = byKey(byKey(sorted, r.to, len(r.names)), r.from, len(r.names))
	p := &dyngraph.Pattern{Nodes: len(r.names), From: make([]int32, len(sorted)), To: make([]int32, len(sorted))}
	place := make([]int32, len(sorted))
	for at, e := range sorted {
		p.From[at], p.To[at], place[e] = r.from[e], r.to[e], int32(at)
	}
	r.from, r.to = nil, nil
	return p, place
}

// byKey sorts a list of edges by the key of each, below a limit; equal ones stay in order.
func byKey(list, keys []int32, limit int) []int32 {
	next := make([]int32, limit+1)
	for _, key := range keys {
		next[key+1]++
	}
	for key := range limit {
		next[key+1] += next[key]
	}
	sorted := make([]int32, len(list))
	for _, e := range list {
		sorted[next[keys[e]]] = e
		next[keys[e]]++
	}
	return sorted
}

// graphs makes the pattern and returns the weights of each step.
func (r *reader) graphs(s *dyngraph.Series, order []int, steps []step) ([][]float64, error) {
	pattern, place := r.pattern(order)
	s.Pattern = pattern
	weights := func(snapshot int) []float64 {
		row := make([]float64, pattern.Edges())
		for k, w := range r.edges.rows[snapshot].values {
			if !math.IsNaN(w) {
				row[place[k]] = w
			}
		}
		r.edges.rows[snapshot] = gridRow{} // its memory is for the rows to come
		return row
	}
	graphs := make([][]float64, len(steps))
	if r.c.Edges.Time == None {
		static := weights(0)
		for i := range graphs {
			graphs[i] = static
		}
		return graphs, nil
	}
	var last, none []float64
	held := 0
	for i, step := range steps {
		if step.snapshot >= 0 && r.edgesAt[step.snapshot] > 0 {
			last = weights(step.snapshot)
			graphs[i] = last
			continue
		}
		held++
		switch {
		case r.c.WithoutEdges == Hold && last != nil:
			graphs[i] = last
		case r.c.WithoutEdges == Empty:
			if none == nil {
				none = make([]float64, pattern.Edges())
			}
			graphs[i] = none
		default:
			return nil, r.withoutEdges(step)
		}
	}
	if held > 0 {
		r.notice("%s has no row for %d of %d snapshots: their graph is %s", r.c.Edges.Path, held, len(steps),
			map[WithoutEdges]string{Hold: "the last one before", Empty: "one without edges"}[r.c.WithoutEdges])
	}
	return graphs, nil
}

// withoutEdges is the error about a step for which the edges file has no row.
func (r *reader) withoutEdges(at step) error {
	when := r.clock.show(at.bin)
	wanted := `edges at each time, or WithoutEdges "hold" (repeat the last graph) or "empty"`
	if r.c.WithoutEdges == Hold {
		wanted = `edges at the first time: "hold" has no graph before it to repeat; WithoutEdges "empty" takes none`
	}
	if at.snapshot >= 0 && r.nodesAt[at.snapshot] > 0 {
		f, err := newFile(r.c.Nodes.Path)
		if err != nil {
			return err
		}
		return place{f, r.nodesAt[at.snapshot]}.fault(r.c.Nodes.Time, fmt.Sprintf("the time %s, for which %s has no row",
			when, r.c.Edges.Path), wanted)
	}
	return &Error{Path: r.c.Edges.Path, Column: r.c.Edges.Time, Found: fmt.Sprintf("no row for the step of %v from %s on",
		r.c.Step, when), Wanted: wanted}
}

// times fills Times and Dates. Those of dates are counted in the recipe's unit from the first snapshot on.
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
	v := values{targets: len(r.c.Nodes.Targets), features: len(r.c.Nodes.Features)}
	width := r.width()
	for _, step := range steps {
		y, x := nans(len(order)*v.targets), nans(len(order)*v.features)
		if step.snapshot >= 0 && step.snapshot < len(r.values.rows) {
			row := r.values.rows[step.snapshot].values
			for u := range len(row) / width {
				copy(y[order[u]*v.targets:], row[u*width:u*width+v.targets])
				copy(x[order[u]*v.features:], row[u*width+v.targets:u*width+v.targets+v.features])
			}
		}
		v.y, v.x = append(v.y, y), append(v.x, x)
	}
	return v
}

// noteGaps tells of missing values. When scales are to be taken, a target that has no value at all is an error.
func (r *reader) noteGaps(v values, first bool) error {
	count := func(rows [][]float64, k, size int, name string) error {
		gaps, total := 0, 0
		for _, row := range rows {
			for at := k; at < len(row); at += size {
				total++
				if math.IsNaN(row[at]) {
					gaps++
				}
			}
		}
		if gaps == total && first {
			return &Error{Path: r.c.Nodes.Path, Column: name, Found: "no value in any row", Wanted: "numbers"}
		}
		if gaps > 0 {
			r.notice("%s: column %q has no value for %d of %d pairs of a time and a node", r.c.Nodes.Path, name, gaps, total)
		}
		return nil
	}
	for k, name := range r.c.Nodes.Targets {
		if err := count(v.y, k, v.targets, name); err != nil {
			return err
		}
	}
	for k, name := range r.c.Nodes.Features {
		if err := count(v.x, k, v.features, name); err != nil {
			return err
		}
	}
	return nil
}

// noteSpacing tells of times that are numbers and far from 1 apart.
func (r *reader) noteSpacing(times []float64) {
	const far = 100
	if r.clock.dated || len(times) < 2 {
		return
	}
	gap := (times[len(times)-1] - times[0]) / float64(len(times)-1)
	if gap > far || gap < 1.0/far {
		r.notice("times are %.3g apart on average: models do best with times about 1 apart, so write days, weeks or years "+
			"rather than seconds, or dates", gap)
	}
}

func nans(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
