package field

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// Control holds a batch's paths of graphs and features while a graph is built.
type Control struct {
	form               Form
	knots              []*Node
	until, index, rows *Node
	clock, features    *Node // nil if there is none
	present            *Node // [batch, T, n, 1], 1 for present nodes, else 0; nil if all are present
	tables             []*Node
	side               *Node // the side from which knots are evaluated, see From; nil if it does not matter
	columns            *Node // [n, p], the matrix that maps rows of A to features, see [Rows]; nil if there is none
}

// From returns the control evaluated from one side, as in [ode.Piecewise]: a time on a knot then belongs to the
// interval on that side.
func (c *Control) From(side *Node) *Control {
	seen := *c
	seen.side = side
	return &seen
}

// Control returns the control for the nodes of all tensors of [NewControl], in their order; it panics on other nodes.
func (f Form) Control(nodes []*Node) *Control {
	c := &Control{form: f}
	next := func(wanted bool) *Node {
		if !wanted {
			return nil
		}
		if len(nodes) == 0 {
			panic(invalid("a control without all tensors of NewControl: do they follow the parameters among the args?"))
		}
		node := nodes[0]
		nodes = nodes[1:]
		return node
	}
	c.knots = []*Node{next(true)}
	c.until, c.index, c.rows, c.clock, c.features = next(true), next(true), next(true), next(f.Clock), next(f.Features > 0)
	c.present = next(f.Present)
	if f.natural() {
		c.knots = append(c.knots, next(true))
	}
	next(len(nodes) == 0) // at least one table
	c.tables = nodes
	return c
}

// fits panics unless states z are [batch, n, hidden] with the batch size, nodes and float type of the control: a
// product by lists of neighbours would not notice a mismatch.
func (c *Control) fits(z *Node) {
	batch, n := c.rows.Shape().Dim(0), c.form.Graphs.Nodes
	if s := z.Shape(); s.Rank() != 3 || s.Dim(0) != batch || s.Dim(1) != n || s.DType != c.rows.DType() {
		panic(invalid("states of shape %s, want %s [%d, %d, hidden] for the control: give NewControl the float type "+
			"of the states", s, c.rows.DType(), batch, n))
	}
}

// At returns the control at t [batch] for a custom field: A, A', and the derivative dX/dt [batch, n, p] of the
// features, which is nil if there are no features. Steps should end where the graph changes, see [Sample.Changes].
// Absent nodes have dX/dt 0, and A and A' multiply the states of present nodes alone, see [equivariant.Matrix.Masked].
func (c *Control) At(t *Node) (a, da *equivariant.Matrix, dx *Node) {
	s := c.at(t, c.width())
	return s.a, s.da, s.dx
}

// width returns the number of features of a node; 0 if there are none.
func (c *Control) width() int {
	if c.columns != nil {
		return c.columns.Shape().Dim(1)
	}
	return c.form.Features
}

// Part returns the control of count observations from first on, an int32 scalar: their [Control.Times],
// [Control.Features] and [Control.Graph].
func (c *Control) Part(first *Node, count int) *Control {
	part := *c
	cut := func(x *Node) *Node {
		if x == nil {
			return nil
		}
		at := Add(Iota(first.Graph(), shapes.Make(first.DType(), count, 1), 0), first)
		return Transpose(Gather(Transpose(x, 0, 1), at), 0, 1) // the Go backend has no DynamicSlice
	}
	part.knots = []*Node{cut(c.knots[0])}
	part.index, part.features, part.present = cut(c.index), cut(c.features), cut(c.present)
	return &part
}

// Times returns the times of the observations, [batch, T] float64.
func (c *Control) Times() *Node { return c.knots[0] }

// Features returns the observed features, [batch, T, n, p]; nil if there are none.
func (c *Control) Features() *Node { return c.features }

// Present returns 1 for each node that is present at an observation, else 0: [batch, T, n, 1]; nil if all are present.
func (c *Control) Present() *Node { return c.present }

// Graph returns the matrix A of an observation, 0 to T-1, without interpolation. It serves networks in discrete steps.
func (c *Control) Graph(observation int) *equivariant.Matrix {
	shape := c.rows.Shape()
	if count := c.index.Shape().Dim(1); observation < 0 || observation >= count {
		panic(invalid("graph of observation %d, want 0 to %d", observation, count-1))
	}
	batch, snapshots := shape.Dim(0), shape.Dim(1)
	at := Slice(c.index, AxisRange(), AxisElem(observation)) // [batch, 1]
	at = Add(at, MulScalar(Iota(at.Graph(), at.Shape(), 0), snapshots))
	rows := Gather(Reshape(c.rows, batch*snapshots, shape.Dim(2)), at)
	return c.form.Graphs.Matrix(rows, c.tables)
}

