package field

import (
	"cmp"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// Form says what the tensors of a control are: [NewControl] makes it from their contents, and whatever is built for one
// form serves every control of that form. Forms compare with ==.
type Form struct {
	// GraphPath and FeaturePath are the samples' kinds of path, equal where there are no features.
	GraphPath, FeaturePath path.Kind
	// Graphs says how the snapshots lie in memory; Graphs.Nodes is the number n of nodes.
	Graphs equivariant.Form
	// Features is the number p of features of a node; 0 without.
	Features int
	// Clock says that the time channel has a clock of its own.
	Clock bool
	// Seeds is the number of models whose parameters are given at once, [S, dims...], each for its part of the batch;
	// 0, as NewControl leaves it, is one model. See [nn.Seeds].
	Seeds nn.Seeds
}

func (f Form) natural() bool { return f.GraphPath == path.Natural || f.FeaturePath == path.Natural }

// NewControl makes the tensors of a batch of samples, and says what they are. Samples may differ in times, graphs and
// values, not in the numbers of knots, snapshots, nodes and features.
//
// Where every snapshot of every sample is exactly symmetric, as the snapshots of undirected graphs are, the tensors
// hold both directions of an edge together, with the same results. So a batch in which one snapshot is not symmetric
// has another form; and the gradient with respect to the snapshots' tensor then gives derivatives by undirected edges,
// as differences of symmetric snapshots would, not by one direction alone.
//
// The dtype is the states' type, float32 or float64. Errors wrap [ErrInput]; errors about graphs wrap
// [dyngraph.ErrInvalid] too, and errors about knots and values the errors of package path.
func NewControl(dtype dtypes.DType, product equivariant.Product, samples []Sample) ([]*tensors.Tensor, Form, error) {
	if len(samples) == 0 {
		return nil, Form{}, invalid("control of no samples")
	}
	if dtype != dtypes.Float32 && dtype != dtypes.Float64 {
		return nil, Form{}, invalid("control in %s, want the float type of the states, float32 or float64", dtype)
	}
	samples = slices.Clone(samples)
	for b := range samples {
		s := &samples[b]
		s.GraphPath, s.FeaturePath = cmp.Or(s.GraphPath, path.Hermite), cmp.Or(s.FeaturePath, path.Hermite)
	}
	first := samples[0]
	form := Form{GraphPath: first.GraphPath, FeaturePath: first.GraphPath, Clock: first.Clock != nil}
	var patterns []*dyngraph.Pattern
	var capacity equivariant.NeighbourCapacity
	var knots [][]float64
	var snapshots [][][]float64
	for b, s := range samples {
		if err := s.agree(b, first); err != nil {
			return nil, Form{}, err
		}
		patterns, snapshots, knots = append(patterns, s.Pattern), append(snapshots, s.Snapshots), append(knots, s.Knots)
		capacity = capacity.With(s.Capacity)
	}
	if first.Features != nil {
		form.FeaturePath = first.FeaturePath
	}
	kind := form.GraphPath
	if form.natural() {
		kind = path.Natural
	}
	times, err := path.Knots(kind, knots)
	if err != nil {
		return nil, Form{}, errs.In("pengcde/field", err, ErrInput)
	}
	graphs, rows, tables, err := product.Snapshots(dtype, capacity, patterns, snapshots)
	if err != nil {
		return nil, Form{}, errs.In("pengcde/field", err, ErrInput)
	}
	form.Graphs = graphs
	var until, clock []float64
	var index []int32
	for b, s := range samples {
		if err := s.check(b, first); err != nil {
			return nil, Form{}, err
		}
		limit := math.Inf(1)
		if s.Hold {
			limit = s.end()
		}
		until = append(until, limit)
		for k := range s.Knots {
			index = append(index, int32(s.inForce(k)))
		}
		clock = append(clock, s.Clock...)
	}
	batch, count := len(samples), len(first.Knots)
	control := []*tensors.Tensor{
		times[0],
		host.Tensor(dtypes.Float64, until, batch),
		tensors.FromFlatDataAndDimensions(index, batch, count),
		rows,
	}
	if form.Clock {
		control = append(control, host.Tensor(dtypes.Float64, clock, batch, count))
	}
	if first.Features != nil {
		size := len(first.Features[0])
		form.Features = size / graphs.Nodes
		features := tensors.FromShape(shapes.Make(dtype, batch, count, graphs.Nodes, form.Features))
		for b, s := range samples {
			for k, row := range s.Features {
				host.Set(features, (b*count+k)*size, row)
			}
		}
		control = append(control, features)
	}
	return slices.Concat(control, times[1:], tables), form, nil
}
