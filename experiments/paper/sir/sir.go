// Package sir contains the study that classifies epidemics of two kinds from observations at irregular times.
//
// Start with [SIR].
package sir

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Oversampling is the study that classifies SIR epidemics of two kinds on a changing grid from observations at
// irregular times. A model sees a whole trajectory, the states and the graph at each observation, and names its class.
// Runs have three keys: "observations"; "shape", the shape of the Gamma distribution of the increments between
// observations, "" for times from a pool; and "noise", the standard deviation of the noise on the states, as a
// fraction of the largest infected part.
type Oversampling struct {
	experiments.Study
	size func(experiments.Profile) sirSize
}

// SIR returns the study of the paper's Figure 3: accuracy against the number of observations and against their
// irregularity, and the time of an inference. Accuracy under noise is added.
//
// Protocol: 50 trajectories of a class for training, and 50 each for validation and test, with all their
// observations; equations are controlled by the normalised Laplacian of the graph and by the states, with constant
// steps of 0.1, 32 features and three layers; logits are summed over nodes; one batch of all, AdamW at rate 0.01, at
// most 2000 epochs, stopped by the cross-entropy of validation. Profiles medium and quick reduce most of these, see
// [Oversampling.Notes].
func SIR() *Oversampling {
	return Oversampling{size: sirSizes, Study: experiments.Study{Name: "sir",
		Title: "Two epidemics to be told apart", Data: "simulated on a grid that changes",
		About: prose.Text("about sir")}}.complete()
}

// complete sets the fields that follow from the others.
func (o Oversampling) complete() *Oversampling {
	o.Plan, o.Execute, o.Show, o.Page = o.plan, o.make, o.show, o.page
	return &o
}

// sirSide is the number of nodes on a side of the grid.
const sirSide = 10

// sirSize holds the settings of a profile.
type sirSize struct {
	// perClass is the number of trajectories of a class in each of the sets for training and validation, and
	// testPerClass the number in the test set.
	seeds, perClass, testPerClass int
	observations                  []int
	// shapes apply to trajectories with the fewest observations, noises to trajectories with noisyAt observations.
	shapes, noises []float64
	noisyAt        []int
	// hidden, layers and step are settings of the equations.
	hidden, layers int
	step           float64
	// dcrnn, astgcn and stidgcn have separate widths.
	dcrnn, astgcn, stidgcn catalogue.Width
	training               train.Config
	// models lists the IDs of rows. The rows of blindIDs run only without noise and shape. PreciseID runs with noise,
	// and without noise on the same numbers of observations.
	models []string
}

// sirSizes returns the paper's sizes, or smaller ones for smaller machines.
func sirSizes(p experiments.Profile) sirSize {
	s := sirSize{seeds: 10, perClass: 50, testPerClass: 50, observations: []int{20, 40, 60, 80, 100, 120, 140, 160, 180,
		200},
		shapes: []float64{3, 5, 10, 25, 50, 100}, noises: []float64{0.05, 0.1, 0.2}, noisyAt: []int{20, 100},
		hidden: 32, layers: 3, step: 0.1, dcrnn: catalogue.Width{Hidden: 8, Layers: 3}, astgcn: catalogue.Width{Hidden: 3,
			Layers: 3},
		stidgcn:  catalogue.Width{Hidden: 8},
		training: train.Config{Epochs: 2000, EvaluateEvery: 25, Patience: 200, MinEpochs: 200},
		models: []string{catalogue.RatioID, "constant", "gn-ode", "stg-ncde", "original", "peng", catalogue.PreciseID,
			catalogue.AffineID, catalogue.SteadyID, "dcrnn", "astgcn", "stidgcn"}}
	switch p {
	case experiments.Medium:
		s.seeds, s.perClass, s.noisyAt = 3, 16, []int{20}
		s.hidden, s.layers, s.dcrnn, s.stidgcn = 8, 1, catalogue.Width{Hidden: 8, Layers: 1}, catalogue.Width{Hidden: 4}
		s.training = train.Config{Epochs: 120, EvaluateEvery: 4, Patience: 40, MinEpochs: 20, Target: 0.01}
	case experiments.Quick:
		s.seeds, s.perClass, s.testPerClass = 1, 4, 8
		s.hidden, s.layers, s.step, s.dcrnn = 8, 1, 0.5, catalogue.Width{Hidden: 8, Layers: 1}
		s.observations, s.shapes, s.noises, s.noisyAt = []int{20, 60, 120}, []float64{3, 100}, []float64{0.2}, []int{20}
		s.training = train.Config{Epochs: 4, EvaluateEvery: 3}
		s.models = []string{catalogue.RatioID, "peng", "dcrnn"}
	}
	s.training.BatchSize, s.training.AdamW = 2*s.perClass, train.AdamW{LearningRate: 0.01}
	return s
}

