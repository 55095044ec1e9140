package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/peng-cde/pengcde-go/internal/csvrows"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/plain"
)

// compareNodes tells of nodes that one file lacks. Where files have none in common, and where a node is written in two
// ways, names are wrong.
func (r *reader) compareNodes() error {
	if !r.closed {
		if err := r.checkSpellings(); err != nil {
			return err
		}
	}
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
	if !r.closed && len(without)+len(isolated) == len(r.names) && len(isolated) > 0 {
		return &Error{Path: r.c.Nodes.Path, Column: r.c.Nodes.Node,
			Found:  fmt.Sprintf("node %s, and none that %s has", errs.Quote(isolated[0]), r.c.Edges.Path),
			Wanted: fmt.Sprintf("the same names as in the edges, such as %s", errs.Quote(without[0]))}
	}
	if len(without) > 0 {
		r.notice("%d of %d nodes have no row in %s, their values are missing at all times: %s", len(without), len(r.names),
			r.c.Nodes.Path, list(without))
	}
	if len(isolated) > 0 {
		r.notice("%d of %d nodes have no edge in %s, they see no other node: %s", len(isolated), len(r.names),
			r.c.Edges.Path, list(isolated))
	}
	return nil
}

// checkSpellings returns an error for a node that is written in two ways: as text with other characters for the same
// letters, as a whole number with .0, or as another form of a number where one file has the one and one the other.
func (r *reader) checkSpellings() error {
	others := make(map[string]int32) // names that are not written as usual, by how that would be
	for u, name := range r.names {
		usual, number := usualName(name)
		if usual == name {
			continue
		}
		v, found := r.ids[usual]
		if !found {
			v, found = others[usual]
			others[usual] = int32(u)
		}
		split := r.inEdges[u] != r.inEdges[v] && r.inNodes[u] != r.inNodes[v]
		switch other := r.names[v]; {
		case !found:
		case !number:
			return invalid("nodes %+q and %+q, want one of them for the same node in all columns: they are the same letters "+
				"in other characters of Unicode, so write both files in its form NFC", other, name)
		case name == usual+".0" || split:
			return invalid("nodes %s and %s, want one of them for the same node in all columns: programs that read "+
				"names as numbers drop zeros before them, and write .0 after them in a column where one was missing: read them as "+
				"text", errs.Quote(other), errs.Quote(name))
		}
	}
	return nil
}

// usualName returns how a node's name is usually written: a number in digits alone, without zeros before and after it,
// and text in NFC.
func usualName(name string) (usual string, isNumber bool) {
	const exact = 1 << 53
	number, ok := csvrows.ParseNumber(name)
	switch {
	case !ok || math.IsNaN(number) || math.IsInf(number, 0):
		return norm.NFC.String(name), false
	case math.Abs(number) < exact:
		return strconv.FormatFloat(number+0, 'f', -1, 64), true // -0 becomes 0
	}
	return strings.TrimSuffix(strings.TrimLeft(name, "0"), ".0"), true
}

