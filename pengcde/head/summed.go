package head

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// ofGraph is the part that heads for the whole graph share: one row, the sum of outputs over nodes.
type ofGraph struct {
	Sizes `json:"-"`
}

// Forecast implements [Head]: [B, S, 1, q].
func (h ofGraph) Forecast(v nn.Values, z *Node, in Inputs) *Node {
	return ReduceAndKeep(equivariant.Mask(in[Present], h.read(v, z)), ReduceSum, 2)
}

// Traits implements [Head].
func (h ofGraph) Traits() Traits { return Traits{OfGraph: true} }

// Batch implements [Head].
func (h ofGraph) Batch(samples []Sample, saves int) (seen, targets []Array, err error) {
	return nil, h.batch(samples, saves, 1), nil
}

// Summed forecasts the whole graph, as the sum of outputs over nodes, at the times of a window's targets. The loss is
// the mean square of the difference to Series.GraphTargets.
type Summed struct{ ofGraph }

// Sized implements [Head].
func (h Summed) Sized(s Sizes) (Head, error) {
	h.Sizes = s
	return h, s.noParity("a forecast of the graph")
}

// Loss implements [Head].
func (h Summed) Loss(v nn.Values, y *Node, in Inputs) (loss, penalty *Node) {
	checkShape(y, in)
	return Mean(v.Seeds, squares(y, in), in[Weights]), nil
}

// Sample implements [Head].
func (h Summed) Sample(w dyngraph.Window, training bool) (Sample, error) {
	times := w.ForecastTimes()
	if !training {
		return Sample{Times: times}, nil
	}
	targets := w.GraphTargets()
	if err := h.fits(w, targets, "GraphTargets"); err != nil {
		return Sample{}, err
	}
	return sampled(w, times, targets)
}