// sampling describes how trajectories are observed; shape 0 means times from a pool.
type sampling struct {
	observations int
	shape, noise float64
}

// samplings lists the samplings of a profile, each once, though several figures may use it.
func (s sirSize) samplings() (all []sampling) {
	for _, n := range s.observations {
		all = append(all, sampling{observations: n})
	}
	for _, k := range s.shapes {
		all = append(all, sampling{observations: s.observations[0], shape: k})
	}
	for _, n := range s.noisyAt {
		for _, share := range s.noises {
			all = append(all, sampling{observations: n, noise: share})
		}
	}
	return all
}

// plain reports whether times are from a pool and states have no noise.
func (s sampling) plain() bool { return s.shape == 0 && s.noise == 0 }

// value returns the value of a run's key as a number.
func (s sampling) value(key string) float64 {
	switch key {
	case "observations":
		return float64(s.observations)
	case "shape":
		return s.shape
	}
	return s.noise
}

func (s sampling) keys() map[string]string {
	keys := map[string]string{"shape": ""}
	for _, key := range []string{"observations", "shape", "noise"} {
		if x := s.value(key); key != "shape" || x != 0 {
			keys[key] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return keys
}

// sirRun is the specification of a run: a model, and the sampling of the trajectories.
type sirRun struct {
	experiments.Row
	sampling
	// timed lists the rows whose inferences a run of [InferenceID] times.
	timed []experiments.Row
	sirData
}

// plan lists the runs seed by seed, and for each sampling model by model; where times are shown, the inferences of
// all rows are timed last.
func (o Oversampling) plan(_ context.Context, scope experiments.Scope) (runs []experiments.Run, err error) {
	size := o.size(scope.Profile)
	samplings := size.samplings()
	rows := make([][]experiments.Row, len(samplings))
	for i, s := range samplings {
		rows[i] = size.rows(s)
	}
	for _, seed := range scope.SeedsOr(size.seeds) {
		for i, s := range samplings {
			data, err := size.data(s, seed)
			if err != nil {
				return nil, err
			}
			models := rows[i]
			var timed []experiments.Row
			if s.plain() {
				timed = slices.DeleteFunc(slices.Clone(rows[i]), func(m experiments.Row) bool {
					return slices.Contains(untimed, m.ID) || isRemedied(m.ID)
				})
				models = append(slices.Clip(rows[i]), inference(timed))
			}
			for _, model := range models {
				at, clocked := sirRun{Row: model, sampling: s, sirData: data}, model.ID == catalogue.InferenceID
				if clocked {
					at.timed = timed
				}
				runs = append(runs, experiments.Run{Model: model, Seed: seed, Spec: at, Keys: s.keys(), Alone: clocked,
					Identity: func() (any, error) { return at.identity(seed) }})
			}
		}
	}
	return runs, nil
}

// sirData holds the configurations of the data for training, validation and test, and what identities say of them.
type sirData struct {
	sets      [3]synthetic.Classes
	described store.Canonical
}

// data returns the data of a sampling.
func (s sirSize) data(at sampling, seed uint64) (d sirData, err error) {
	var sets [3]string
	for i, first := range []uint64{catalogue.TrainingSeed, catalogue.ValidationSeed, catalogue.TestSeed} {
		perClass := []int{s.perClass, s.perClass, s.testPerClass}[i]
		d.sets[i] = synthetic.Classes{Tasks: synthetic.SIRClasses(), Config: synthetic.Config{
			Family: graphs.Grid{}, Nodes: sirSide * sirSide, Graphs: perClass, Observations: at.observations,
			Shape: at.shape, Horizon: 1, Seed: first + catalogue.WorldSeeds*seed}}
		if sets[i], err = d.sets[i].Identity(); err != nil {
			return d, err
		}
	}
	d.described = store.Canonical("[" + strings.Join(sets[:], ",") + "]")
	return d, nil
}

func (s sirRun) identity(seed uint64) (any, error) {
	all := map[string]any{"sets": s.described, "noise": s.noise, "row": s.ID, "seed": seed}
	if copied := remedyOf(s.ID).identity(); copied != "" {
		all["copies"] = copied
	}
	return all, s.Row.Identity(all)
}
