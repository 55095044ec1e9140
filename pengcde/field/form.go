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

// Form describes the tensors of a control. [NewControl] computes it from their contents. Programs built for one form
// serve every control of that form. Forms can be compared with ==.
type Form struct {
	// GraphPath and FeaturePath are the kinds of path of the samples, equal if there are no features.
	GraphPath, FeaturePath path.Kind
	// Graphs describes how the snapshots are stored in memory; Graphs.Nodes is the number n of nodes.
	Graphs equivariant.Form
	// Features is the number p of features of a node; 0 if there are none.
	Features int
	// Clock reports that the time channel has its own clock.
	Clock bool
	// Present reports that nodes appear or leave in a sample.
	Present bool
	// Seeds is the number of models whose parameters are given at once, [S, dims...], each for its part of the batch.
	// 0, as set by NewControl, means one model. See [nn.Seeds].
	Seeds nn.Seeds
}

func (f Form) natural() bool { return f.GraphPath == path.Natural || f.FeaturePath == path.Natural }

// NewControl returns the tensors of a batch of samples and their form. Samples may differ in times, graphs and values,
// but not in the numbers of knots, snapshots, nodes and features.
//
// If every snapshot of every sample is exactly symmetric, like the snapshots of undirected graphs, the tensors store
// both directions of an edge together, with the same results. So a batch with a snapshot that is not symmetric has
// another form. The gradient with respect to the snapshots' tensor is then the derivative with respect to undirected
// edges, as in differences of symmetric snapshots, not with respect to one direction.
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
	form := Form{GraphPath: first.GraphPath, FeaturePath: first.GraphPath, Clock: first.Clock != nil,
		Present: slices.ContainsFunc(samples, func(s Sample) bool { return s.Present != nil })}
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
	if form.Present {
		control = append(control, presence(dtype, samples, count, graphs.Nodes))
	}
	return slices.Concat(control, times[1:], tables), form, nil
}

// presence returns 1 for each present node, else 0: [batch, T, n, 1].
func presence(dtype dtypes.DType, samples []Sample, knots, nodes int) *tensors.Tensor {
	present := make([]float64, 0, len(samples)*knots*nodes)
	for _, s := range samples {
		if s.Present == nil {
			present = append(present, slices.Repeat([]float64{1}, knots*nodes)...)
		}
		for _, row := range s.Present {
			present = append(present, host.Bits(row)...)
		}
	}
	return host.Tensor(dtype, present, len(samples), knots, nodes, 1)
}
