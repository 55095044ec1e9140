package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Setting says which case is wanted.
type Setting struct {
	// Field is "peng", "original" or "pre-mult"; "" means "peng".
	Field string
	// Nodes are asked for; the grid has the next square number.
	Nodes int
	// Float64 computes in float64 in place of float32.
	Float64 bool
	// Published repeats the defects of the published code ([pengcde.Config].Parity): one map takes the total of A for that of A',
	// Pre-Mult starts from U(0, 1), and adaptive steps do not end beside changes of the graph.
	Published bool
	// Seed draws the data and the parameters.
	Seed uint64
	// Batch is the number of series in an optimiser step, for graphs whose states do not fit at once; 0 means all 4. The peer
	// takes all.
	Batch int
}

const (
	hidden, layers = 16, 2
	batchSize      = 4
	// stillRate is a learning rate that is lost to rounding: every epoch does the same work on the same parameters, so that
	// accepted steps stay those of the first.
	stillRate = 1e-12
)

// Case is one batch of training on the heat task: 4 graphs from a grid, at 80 observed times each, amplitude 1.
type Case struct {
	Setting
	// Config is that of the model; Series are what [pengcde.Model.Fit] trains on.
	Config pengcde.Config
	Series []*dyngraph.Series
	// Train makes an epoch one step of AdamW on all series, without validation, and so small that parameters stay what they are.
	// Its Epochs are to be set.
	Train train.Config
}

// NewCase generates a case.
func NewCase(ctx context.Context, s Setting) (*Case, error) {
	if s.Field == "" {
		s.Field = "peng"
	}
	// An event adds p n² edges: from 400 nodes on p falls, so that the degree does not grow with the graph.
	const probability, whole = 0.001, 400
	set, err := synthetic.Generate(ctx, synthetic.Config{
		Family: graphs.Grid{}, Task: synthetic.Heat, Amplitude: synthetic.Shipped, Nodes: s.Nodes, Graphs: batchSize, Seed: s.Seed,
		EventProbability: probability * math.Min(1, whole/float64(max(s.Nodes, 1))), AsPublished: s.Published,
	})
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	c := &Case{Setting: s}
	for b := range set.Trajectories {
		c.Series = append(c.Series, set.Trajectories[b].Series(set.Train, set.TrainingIndex(s.Published)))
	}
	c.Config = pengcde.Config{Nodes: c.Series[0].Nodes(), Features: 1, Hidden: hidden, Layers: layers,
		GraphOnly: true, LinearCoders: true, Adaptive: &ode.PID{}, Parity: s.Published, Float64: s.Float64, Seed: s.Seed}
	if s.Batch == 0 {
		c.Batch = batchSize
	}
	c.Train = train.Config{Epochs: 1, EvaluateEvery: -1, BatchSize: c.Batch, AdamW: train.AdamW{LearningRate: stillRate}}
	if c.Config.Field, err = c.field(); err != nil {
		return nil, err
	}
	return c, nil
}

// windows are the whole series.
func (c *Case) windows() []dyngraph.Window {
	windows := make([]dyngraph.Window, len(c.Series))
	for i, s := range c.Series {
		windows[i] = s.Whole()
	}
	return windows
}

// field is the vector field of the model.
func (c *Case) field() (field.Field, error) {
	switch c.Field {
	case "peng":
		return field.PENG{Hidden: hidden, Layers: layers, Parity: c.Published}, nil
	case "original":
		return field.Original{Hidden: hidden, Layers: layers}, nil
	case "pre-mult":
		return field.PreMult{Hidden: hidden, Layers: layers, Nodes: c.Config.Nodes, Parity: c.Published}, nil
	}
	return nil, fmt.Errorf("bench: the peer has no field %q, want %q, %q or %q: %w",
		c.Field, "peng", "original", "pre-mult", pengcde.ErrInput)
}

// samples are the controls of the series, as the model makes them.
func (c *Case) samples() ([]field.Sample, error) {
	samples := make([]field.Sample, len(c.Series))
	for b, s := range c.Series {
		// Observations share the rows of their snapshots, so each distinct row is normalised once.
		var distinct [][]float64
		var index []int
		for _, row := range s.Weights {
			same := func(other []float64) bool { return &row[0] == &other[0] }
			at := slices.IndexFunc(distinct, same)
			if at < 0 {
				at = len(distinct)
				distinct = append(distinct, row)
			}
			index = append(index, at)
		}
		pattern, snapshots, err := c.Config.Normalise.Apply(s.Pattern, distinct)
		if err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
		samples[b] = field.Sample{Pattern: pattern, Snapshots: snapshots, Index: index}
		for _, t := range s.Times {
			samples[b].Knots = append(samples[b].Knots, t-s.Times[0])
		}
	}
	snapshots := 0
	for _, s := range samples {
		snapshots = max(snapshots, len(s.Snapshots))
	}
	for b := range samples { // a control has as many snapshots in every sample
		for s := &samples[b]; len(s.Snapshots) < snapshots; {
			s.Snapshots = append(s.Snapshots, s.Snapshots[0])
		}
	}
	return samples, nil
}

// stops are the times of a sample that the model's adaptive steps end on.
func (c *Case) stops(s field.Sample) []float64 {
	if c.Published {
		return []float64{}
	}
	return s.Changes()
}
