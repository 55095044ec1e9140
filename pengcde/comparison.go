package pengcde

import (
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// comparison is how what a network gives for each node is compared with targets.
type comparison struct {
	summed   bool // whether a forecast is the sum over nodes
	pairwise bool // whether the loss compares every node's forecast with every node's target
	classes  bool // whether forecasts are logits of classes, and targets 1 for the class and 0 for the others
}

func (c Config) comparison() comparison {
	published := c.Parity && !c.GraphOnly
	pairwise := published && traits(c.Field).Pairwise
	return comparison{summed: c.Output.ofGraph() || published && !pairwise, pairwise: pairwise, classes: c.Output == Class}
}

// forecasts turns the nodes' forecasts [B, S, n, q] into the compared ones: [B, S, 1, q] where they are summed.
func (c comparison) forecasts(y *Node) *Node {
	if c.summed {
		return ReduceAndKeep(y, ReduceSum, 2)
	}
	return y
}

// met are what forecasts of a batch are compared with, as a program's inputs: targets [B, S, rows, q], weights [B, S]
// and, where targets are missing, the share of each in the mean over its time, [B, S, rows, q].
func (b *batch) met() []*tensors.Tensor {
	if b.share == nil {
		return []*tensors.Tensor{b.target, b.weight}
	}
	return []*tensors.Tensor{b.target, b.weight, b.share}
}

// loss compares forecasts [B, S, rows, q] with the nodes of [batch.met]. It is the mean by weight over samples and save
// times of each one's mean square over its rows, of nodes or of the graph, or of its cross-entropy of classes; for a
// batch of several seeds one loss per seed, [seeds].
func (c comparison) loss(y *Node, met []*Node, seeds nn.Seeds) *Node {
	target, weight := met[0], met[1]
	var each *Node // [B, S]
	if c.classes {
		each = Neg(ReduceSum(Mul(target, LogSoftmax(y)), 2, 3))
	} else if len(met) > 2 {
		each = ReduceSum(Mul(met[2], c.squares(y, target)), 2, 3)
	} else if c.pairwise {
		mean := func(x *Node) *Node { return ReduceMean(x, 2) }
		cross := MulScalar(Mul(mean(y), mean(target)), 2.0)
		each = ReduceMean(Sub(Add(mean(Square(y)), mean(Square(target))), cross), 2)
	} else {
		each = ReduceMean(Square(Sub(y, target)), 2, 3)
	}
	if seeds > 0 {
		sum := func(x *Node) *Node { return ReduceSum(seeds.Split(x), 1, 2) }
		return Div(sum(Mul(each, weight)), sum(weight))
	}
	return Div(ReduceAllSum(Mul(each, weight)), ReduceAllSum(weight))
}

// squares is what each target [B, S, rows, q] contributes to the loss.
func (c comparison) squares(y, target *Node) *Node {
	if !c.pairwise {
		return Square(Sub(y, target))
	}
	mean := func(x *Node) *Node { return ReduceAndKeep(x, ReduceMean, 2) } // over the forecasts
	return Add(Sub(mean(Square(y)), MulScalar(Mul(mean(y), target), 2.0)), Square(target))
}

// checkClasses wants, for Output Class, windows of every class, each of which has one.
func (m *Model) checkClasses(windows []dyngraph.Window) error {
	if m.config.Output != Class {
		return nil
	}
	seen := make([]float64, m.config.Outputs)
	for _, w := range windows {
		row, err := m.class(w)
		if err != nil {
			return err
		}
		floats.Add(seen, row)
	}
	if missing := slices.Index(seen, 0); missing >= 0 {
		return invalid("no window of class %d for training, want some of each class from 0 to %d, as Config.Outputs is %d",
			missing, len(seen)-1, len(seen))
	}
	return nil
}

// class is the target of a window whose class is known, [outputs]: 1 for its class, 0 for the others.
func (m *Model) class(w dyngraph.Window) ([]float64, error) {
	rows := w.GraphTargets()
	if rows == nil || w.Series.TargetSize != 1 {
		return nil, invalid("window at snapshot %d of series %q has %d targets of the graph at %d times, want its class as "+
			"the only one: Series.GraphTargets with TargetSize 1", w.Start, w.Series.Name, w.Series.TargetSize, len(rows))
	}
	class, outputs := rows[len(rows)-1][0], m.config.Outputs
	switch {
	case math.IsNaN(class):
		return nil, invalid("window at snapshot %d of series %q has no class, its target of the graph at snapshot %d is "+
			"NaN: leave it out", w.Start, w.Series.Name, w.Last())
	case class != math.Trunc(class) || class < 0 || class >= float64(outputs):
		return nil, invalid("window at snapshot %d of series %q has class %g at snapshot %d, want an integer 0 to %d",
			w.Start, w.Series.Name, class, w.Last(), outputs-1)
	}
	target := make([]float64, outputs)
	target[int(class)] = 1
	return target, nil
}
