package field

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// Sample is what one sample of a batch was observed to be.
type Sample struct {
	// Knots [T] are the times of observation, increasing strictly.
	Knots []float64
	// Pattern has the edges; Snapshots [J][edges] are control weights on it, see [dyngraph.Normalisation].
	Pattern   *dyngraph.Pattern
	Snapshots [][]float64
	// Index [T] names the snapshot in force at each knot; nil: snapshot k at knot k.
	Index []int
	// Features [T][n*p] at the knots, row-major by node; nil for fields without. NaN is a missing value, see [path.Fill].
	Features [][]float64
	// Mask adds channels to the features that say where they were observed: the field then takes [path.Mask.Width] of them.
	Mask path.Mask
	// GraphPath and FeaturePath say how snapshots and features are joined; all samples of a batch agree. Where one is
	// Rectilinear the other is too: time then runs along the axis of [path.Lengthen], and a field's own time channel with it.
	GraphPath, FeaturePath path.Kind
	// Hold keeps graph and features at their last values from the last knot on, where the path would go on with its last
	// polynomial.
	Hold bool
}

// NewControl makes the tensors of a batch of samples, which [Bind] takes back as nodes. Samples may differ in times,
// graphs and values, not in the numbers of knots, snapshots, nodes and features.
func NewControl(dtype dtypes.DType, product equivariant.Product, samples []Sample) ([]*tensors.Tensor, error) {
	if len(samples) == 0 {
		return nil, fmt.Errorf("pengcde/field: control of no samples: %w", dyngraph.ErrInvalid)
	}
	first := samples[0]
	var patterns []*dyngraph.Pattern
	var times [][]float64
	samples = slices.Clone(samples)
	for b, s := range samples {
		if err := s.check(b, first); err != nil {
			return nil, err
		}
		if s.Features != nil {
			filled, err := path.Fill(s.FeaturePath, s.Mask, s.Knots, s.Features, s.Pattern.Nodes)
			if err != nil {
				return nil, fmt.Errorf("pengcde/field: sample %d: %w", b, err)
			}
			samples[b].Features = filled
		}
		patterns, times = append(patterns, s.Pattern), append(times, s.Knots)
	}
	first = samples[0]
	kind := first.GraphPath
	if first.FeaturePath == path.Natural {
		kind = path.Natural
	}
	knots, err := path.Knots(kind, times)
	if err != nil {
		return nil, fmt.Errorf("pengcde/field: %w", err)
	}
	layout, err := product.Layout(patterns)
	if err != nil {
		return nil, fmt.Errorf("pengcde/field: %w", err)
	}
	var until, rows, features []float64
	var index []int32
	for b, s := range samples {
		limit := math.Inf(1)
		if s.Hold {
			limit = s.end()
		}
		until = append(until, limit)
		for _, weights := range s.Snapshots {
			rows = append(rows, layout.Row(b, weights)...)
		}
		for k := range s.Knots {
			index = append(index, int32(s.inForce(k)))
		}
		for _, row := range s.Features {
			features = append(features, row...)
		}
	}
	batch, count, n := len(samples), len(first.Knots), first.Pattern.Nodes
	control := []*tensors.Tensor{
		knots,
		nn.Tensor(dtypes.Float64, until, batch),
		tensors.FromFlatDataAndDimensions(index, batch, count),
		nn.Tensor(dtype, rows, batch, len(first.Snapshots), layout.Width()),
	}
	if features != nil {
		control = append(control, nn.Tensor(dtype, features, batch, count, n, len(first.Features[0])/n))
	}
	control = append(control, layout.Tables()...)
	// What is joined how must be known while a graph is built, so it is the shape of a tensor, not its content.
	named := []int{1 + int(first.GraphPath), 1 + int(first.FeaturePath)}
	return append(control, tensors.FromFlatDataAndDimensions(make([]int32, named[0]*named[1]), named...)), nil
}

// end is the last knot's place on the axis that the paths run along.
func (s Sample) end() float64 {
	last := s.Knots[len(s.Knots)-1]
	if s.GraphPath == path.Rectilinear {
		return path.Lengthen(s.Knots, []float64{last})[0]
	}
	return last
}

func (s Sample) inForce(knot int) int {
	if s.Index == nil {
		return knot
	}
	return s.Index[knot]
}

