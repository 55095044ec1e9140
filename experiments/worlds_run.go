package experiments

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// WorldRun is what a model gave in a world with one seed. Errors are mean squares.
type WorldRun struct {
	World      World
	Model      WorldModel
	Seed       uint64
	Parameters int
	// Test is the error on the test graphs, over all times; Interpolation and Extrapolation are those on the training graphs, at
	// times within and after the ones trained on.
	Test, Interpolation, Extrapolation float64
	// Failure says why there are no errors: the state or the loss left the floats. "" for a run that went well.
	Failure string `json:",omitempty"`
	Training
	// PeakBytes is the largest resident memory of the process while the run was made; 0 where it is not known.
	PeakBytes int64
	// Tests are the test graphs one by one.
	Tests []WorldTest
	// Pictures are states of the first test graph at some times.
	Pictures []WorldPicture
	// Fusion are the learnt weights of the maps, for each layer; without the fixed 1 of the identity.
	Fusion [][]MapWeight
}

// WorldTest is how the error on one test graph went over time.
type WorldTest struct {
	// Times, and Errors at them; Events are the times of changes of the graph, Trained the last time that models are trained on.
	Times, Errors, Events []float64
	Trained               float64
}

// WorldPicture is the state of all nodes at one time.
type WorldPicture struct {
	Time            float64
	Truth, Forecast []float64
}

// MapWeight are the weights of one map of A and A'.
type MapWeight struct {
	Map  equivariant.Map
	A, D float64
}

// worldTask is one run of an experiment on worlds.
type worldTask struct {
	job
	World World
	Model WorldModel
	Seed  uint64
}

func (t worldTask) work() job { return t.job }

// plan lists the runs that options ask for, in the order in which they are made: seed by seed, so that a table fills evenly.
func (e Worlds) plan(o Options) (Profile, []worldTask, error) {
	profile, folder, err := o.place()
	if err != nil {
		return "", nil, err
	}
	size := e.size(profile)
	models := e.models(size)
	has := func(id string) bool {
		return slices.ContainsFunc(models, func(m WorldModel) bool { return m.ID == id })
	}
	if err := o.checkModels(e.Name, profile, has); err != nil {
		return "", nil, err
	}
	kind := o.kind()
	var tasks []worldTask
	for _, seed := range o.chosenSeeds(size.seeds) {
		for _, model := range models {
			if !o.wants(model.ID) {
				continue
			}
			for _, task := range e.tasks {
				for _, family := range size.families {
					t := worldTask{Model: model, Seed: seed, World: World{Dynamics: task.Dynamics.Name, Family: family.Name(), Nodes: size.nodes,
						Amplitude: task.Amplitude, AsPublished: e.AsPublished, task: task, family: family}}
					t.job = job{trained: true, kind: model.ID + " " + t.World.Dynamics + " " + t.World.Family,
						name: fmt.Sprintf("%s, %s, %s, seed %d", model.Name, t.World.Dynamics, t.World.Family, seed)}
					identity, err := e.identity(t)
					if err != nil {
						return "", nil, err
					}
					if t.slot, err = newSlot(folder, e.Name, t.backend(kind), identity); err != nil {
						return "", nil, err
					}
					tasks = append(tasks, t)
				}
			}
		}
	}
	return profile, tasks, nil
}

// Stored returns what is stored of the runs; the others are missing.
func (e Worlds) Stored(o Options) (*WorldResults, error) {
	profile, tasks, err := e.plan(o)
	if err != nil {
		return nil, err
	}
	standing, err := o.standing(e.Name)
	if err != nil {
		return nil, err
	}
	results := &WorldResults{Experiment: e, Profile: profile, Records: []Record[WorldRun]{}, Standing: standing}
	return results, stored(tasks, results.add)
}

// Run finds the runs that are stored, makes and stores the others, and returns all; see [Forecasting.Run]. Data sets are
// generated once and kept beside the results.
func (e Worlds) Run(ctx context.Context, o Options) (*WorldResults, error) {
	_, tasks, err := e.plan(o)
	if err != nil {
		return nil, err
	}
	folder, err := Folder()
	if err != nil {
		return nil, err
	}
	w := &worldsRunner{cache: synthetic.Cache{Folder: filepath.Join(folder, "worlds")}}
	w.options, w.compute, w.describe = o, w.run, (*WorldRun).describe
	if err := w.all(ctx, tasks); err != nil {
		return nil, err
	}
	results, err := e.Stored(o)
	if err != nil {
		return nil, err
	}
	return results, couldNotBeMade(e.Name, len(tasks), results.errors())
}

func (r *WorldRun) describe() string {
	if r.Failure != "" {
		return "diverged"
	}
	return fmt.Sprintf("test %.3g", r.Test)
}

type worldsRunner struct {
	runner[worldTask, WorldRun]
	cache synthetic.Cache
}

// sets are what the data sets for training, validation and test are generated by.
func (t worldTask) sets() (all [3]synthetic.Config) {
	for i, seed := range []uint64{trainingSeed, validationSeed, testSeed} {
		all[i] = synthetic.Config{Family: t.World.family, Task: t.World.task, Nodes: t.World.Nodes, Graphs: trainingGraphs,
			Amplitude: t.World.Amplitude, Seed: seed + worldSeeds*t.Seed, AsPublished: t.World.AsPublished}
	}
	return all
}