// noteGaps tells of missing values of present nodes. When scales are to be taken, a target that has no value at all
// is an error.
func (r *reader) noteGaps(v values, present [][]bool, first bool) error {
	count := func(rows [][]float64, k, size int, name string) error {
		gaps, total := 0, 0
		for i, row := range rows {
			for at := k; at < len(row); at += size {
				if present != nil && !present[i][at/size] {
					continue
				}
				total++
				if math.IsNaN(row[at]) {
					gaps++
				}
			}
		}
		if gaps == total && first {
			return &Error{Path: r.c.Nodes.Path, Column: name, Found: "no value in any row", Wanted: "values"}
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
	for k, name := range r.c.Nodes.Categories {
		if err := count(v.texts, k, len(v.names), name); err != nil {
			return err
		}
	}
	return nil
}

// noteRepeatedEdges tells how many rows were combined with an earlier row of the same pair and time. In a step several
// are usual, and so they are where each row counts 1.
func (r *reader) noteRepeatedEdges(f *file, repeats, rows int) {
	e := r.c.Edges
	if repeats == 0 || r.c.Step != (Step{}) || e.Weight == None {
		return
	}
	of := "pair and time"
	if e.Time == None {
		of = "pair"
	}
	r.notice("%s: %d of %d rows are of a %s that has another row: %s", f.path, repeats, rows, of,
		map[Aggregate]string{Sum: "their weights are added up", Mean: "their weights are averaged",
			Last: "the last weight counts"}[e.Aggregate])
}

// noteRepeatedNodes tells how many rows were combined with an earlier row of the same node and time. In a step several
// are usual, but the mean, which the configuration does not name, may not be meant.
func (r *reader) noteRepeatedNodes(f *file, repeats, rows int) {
	switch {
	case repeats == 0:
	case r.averages:
		r.notice("%s: %d rows are of a node that has another row in the same step of %v: their values are averaged, unless "+
			"Nodes.Aggregate %q or %q combines them otherwise", f.path, repeats, r.c.Step, Sum, Last)
	case r.c.Step == (Step{}):
		r.notice("%s: %d of %d rows are of a node and time that has another row: Nodes.Aggregate %q combines them", f.path,
			repeats, rows, r.c.Nodes.Aggregate)
	}
}

// noteStale tells of present nodes without a value at the newest snapshot, from which forecasts are made. Nodes that
// never have one are told of elsewhere.
func (r *reader) noteStale(names []string, y [][]float64, steps []step, present [][]bool) {
	last, targets := len(steps)-1, r.c.Nodes.Targets
	show := func(k int) string { return r.clock.show(steps[k].bin) }
	for k, target := range targets {
		var late []string
		oldest, newest, counted := last, -1, 0
		for u, name := range names {
			at := newestValue(y, u*len(targets)+k)
			if at < 0 || present != nil && !present[last][u] {
				continue
			}
			counted, newest = counted+1, max(newest, at)
			if at < last {
				late, oldest = append(late, name), min(oldest, at)
			}
		}
		if late == nil {
			continue
		}
		why := fmt.Sprintf("%d of %d nodes have no value of %q at the newest time, %s: ", len(late), counted, target,
			show(last))
		if newest < last {
			why = fmt.Sprintf("the newest values of %q are of %s, the newest rows of %s: leave out the later rows, or ", target,
				show(newest), show(last))
		}
		r.notice("%s: %sforecasts repeat values up to %s old, and their intervals do not count that: %s", r.c.Nodes.Path, why,
			plain.Count(last-oldest, "snapshot"), list(late))
	}
}

// noteNewTexts tells of texts that are no category, as they occur later than the categories are taken from.
func (r *reader) noteNewTexts(recipe *Recipe, v values) {
	for k, categories := range recipe.Categories {
		later := slices.DeleteFunc(slices.Clone(v.names[k].all), func(text string) bool {
			_, found := slices.BinarySearch(categories, text)
			return found
		})
		if len(later) > 0 {
			r.notice("%s: column %q has texts that the first %.3g %% of the times that the model is made from do not have: %s: "+
				"their features are all 0", r.c.Nodes.Path, r.c.Nodes.Categories[k], 100*recipe.Config.TrainFraction, list(later))
		}
	}
}

// newestValue returns the last step with a value in a column, -1 if there is none.
func newestValue(y [][]float64, column int) int {
	step := len(y) - 1
	for step >= 0 && math.IsNaN(y[step][column]) {
		step--
	}
	return step
}

// noteZone tells of days that begin at midnight UTC where times have another zone.
func (r *reader) noteZone() {
	const day = 24 * time.Hour
	days := r.c.Step.Duration > 0 && r.c.Step.Duration%day == 0
	if r.clock.zoned.file != nil && (days || len(r.c.Calendar) > 0) {
		r.notice("%s: a time %s; days begin at midnight UTC, of Config.Step and of Config.Calendar alike. If days of local "+
			"time are meant, write local times without offset or zone", r.clock.zoned, r.clock.zone)
	}
}

// noteStill tells of nodes whose standardised target is far from 0 later because it hardly changes in the part that
// scales are taken from. still lists their entries in a row of y.
func (r *reader) noteStill(names []string, y [][]float64, still []int) {
	const far = 10 // deviations
	targets := r.c.Nodes.Targets
	for k, target := range targets {
		var moved []string
		most := 0.0
		for _, at := range still {
			largest := 0.0
			for _, row := range y {
				if size := math.Abs(row[at]); size > largest { // not NaN
					largest = size
				}
			}
			if at%len(targets) == k && largest > far {
				moved, most = append(moved, names[at/len(targets)]), max(most, largest)
			}
		}
		if moved != nil {
			r.notice("%s: %q hardly changes at %d of %d nodes in the first %g of the times, which scales are taken from, and "+
				"is later up to %.3g deviations from its mean there: these nodes dominate squared errors: %s", r.c.Nodes.Path,
				target, len(moved), len(names), r.c.TrainFraction, most, list(moved))
		}
	}
}

// notYet is before all times.
const notYet = instant(math.MinInt64)

// noteEnd tells of a newest step whose last row comes well earlier in it than the last rows of other steps do: it may
// not be over.
func (r *reader) noteEnd(f *file) {
	const well = 0.25 // of a step
	newest := -1
	for k, end := range r.ends {
		if end != notYet && (newest < 0 || r.bins[k] > r.bins[newest]) {
			newest = k
		}
	}
	if newest < 0 || r.c.Step == (Step{}) {
		return
	}
	var others []float64
	for k, end := range r.ends {
		if end != notYet && k != newest {
			others = append(others, r.clock.passed(r.bins[k], end))
		}
	}
	if len(others) == 0 {
		return
	}
	slices.Sort(others)
	if others[len(others)/2]-r.clock.passed(r.bins[newest], r.ends[newest]) > well {
		r.notice("%s: the newest step of %v, from %s on, has rows until %s alone: if it was not over then, leave them out, "+
			"as sums and means are of a part of it", f.path, r.c.Step, r.clock.show(r.bins[newest]),
			r.clock.write(r.ends[newest]))
	}
}