// check finds what is wrong with sample b, or how its shape differs from the first's.
func (s Sample) check(b int, first Sample) error {
	invalid := func(format string, args ...any) error {
		return fmt.Errorf("pengcde/field: sample %d: %s: %w", b, fmt.Sprintf(format, args...), dyngraph.ErrInvalid)
	}
	if err := path.CheckKnots(s.Knots); err != nil {
		return fmt.Errorf("pengcde/field: sample %d: %w", b, err)
	}
	if err := errors.Join(s.GraphPath.Check(), s.FeaturePath.Check(), s.Mask.Check()); err != nil {
		return fmt.Errorf("pengcde/field: sample %d: %w", b, err)
	}
	switch {
	case s.GraphPath != first.GraphPath || s.FeaturePath != first.FeaturePath || s.Mask != first.Mask:
		return invalid("paths %v and %v and mask %v, sample 0 has %v, %v and %v", s.GraphPath, s.FeaturePath, s.Mask, first.GraphPath, first.FeaturePath, first.Mask)
	case s.Features != nil && s.GraphPath != s.FeaturePath && (s.GraphPath == path.Rectilinear || s.FeaturePath == path.Rectilinear):
		return invalid("a %v path of graphs and a %v one of features, but a rectilinear path has a time axis of its own: choose it for both", s.GraphPath, s.FeaturePath)
	case len(s.Knots) != len(first.Knots) || len(s.Snapshots) != len(first.Snapshots):
		return invalid("%d knots and %d snapshots, sample 0 has %d and %d", len(s.Knots), len(s.Snapshots), len(first.Knots), len(first.Snapshots))
	case s.Index == nil && len(s.Snapshots) != len(s.Knots), s.Index != nil && len(s.Index) != len(s.Knots):
		return invalid("%d knots, %d snapshots, %d indices: want an index for each knot, or as many snapshots as knots", len(s.Knots), len(s.Snapshots), len(s.Index))
	case s.Features != nil && len(s.Features) != len(s.Knots), (s.Features == nil) != (first.Features == nil):
		return invalid("features at %d of %d knots, sample 0 has %d", len(s.Features), len(s.Knots), len(first.Features))
	case s.Pattern == nil || len(s.Snapshots) == 0:
		return invalid("no graph")
	case s.Pattern.Nodes != first.Pattern.Nodes:
		return invalid("%d nodes, sample 0 has %d: put graphs of other sizes in batches of their own", s.Pattern.Nodes, first.Pattern.Nodes)
	}
	for k := range s.Knots {
		if j := s.inForce(k); j < 0 || j >= len(s.Snapshots) {
			return invalid("knot %d names snapshot %d of %d", k, j, len(s.Snapshots))
		}
	}
	for j, weights := range s.Snapshots {
		if len(weights) != s.Pattern.Edges() {
			return invalid("snapshot %d has %d weights, its pattern %d edges", j, len(weights), s.Pattern.Edges())
		}
	}
	for k, row := range s.Features {
		if len(row) != len(first.Features[0]) || len(row) == 0 || len(row)%s.Pattern.Nodes != 0 {
			return invalid("knot %d has %d feature entries, want as many as sample 0, %d, a multiple of %d nodes", k, len(row), len(first.Features[0]), s.Pattern.Nodes)
		}
	}
	return nil
}

// Control is a batch's paths of graphs and features, while a graph is built.
type Control struct {
	knots, until, index, rows *Node
	features                  *Node // nil without
	graphPath, featurePath    path.Kind
	operator                  equivariant.Operator
}

// Bind takes the nodes of the tensors of [NewControl].
func Bind(nodes []*Node) *Control {
	c := &Control{knots: nodes[0], until: nodes[1], index: nodes[2], rows: nodes[3]}
	tables, named := nodes[4:len(nodes)-1], nodes[len(nodes)-1].Shape().Dimensions
	c.graphPath, c.featurePath = path.Kind(named[0]-1), path.Kind(named[1]-1)
	if len(tables) > 0 && tables[0].DType().IsFloat() {
		c.features, tables = tables[0], tables[1:]
	}
	c.operator = equivariant.BindOperator(tables)
	return c
}

// at is the pair A, A' and, for p > 0 features, dX/dt [batch, n, p], at t [batch].
func (c *Control) at(t *Node, n, p int) (pair *equivariant.Pair, dx *Node) {
	until := Min(t, c.until)
	interval := path.Locate(c.graphPath, c.knots, until)
	moving := LessThan(t, c.until) // where not held
	still := func(x *Node) *Node {
		mask := ConvertDType(moving, x.DType())
		for mask.Rank() < x.Rank() {
			mask = ExpandAxes(mask, -1)
		}
		return Mul(x, mask)
	}
	a, da := interval.Snapshots(c.rows, c.index)
	pair = equivariant.NewPair(c.operator, a, still(da), n)
	if p == 0 {
		return pair, nil
	}
	if c.features == nil {
		panic(fmt.Errorf("pengcde/field: the field takes %d node features, the control has none", p))
	}
	c.features.AssertDims(-1, -1, n, p)
	if c.featurePath != c.graphPath {
		interval = path.Locate(c.featurePath, c.knots, until)
	}
	_, dx = interval.Eval(c.features)
	return pair, still(dx)
}
