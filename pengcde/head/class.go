package head

import (
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Class classifies the graph of a window at its last input. It computes logits, one for each of the model's outputs,
// summed over nodes. The loss is their cross-entropy with Series.GraphTargets at the window's last snapshot, one target
// (TargetSize 1) that is an integer from 0 on. Training requires windows of each class.
type Class struct{ ofGraph }

// Sized implements [Head].
func (h Class) Sized(s Sizes) (Head, error) {
	h.Sizes = s
	if s.Outputs < 2 {
		return nil, invalid("a class of %d, want an output for each class, 2 or more", s.Outputs)
	}
	return h, s.noParity("a class")
}

// Loss implements [Head].
func (h Class) Loss(v nn.Values, y *Node, in Inputs) (loss, penalty *Node) {
	each := Neg(ReduceSum(Mul(in[Targets], LogSoftmax(y)), 2, 3))
	return Mean(v.Seeds, each, in[Weights]), nil
}

// Sample implements [Head].
func (h Class) Sample(w dyngraph.Window, training bool) (Sample, error) {
	if !training {
		return Sample{Times: lastTime(w)}, nil
	}
	target, err := h.target(w)
	if err != nil {
		return Sample{}, err
	}
	return Sample{Times: lastTime(w), Targets: target, Weights: []float64{1}}, nil
}

// Start returns an error if a window has no class, or if there are no windows of some class.
func (h Class) Start(training []dyngraph.Window, check func(dyngraph.Window) error) (map[string][]float64, error) {
	seen := make([]float64, h.Outputs)
	for _, w := range training {
		if err := check(w); err != nil {
			return nil, err
		}
		target, err := h.target(w)
		if err != nil {
			return nil, err
		}
		floats.Add(seen, target)
	}
	if missing := slices.Index(seen, 0); missing >= 0 {
		return nil, invalid("no window of class %d for training, want some of each class from 0 to %d, for Outputs %d",
			missing, len(seen)-1, len(seen))
	}
	return nil, nil
}

// target returns the one-hot vector of a window's class.
func (h Class) target(w dyngraph.Window) ([]float64, error) {
	rows := w.GraphTargets()
	if rows == nil || w.Series.TargetSize != 1 {
		return nil, invalid("window at snapshot %d of series %q has %d targets of the graph at %d times, want its class as "+
			"the only one: Series.GraphTargets with TargetSize 1", w.Start, w.Series.Name, w.Series.TargetSize, len(rows))
	}
	class := rows[len(rows)-1][0]
	switch {
	case math.IsNaN(class):
		return nil, invalid("window at snapshot %d of series %q has no class, its target of the graph at snapshot %d is "+
			"NaN: leave it out", w.Start, w.Series.Name, w.Last())
	case class != math.Trunc(class) || class < 0 || class >= float64(h.Outputs):
		return nil, invalid("window at snapshot %d of series %q has class %g at snapshot %d, want an integer 0 to %d",
			w.Start, w.Series.Name, class, w.Last(), h.Outputs-1)
	}
	target := make([]float64, h.Outputs)
	target[int(class)] = 1
	return target, nil
}
