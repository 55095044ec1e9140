package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
)

// Experiment is what a shell knows of one; notebooks call [England] and the others, whose results can do more.
type Experiment struct {
	// Name is what a shell calls it; Title and Data are for people.
	Name, Title, Data string
	// Run and Stored are those of its kind, see [Forecasting.Run].
	Run    func(context.Context, Options) (Results, error)
	Stored func(Options) (Results, error)
}

// Results are the runs of an experiment that were asked for.
type Results interface {
	// Count is the number of runs that are stored, and of all that were asked for.
	Count() (stored, planned int)
	// Models are the counts of each model, in the order of the tables.
	Models() []ModelCount
	// Remarks say, a line each, what is stored but not simply used; tables have them among their notes.
	Remarks() []string
	// Tables are all that its runs are shown in.
	Tables() ([]*figures.Table, error)
}

// ModelCount is the number of runs of a model that are stored, of all that were asked for, and of those of which only
// another [Generation] is stored.
type ModelCount struct {
	Model                  string
	Stored, Planned, Stale int
}

// count adds runs of a model.
func count(list []ModelCount, more ModelCount) []ModelCount {
	i := slices.IndexFunc(list, func(c ModelCount) bool { return c.Model == more.Model })
	if i < 0 {
		return append(list, more)
	}
	list[i].Stored += more.Stored
	list[i].Planned += more.Planned
	list[i].Stale += more.Stale
	return list
}

// All lists the experiments.
func All() []Experiment {
	return []Experiment{Table1().experiment(), TableWealth().experiment(), Table1AsPublished().experiment(),
		England().experiment(), Tennis().experiment()}
}

// ByName finds an experiment.
func ByName(name string) (Experiment, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Experiment{}, fmt.Errorf("experiments: %q, want one of %s: %w", name, strings.Join(names, ", "), ErrInput)
}

// shell makes an Experiment of what all kinds have.
func shell[T any, R interface {
	*T
	Results
}](name, title, data string, run func(context.Context, Options) (R, error), stored func(Options) (R, error)) Experiment {
	some := func(r R, err error) (Results, error) {
		if r == nil { // which is not a nil Results
			return nil, err
		}
		return r, err
	}
	return Experiment{name, title, data,
		func(ctx context.Context, o Options) (Results, error) { return some(run(ctx, o)) },
		func(o Options) (Results, error) { return some(stored(o)) },
	}
}
