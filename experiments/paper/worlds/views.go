package worlds

import (
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
)

// view is a set of worlds of a study in one table, with a column for each.
type view struct {
	// name is the name of the dynamics, or another text for titles.
	name string
	// keys are the keys that the runs of all its worlds share.
	keys map[string]string
	// columns is the key whose values form the columns.
	columns string
	values  valuesOf
	// world formats a world's name from its column. together names all worlds, if they are also compared together.
	world, together string
}

// valuesOf holds the words for the values of a key: "family", "families" and "of graphs".
type valuesOf struct{ one, many, what string }

var (
	ofGraphs = valuesOf{"family", "families", "of graphs"}
	ofKappa  = valuesOf{"value", "values", "of κ"}
)

// of returns the results in the worlds of the view.
func (v view) of(results experiments.Results) experiments.Results {
	for key, value := range v.keys {
		results = results.Where(key, value)
	}
	return results
}

// dynamicsIn returns the view of one of the dynamics on all families.
func dynamicsIn(dynamics string) view {
	return view{name: dynamics, keys: map[string]string{"dynamics": dynamics}, columns: "family", values: ofGraphs,
		world: dynamics + ", %s", together: dynamics + ", all"}
}

// seen returns the views of a study that have results: its own, or one for each of the dynamics.
func (w Worlds) seen(results experiments.Results) (all []view) {
	if w.views == nil {
		for _, dynamics := range results.Values("dynamics") {
			all = append(all, dynamicsIn(dynamics))
		}
		return all
	}
	return slices.DeleteFunc(slices.Clone(w.views), func(v view) bool { return len(v.of(results)) == 0 })
}

// columnsOf describes the columns of all views, such as "family of graphs".
func columnsOf(views []view) string {
	var each []string
	for _, v := range views {
		if text := v.values.one + " " + v.values.what; !slices.Contains(each, text) {
			each = append(each, text)
		}
	}
	return strings.Join(each, " or ")
}

// pictured returns the report on the worlds that figures show, see [Worlds].picture.
func (w Worlds) pictured(r *experiments.Report) *experiments.Report {
	shown := *r
	shown.Results = view{keys: w.picture}.of(r.Results)
	return &shown
}
