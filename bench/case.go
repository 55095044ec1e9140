package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Setting selects the model, the data and the training of a race.
type Setting struct {
	Field     string // one of [Fields]; "" means "peng"
	Nodes     int    // requested; the grid has the next square number
	Float64   bool   // computes in float64 instead of float32
	Published bool   // repeats the defects of the published code, see [pengcde.Config].Parity
	Seed      uint64 // draws the data and the parameters
	// Batch is the number of series in an optimiser step, for graphs whose states do not fit in memory at once. 0
	// means all 4, which the peer always uses.
	Batch int
}

const defaultField = "peng"

// Validate returns an error for a setting that cannot be trained; the error wraps [pengcde.ErrInput].
func (s Setting) Validate() error {
	switch {
	case s.Field != "" && !slices.Contains(Fields(), s.Field):
		return errs.New(pengcde.ErrInput, "bench: the peer has no field %q, want one of %q", s.Field, Fields())
	case s.Nodes < 1 || s.Nodes > dyngraph.MaxNodes:
		return errs.New(pengcde.ErrInput, "bench: %d nodes, want 1 to %d", s.Nodes, dyngraph.MaxNodes)
	case s.Batch < 0 || s.Batch > batchSize:
		return errs.New(pengcde.ErrInput, "bench: batches of %d, want 1 to %d, or 0 for %d", s.Batch, batchSize, batchSize)
	}
	return nil
}

// Fields lists the vector fields that the peer has, by the names used in a [Setting].
func Fields() []string {
	return []string{"peng", "affine", "original", "pre-mult", "adjacency", "gn-ode", "constant"}
}

const (
	hidden, layers = 16, 2
	batchSize      = 4
	// tinyRate is a learning rate whose updates are lost to rounding. Every epoch does the same work on the same
	// parameters, so the accepted steps stay the first epoch's.
	tinyRate = 1e-12
)

// testCase is one batch of the heat task: 4 graphs that begin as a grid, with 80 observed times each, amplitude 1.
type testCase struct {
	Setting
	config  pengcde.Config
	windows []dyngraph.Window
	// training makes an epoch one step of AdamW on all series, without validation, at tinyRate.
	training train.Config
}

func newCase(ctx context.Context, s Setting) (*testCase, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s.Field = cmp.Or(s.Field, defaultField)
	f, err := field.Named(s.Field)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	if s.Batch == 0 {
		s.Batch = batchSize
	}
	// An event adds p n² edges. From 400 nodes on p decreases, so that the degree does not grow with the graph.
	const probability, unscaled = 0.001, 400
	set, err := synthetic.Generate(ctx, synthetic.Config{
		Family: graphs.Grid{}, Task: synthetic.Heat, Amplitude: synthetic.Shipped, Nodes: s.Nodes, Graphs: batchSize,
		EventProbability: probability * math.Min(1, unscaled/float64(max(s.Nodes, 1))), Seed: s.Seed,
		AsPublished: s.Published,
	})
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	c := &testCase{Setting: s}
	for b := range set.Trajectories {
		c.windows = append(c.windows, set.Trajectories[b].Series(set.Train, set.TrainingIndex(s.Published)).Whole())
	}
	c.config = pengcde.Config{Nodes: c.windows[0].Series.Nodes(), Features: 1, Field: f,
		Hidden: hidden, Layers: layers, Input: pengcde.Input{GraphOnly: true},
		Equation:  pengcde.Equation{LinearCoders: true, Adaptive: &ode.PID{}, Parity: s.Published},
		Execution: pengcde.Execution{Float64: s.Float64}, Seed: s.Seed}
	c.training = train.Config{Epochs: 1, EvaluateEvery: train.NoValidation, BatchSize: s.Batch,
		AdamW: train.AdamW{LearningRate: tinyRate}}
	return c, nil
}

// steps solves the windows batch by batch, as in training, and returns the solver's steps.
func (c *testCase) steps(ctx context.Context, model *pengcde.Model) (all []pengcde.Steps, err error) {
	for part := range slices.Chunk(c.windows, c.Batch) {
		steps, err := model.Steps(ctx, part)
		if err != nil {
			return nil, err
		}
		all = append(all, steps...)
	}
	return all, nil
}

// Files of a case's folder.
const (
	documentFile   = "case.json"
	dataFile       = "data.safetensors"
	parametersFile = "parameters.safetensors"
	gradientFile   = "gradient.safetensors"
)

// export writes the case into a folder for the peer: a model's parameters, the steps accepted with them, and the
// control matrices as lists of edges.
func (c *testCase) export(folder string, model *pengcde.Model, steps []pengcde.Steps) error {
	name, dtype := "float32", "F32"
	if c.Float64 {
		name, dtype = "float64", "F64"
	}
	ends, stops := make([][]float64, len(steps)), make([][]float64, len(steps))
	var arrays []safetensors.Tensor
	for b, w := range c.windows {
		s := w.Series
		ends[b], stops[b] = steps[b].Ends, append([]float64{}, steps[b].StepTo...)
		// Observations share the rows of their snapshots, and each row is written once.
		snapshots, index, numbers := [][]float64{}, []int{}, map[*float64]int{}
		for _, row := range s.Weights {
			at, found := numbers[&row[0]]
			if !found {
				at = len(snapshots)
				numbers[&row[0]], snapshots = at, append(snapshots, row)
			}
			index = append(index, at)
		}
		pattern, snapshots, err := c.config.Normalise.Apply(s.Pattern, snapshots)
		if err != nil {
			return fmt.Errorf("bench: %w", err)
		}
		named := func(what string) string { return fmt.Sprintf("%d.%s", b, what) }
		arrays = append(arrays, safetensors.FromInts(named("from"), pattern.From),
			safetensors.FromInts(named("to"), pattern.To), safetensors.FromInts(named("index"), index))
		times := slices.Clone(s.Times)
		floats.AddConst(-s.Times[0], times)
		for _, a := range []struct {
			what, dtype string
			shape       []int
			values      []float64
		}{
			{"snapshots", dtype, []int{len(snapshots), pattern.Edges()}, slices.Concat(snapshots...)},
			{"targets", dtype, []int{len(s.Targets), s.Nodes()}, slices.Concat(s.Targets...)},
			{"times", "F64", []int{len(times)}, times}, {"start", dtype, []int{s.Nodes()}, s.Features[0]},
		} {
			array, err := safetensors.FromFloats(named(a.what), a.dtype, a.shape, a.values)
			if err != nil {
				return fmt.Errorf("bench: %w", err)
			}
			arrays = append(arrays, array)
		}
	}
	// The tolerances, first step, decay and norm correspond to the zero values of ode.PID and train.AdamW.
	text, err := json.Marshal(map[string]any{"field": c.Field, "layers": layers, "parity": c.Published, "dtype": name,
		"rtol": 1e-3, "atol": 1e-6, "first_step": 0.01, "learning_rate": c.training.AdamW.LearningRate,
		"weight_decay": 1e-4, "clip": 1, "ends": ends, "stops": stops})
	err = errors.Join(err, os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, documentFile), text, 0o644),
		safetensors.Write(filepath.Join(folder, dataFile), nil, arrays))
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return model.Save(filepath.Join(folder, parametersFile))
}
