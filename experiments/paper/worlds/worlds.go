// Package worlds contains the studies on simulated worlds: node dynamics on graphs that change.
//
// Start with [Table1].
package worlds

import (
	"context"
	"strings"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/figures"
)

const simulated = "simulated on four families of graphs that change"

// Worlds is a study on simulated worlds: node dynamics on graphs that change. A model sees the first states and the
// changing graph. It is trained on four graphs, validated on four others and tested on four more. Its runs have the
// keys "dynamics" and "family".
type Worlds struct {
	experiments.Study
	// asPublished repeats the defects of the published code, see [Table1AsPublished].
	asPublished bool
	// tasks lists the dynamics, on all families of the size, unless worlds names the worlds.
	tasks  []synthetic.Task
	worlds func(worldsSize) []worldOf
	size   func(experiments.Profile) worldsSize
	// views lists the tables; nil means one for each of the dynamics.
	views []view
	// picture selects, by key, the worlds that figures of a page show, among the worlds on one family.
	picture map[string]string
	// subjects lists the IDs of the models that a verdict is about, if the study has them; rivalsOf lists the IDs of the
	// models they are compared with, nil for all others.
	subjects, rivalsOf []string
	// strong, if not nil, selects worlds for an additional comparison of models, besides the views.
	strong func(experiments.Results) *contest
	// compared, if not nil, makes a table to follow the tables of errors.
	compared func(*experiments.Report) (*figures.Table, error)
	// opening makes the figures that open a page, nil the errors in all worlds; drawn the last figures, nil errors over
	// time and weights.
	opening, drawn func(*experiments.Report, *catalogue.Drawn)
}

// worldOf describes data, with the keys of its runs.
type worldOf struct {
	task   synthetic.Task
	family graphs.Family
	keys   map[string]string
}

// complete sets the fields that follow from the others.
func (w Worlds) complete() *Worlds {
	if w.subjects == nil {
		w.subjects = []string{"recommended", "peng"}
	}
	if w.opening == nil {
		w.opening = w.drawErrors
	}
	if w.drawn == nil {
		w.drawn = w.drawWorlds
	}
	w.Plan, w.Execute, w.Show, w.Page = w.plan, w.make, w.show, w.page
	return &w
}

// world is the specification of a run: a model in dynamics on a family of graphs.
type world struct {
	worldModel
	worldData
	task   synthetic.Task
	family graphs.Family
}

// trainingGraphs is the number of graphs in each data set.
const trainingGraphs = 4

// plan lists the runs seed by seed, so that a table fills evenly.
func (w Worlds) plan(_ context.Context, scope experiments.Scope) (runs []experiments.Run, err error) {
	size := w.size(scope.Profile)
	models, worlds := w.models(size), w.of(size)
	seeds := size.seeds
	for _, m := range models {
		for _, of := range worlds {
			seeds = max(seeds, size.seedsOf(m.ID, of))
		}
	}
	for _, seed := range scope.SeedsOr(seeds) {
		data := make([]worldData, len(worlds))
		for i, of := range worlds {
			if data[i], err = w.data(of, size, seed); err != nil {
				return nil, err
			}
		}
		for _, model := range models {
			for i, of := range worlds {
				if size.except != nil && size.except(model.ID, of.family.Name()) ||
					len(scope.Seeds) == 0 && int(seed) >= size.seedsOf(model.ID, of) {
					continue
				}
				at := world{worldModel: model, worldData: data[i], task: of.task, family: of.family}
				runs = append(runs, experiments.Run{Model: model.Row, Seed: seed, Spec: at, Keys: of.keys,
					Identity: func() (any, error) { return at.identity(seed) }})
			}
		}
	}
	return runs, nil
}

// worldData holds the configurations of the data for training, validation and test, and what identities say of them.
type worldData struct {
	sets      [3]synthetic.Config
	described store.Canonical
}

// data returns the data of a world.
func (w Worlds) data(of worldOf, size worldsSize, seed uint64) (d worldData, err error) {
	var sets [3]string
	for i, first := range []uint64{catalogue.TrainingSeed, catalogue.ValidationSeed, catalogue.TestSeed} {
		d.sets[i] = synthetic.Config{Family: of.family, Task: of.task, Nodes: size.nodes, Graphs: trainingGraphs,
			Amplitude: of.task.Amplitude, Seed: first + catalogue.WorldSeeds*seed, AsPublished: w.asPublished}
		if sets[i], err = d.sets[i].Identity(); err != nil {
			return d, err
		}
	}
	d.described = store.Canonical("[" + strings.Join(sets[:], ",") + "]")
	return d, nil
}

// of returns the worlds of a size.
func (w Worlds) of(size worldsSize) (all []worldOf) {
	if w.worlds != nil {
		return w.worlds(size)
	}
	for _, task := range w.tasks {
		for _, family := range size.families {
			all = append(all, newWorldOf(task, family))
		}
	}
	return all
}

// newWorldOf sets the keys that all worlds have.
func newWorldOf(task synthetic.Task, family graphs.Family) worldOf {
	return worldOf{task: task, family: family,
		keys: map[string]string{"dynamics": task.Dynamics.Name, "family": family.Name()}}
}

func (w world) identity(seed uint64) (any, error) {
	all := map[string]any{"sets": w.described, "row": w.ID, "seed": seed}
	return all, w.Row.Identity(all)
}
