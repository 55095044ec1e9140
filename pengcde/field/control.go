package field

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// NewControl makes the tensors of a batch of samples, which [Bind] takes back as nodes. Samples may differ in times,
// graphs and values, not in the numbers of knots, snapshots, nodes and features.
//
// Where every snapshot of every sample is exactly symmetric, as those of undirected graphs are, the tensors hold both
// directions of an edge together, in 0.57 of the bytes for 8 snapshots with 16 neighbours, with the same results
// ([equivariant.Layout.Fit]). So a batch in which one snapshot is not has tensors of other shapes, for which programs are
// compiled again; and the gradient with respect to the snapshots' tensor then gives derivatives by undirected edges, as
// differences of symmetric snapshots would, not by one direction alone.
//
// The dtype is that of the states, float32 or float64. Errors wrap [ErrInput], those about graphs
// [dyngraph.ErrInvalid] too, and those about knots and values the errors of package path.
func NewControl(dtype dtypes.DType, product equivariant.Product, samples []Sample) ([]*tensors.Tensor, error) {
	if len(samples) == 0 {
		return nil, invalid("control of no samples")
	}
	if dtype != dtypes.Float32 && dtype != dtypes.Float64 {
		return nil, invalid("control in %s, want the float type of the states, float32 or float64", dtype)
	}
	first := samples[0]
	var patterns []*dyngraph.Pattern
	var times [][]float64
	var snapshots [][][]float64
	samples = slices.Clone(samples)
	for b, s := range samples {
		if err := s.check(b, first); err != nil {
			return nil, err
		}
		if s.Features != nil {
			filled, err := path.Fill(s.FeaturePath, s.Mask, s.Knots, s.Features, s.Pattern.Nodes)
			if err != nil {
				return nil, errs.In(fmt.Sprintf("pengcde/field: sample %d", b), err, ErrInput)
			}
			samples[b].Features = filled
		}
		patterns, snapshots, times = append(patterns, s.Pattern), append(snapshots, s.Snapshots), append(times, s.Knots)
	}
	first = samples[0]
	kind := first.GraphPath
	if first.FeaturePath == path.Natural {
		kind = path.Natural
	}
	knots, err := path.Knots(kind, times)
	if err != nil {
		return nil, errs.In("pengcde/field", err, ErrInput)
	}
	layout, err := product.Layout(patterns)
	if err != nil {
		return nil, errs.In("pengcde/field", err, ErrInput)
	}
	layout = layout.Fit(snapshots)
	rows, err := layout.Rows(dtype, snapshots)
	if err != nil {
		return nil, errs.In("pengcde/field", err, ErrInput)
	}
	var until, clock, features []float64
	var index []int32
	for _, s := range samples {
		limit := math.Inf(1)
		if s.Hold {
			limit = s.end()
		}
		until = append(until, limit)
		for k := range s.Knots {
			index = append(index, int32(s.inForce(k)))
		}
		clock = append(clock, s.Clock...)
		for _, row := range s.Features {
			features = append(features, row...)
		}
	}
	batch, count, n := len(samples), len(first.Knots), first.Pattern.Nodes
	control := []*tensors.Tensor{
		knots,
		nn.Tensor(dtypes.Float64, until, batch),
		tensors.FromFlatDataAndDimensions(index, batch, count),
		rows,
	}
	if clock != nil {
		control = append(control, nn.Tensor(dtypes.Float64, clock, batch, count))
	}
	if features != nil {
		control = append(control, nn.Tensor(dtype, features, batch, count, n, len(first.Features[0])/n))
	}
	control = append(control, layout.Tables()...)
	// What is joined how must be known while a graph is built, so it is the shape of a tensor, not its content.
	named := []int{1 + int(first.GraphPath), 1 + int(first.FeaturePath), n}
	return append(control, tensors.FromFlatDataAndDimensions(make([]int32, named[0]*named[1]*n), named...)), nil
}

// Control is a batch's paths of graphs and features, while a graph is built.
type Control struct {
	knots, until, index, rows *Node
	clock, features           *Node // nil without
	graphPath, featurePath    path.Kind
	nodes                     int
	operator                  equivariant.Operator
	side                      *Node // from which it is looked at; nil where that does not matter
}

// From is the control as it is seen from a side, as [ode.Piecewise] has it: a time on a knot then belongs to the interval on
// that side.
func (c *Control) From(side *Node) *Control {
	seen := *c
	seen.side = side
	return &seen
}