// whole are the trajectories of a set at all their times.
func whole(s *synthetic.Set) []dyngraph.Window {
	windows := make([]dyngraph.Window, len(s.Trajectories))
	for b := range s.Trajectories {
		windows[b] = s.Trajectories[b].Series(nil, nil).Whole()
	}
	return windows
}

func (w *worldsRunner) run(ctx context.Context, t worldTask) (*WorldRun, float64, error) {
	resident.Reset()
	run := &WorldRun{World: t.World, Model: t.Model, Seed: t.Seed}
	var sets [3]*synthetic.Set
	for i, config := range t.sets() {
		set, err := w.cache.Generate(ctx, config)
		if err != nil {
			return nil, 0, fmt.Errorf("experiments: data of %s: %w", t.name, err)
		}
		sets[i] = set
	}
	training, validation, test := sets[0], sets[1], sets[2]
	var windows []dyngraph.Window
	for b := range training.Trajectories {
		// The published GN-ODE knows the times of events, which here come into force at the next time trained on; what it gets
		// wrong is in pengcde.Config.Parity.
		misplaced := t.World.AsPublished && (t.Model.Model.Field == nil || field.Name(t.Model.Model.Field) != "gn-ode")
		windows = append(windows, training.Trajectories[b].Series(training.Train, training.TrainingIndex(misplaced)).Whole())
	}
	config := t.Model.Model
	config.Nodes = windows[0].Series.Nodes()
	model, err := w.prepare(config, t.Seed)
	if err != nil {
		return nil, 0, err
	}
	run.Parameters = model.Parameters()
	var earlier float64
	run.Training, earlier, err = w.fit(t.job, t.Model.Train, func(config train.Config) (*train.Report, error) {
		return model.Fit(ctx, windows, whole(validation), config)
	})
	if err == nil {
		err = run.measure(ctx, model, training, test)
	}
	if diverged(err) {
		run.Failure, err = err.Error(), nil
		run.Test, run.Interpolation, run.Extrapolation, run.Tests, run.Pictures = 0, 0, 0, nil, nil
	}
	run.PeakBytes = resident.Peak()
	return run, earlier, err
}

// pictures is the number of times whose states are kept.
const pictures = 24

// measure fills in errors, pictures and learnt weights.
func (r *WorldRun) measure(ctx context.Context, m *pengcde.Model, training, test *synthetic.Set) error {
	errors, _, err := forecast(ctx, m, training)
	if err != nil {
		return err
	}
	for b := range errors {
		for _, part := range []struct {
			at   []int
			into *float64
		}{{training.Interpolation, &r.Interpolation}, {training.Extrapolation, &r.Extrapolation}} {
			for _, k := range part.at {
				*part.into += errors[b][k] / float64(len(errors)*len(part.at))
			}
		}
	}
	errors, states, err := forecast(ctx, m, test)
	if err != nil {
		return err
	}
	for b, trajectory := range test.Trajectories {
		for _, e := range errors[b] {
			r.Test += e / float64(len(errors)*len(errors[b]))
		}
		r.Tests = append(r.Tests, WorldTest{Times: trajectory.Times, Errors: errors[b], Events: trajectory.EventTimes(),
			Trained: trajectory.Times[test.Train[len(test.Train)-1]]})
	}
	first := test.Trajectories[0]
	for i := range pictures {
		k := i * (len(first.Times) - 1) / (pictures - 1)
		r.Pictures = append(r.Pictures, WorldPicture{Time: first.Times[k], Truth: rounded(first.Values[k]), Forecast: rounded(states[0][k])})
	}
	r.Fusion = fusion(m)
	return nil
}

// forecast returns the errors [series][times] and the forecasts [series][times][nodes] of a set.
func forecast(ctx context.Context, m *pengcde.Model, set *synthetic.Set) (errors [][]float64, states [][][]float64, err error) {
	all, err := m.PredictAll(ctx, whole(set), nil)
	if err != nil {
		return nil, nil, err
	}
	errors, states = make([][]float64, len(all)), make([][][]float64, len(all))
	for b, trajectory := range all {
		for k, nodes := range trajectory {
			state, truth, sum := make([]float64, len(nodes)), set.Trajectories[b].Values[k], 0.0
			for u, x := range nodes {
				state[u] = x[0]
				sum += (x[0] - truth[u]) * (x[0] - truth[u])
			}
			mean := sum / float64(len(nodes))
			if math.IsNaN(mean) || math.IsInf(mean, 0) {
				return nil, nil, fmt.Errorf("experiments: error of graph %d at time %d is %g: %w", b, k, mean, train.ErrNotFinite)
			}
			errors[b], states[b] = append(errors[b], mean), append(states[b], state)
		}
	}
	return errors, states, nil
}

// rounded keeps four digits; a picture does not show more.
func rounded(values []float64) []float64 {
	short := make([]float64, len(values))
	for i, v := range values {
		short[i], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64) // reads what was written
	}
	return short
}

// fusion reads the weights of the maps of all layers of a PENG-CDE; nil for other models.
func fusion(m *pengcde.Model) [][]MapWeight {
	resolved, err := m.Config().Resolved()
	if err != nil || resolved.Maps == nil {
		return nil
	}
	var layers [][]MapWeight
	for k := range m.Config().Layers {
		values, ok := m.Parameter(fmt.Sprintf("field.layers.%d.maps", k))
		if !ok {
			return nil
		}
		var layer []MapWeight
		for i, name := range resolved.Maps {
			layer = append(layer, MapWeight{name, values[2*i], values[2*i+1]})
		}
		layers = append(layers, layer)
	}
	return layers
}
