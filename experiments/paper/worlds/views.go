package worlds

import (
	"slices"

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
	// world formats a world's name from its column. together names all worlds, if they are also compared together.
	world, together string
}

// of returns the results in the worlds of the view.
func (v view) of(results experiments.Results) experiments.Results {
	for key, value := range v.keys {
		results = results.Where(key, value)
	}
	return results
}

// file is a part of file names: the dynamics, and the key of the columns if that is not the family.
func (v view) file() string {
	if v.columns == "family" {
		return v.keys["dynamics"]
	}
	return v.keys["dynamics"] + "-" + v.columns
}

// dynamicsIn returns the view of one of the dynamics on all families.
func dynamicsIn(dynamics string) view {
	return view{name: dynamics, keys: map[string]string{"dynamics": dynamics}, columns: "family",
		world: dynamics + ", %s", together: dynamics + ", all graphs"}
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

// pictured returns the report on the worlds that figures show, see [Worlds].picture.
func (w Worlds) pictured(r *experiments.Report) *experiments.Report {
	shown := *r
	shown.Results = view{keys: w.picture}.of(r.Results)
	return &shown
}