// at interpolates the control at t [batch] for a field that takes p node features.
func (c *Control) at(t *Node, p int) signal {
	until := Min(t, c.until)
	moving := c.moving(t)
	interval := path.Locate(c.form.GraphPath, c.knots, until, c.side).Freeze(moving)
	s := signal{rate: c.Rate(t), present: c.presentAt(t)}
	s.a, s.da = c.form.Graphs.Along(interval, c.rows, c.index, c.tables)
	s.a, s.da = s.a.Masked(s.present), s.da.Masked(s.present)
	if p == 0 {
		return s
	}
	if c.width() != p {
		panic(invalid("the field takes %d node features, the control has %d", p, c.width()))
	}
	if c.columns != nil {
		s.dx = equivariant.Mask(s.present, s.da.Times(c.columns))
		return s
	}
	if c.form.FeaturePath != c.form.GraphPath {
		interval = path.Locate(c.form.FeaturePath, c.knots, until, c.side).Freeze(moving)
	}
	_, dx := interval.Eval(c.features)
	s.dx = equivariant.Mask(s.present, dx)
	return s
}

// matrix returns the matrix of rows [batch, width], masked by present [batch, n, 1].
func (c *Control) matrix(rows, present *Node) *equivariant.Matrix {
	return c.form.Graphs.Matrix(rows, c.tables).Masked(present)
}

// presentAt returns the presence at the last knot up to t, see reached: [batch, n, 1]; nil if all nodes are present.
func (c *Control) presentAt(t *Node) *Node {
	if c.present == nil {
		return nil
	}
	dims := c.present.Shape().Dimensions // [batch, T, n, 1]
	at := ExpandAxes(c.reached(t), -1)
	at = Add(at, MulScalar(Iota(at.Graph(), at.Shape(), 0), dims[1]))
	return Gather(Reshape(c.present, dims[0]*dims[1], dims[2], 1), at)
}

// moving marks the samples whose paths are not held yet at t [batch].
func (c *Control) moving(t *Node) *Node {
	moving := LessThan(t, c.until)
	if c.side == nil {
		return moving
	}
	return Where(c.on(Sub(t, c.until)), LessThan(c.side, ZerosLike(c.side)), moving)
}

// on marks the borders, at the given distances [batch, ...] from the time, that coincide with the knot of the current
// side.
func (c *Control) on(distance *Node) *Node {
	side := c.side
	for side.Rank() < distance.Rank() {
		side = ExpandAxes(side, -1)
	}
	side = BroadcastToDims(side, distance.Shape().Dimensions...)
	return LogicalAnd(NotEqual(side, ZerosLike(side)), LessOrEqual(Abs(distance), Abs(side)))
}

// Rate returns the derivative of the time channel at t [batch], [batch] float64; nil if it is 1.
func (c *Control) Rate(t *Node) *Node {
	switch {
	case c.clock != nil:
		kind := path.Hermite
		if c.form.GraphPath == path.Linear {
			kind = path.Linear
		}
		_, rate := path.Locate(kind, c.knots, Min(t, c.until), c.side).Eval(c.clock)
		return rate
	case c.form.GraphPath == path.Rectilinear:
		rate := path.Locate(c.form.GraphPath, c.knots, t, c.side).Clock
		return Where(c.moving(t), rate, OnesLike(rate)) // time goes on while the paths are held
	}
	return nil
}

// reached returns the last knot at or before t [batch], or strictly before it if evaluated from earlier times: [batch]
// int32. Before the first knot it is the first.
func (c *Control) reached(t *Node) *Node {
	knots := c.knots[0]
	ahead := ExpandAxes(t, -1)
	reached := LessOrEqual(knots, ahead)
	if c.side != nil {
		distance := Sub(BroadcastToDims(ahead, knots.Shape().Dimensions...), knots)
		late := GreaterThan(ExpandAxes(c.side, -1), ScalarZero(t.Graph(), t.DType()))
		reached = Where(c.on(distance), BroadcastToDims(late, knots.Shape().Dimensions...), reached)
	}
	k := AddScalar(ReduceSum(ConvertDType(reached, dtypes.Int32), -1), -1)
	return Max(k, ZerosLike(k))
}

// latest returns the snapshot of the last knot up to t [batch], see reached. With lag it returns the snapshot before
// that one. The signal has no derivative.
func (c *Control) latest(t *Node, lag bool) signal {
	k, index := c.reached(t), c.index
	if lag {
		index = Max(AddScalar(index, -1), ZerosLike(index))
	}
	batch := k.Shape().Dim(0)
	constant := path.Interval{Knots: Stack([]*Node{k, k, k}, 1),
		Weights: Zeros(t.Graph(), shapes.Make(dtypes.Float64, batch, 2, 2))}
	a, _ := constant.Snapshots(c.rows, index)
	present := c.presentAt(t)
	return signal{rate: c.Rate(t), a: c.matrix(a, present), present: present}
}