// Bind takes the nodes of the tensors of [NewControl], all and in their order; it panics on others.
func Bind(nodes []*Node) *Control {
	if last := len(nodes) - 1; last < 5 || nodes[3].Rank() != 3 || nodes[last].Rank() != 3 {
		panic(invalid("control of %d nodes, want those of all tensors of NewControl in their order: "+
			"do they follow the parameters among the args?", len(nodes)))
	}
	c := &Control{knots: nodes[0], until: nodes[1], index: nodes[2], rows: nodes[3]}
	tables, named := nodes[4:len(nodes)-1], nodes[len(nodes)-1].Shape().Dimensions
	c.graphPath, c.featurePath, c.nodes = path.Kind(named[0]-1), path.Kind(named[1]-1), named[2]
	for len(tables) > 0 && tables[0].DType().IsFloat() {
		if tables[0].Rank() == 2 {
			c.clock = tables[0]
		} else {
			c.features = tables[0]
		}
		tables = tables[1:]
	}
	c.operator = equivariant.BindOperator(tables)
	return c
}

// fits panics unless states at t [batch] are of as many samples and nodes as the control: a product by lists of neighbours
// would not notice.
func (c *Control) fits(t *Node, n int) {
	if got, want := t.Shape().Dim(0), c.knots.Shape().Dim(0); got != want {
		panic(invalid("states of %d samples, want the %d of the control", got, want))
	}
	if n != c.nodes {
		panic(invalid("states of %d nodes, want the %d of the control's graph", n, c.nodes))
	}
}

// at interpolates the control at t [batch] for a field that takes p features of n nodes.
func (c *Control) at(t *Node, n, p int) signal {
	c.fits(t, n)
	until := Min(t, c.until)
	moving := c.moving(t)
	interval := path.Locate(c.graphPath, c.knots, until, c.side).Still(moving)
	s := signal{operator: c.operator, nodes: n, features: p, rate: c.rate(t)}
	s.a, s.da = interval.Snapshots(c.rows, c.index)
	if p == 0 {
		return s
	}
	if got := c.Features(); got != p {
		panic(invalid("the field takes %d node features, the control has %d", p, got))
	}
	if c.featurePath != c.graphPath {
		interval = path.Locate(c.featurePath, c.knots, until, c.side).Still(moving)
	}
	_, s.dx = interval.Eval(c.features)
	return s
}

// moving says where the paths are not held yet at t [batch].
func (c *Control) moving(t *Node) *Node {
	moving := LessThan(t, c.until)
	if c.side == nil {
		return moving
	}
	return Where(c.on(Sub(t, c.until)), LessThan(c.side, ZerosLike(c.side)), moving)
}

// on says where a border at some distance [batch, ...] from the time is the one that the side is of.
func (c *Control) on(distance *Node) *Node {
	side := c.side
	for side.Rank() < distance.Rank() {
		side = ExpandAxes(side, -1)
	}
	side = BroadcastToDims(side, distance.Shape().Dimensions...)
	return LogicalAnd(NotEqual(side, ZerosLike(side)), LessOrEqual(Abs(distance), Abs(side)))
}

// rate is the derivative of the time channel at t [batch], [batch] float64; nil where it is 1.
func (c *Control) rate(t *Node) *Node {
	switch {
	case c.clock != nil:
		_, rate := path.Locate(path.Hermite, c.knots, Min(t, c.until), c.side).Eval(c.clock)
		return rate
	case c.graphPath == path.Rectilinear:
		rate := path.Locate(c.graphPath, c.knots, t, c.side).Clock
		return Where(c.moving(t), rate, OnesLike(rate)) // held, time goes on
	}
	return nil
}

// latest is the snapshot of the last knot at or before t [batch] (before it, seen from earlier times), of the first where there
// is none; or that of the snapshot before it, for back = 1. There is no derivative.
func (c *Control) latest(t *Node, n, back int) signal {
	c.fits(t, n)
	knots := c.knots
	if knots.Rank() == 3 { // with what a spline needs behind them
		knots = Squeeze(Slice(knots, AxisRange(), AxisRange(), AxisElem(0)), 2)
	}
	ahead := ExpandAxes(t, -1)
	reached := LessOrEqual(knots, ahead)
	if c.side != nil {
		distance := Sub(BroadcastToDims(ahead, knots.Shape().Dimensions...), knots)
		late := GreaterThan(ExpandAxes(c.side, -1), ScalarZero(t.Graph(), t.DType()))
		reached = Where(c.on(distance), BroadcastToDims(late, knots.Shape().Dimensions...), reached)
	}
	k := AddScalar(ReduceSum(ConvertDType(reached, dtypes.Int32), -1), -1)
	k = Max(k, ZerosLike(k)) // [batch]
	index := c.index
	if back > 0 {
		index = AddScalar(index, -back)
		index = Max(index, ZerosLike(index))
	}
	batch := knots.Shape().Dimensions[0]
	constant := path.Interval{Knots: Stack([]*Node{k, k, k}, 1), Weights: Zeros(t.Graph(), shapes.Make(dtypes.Float64, batch, 2, 2))}
	s := signal{operator: c.operator, nodes: n, rate: c.rate(t)}
	s.a, _ = constant.Snapshots(c.rows, index)
	return s
}
