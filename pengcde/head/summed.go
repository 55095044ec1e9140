package head

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// ofGraph is what heads that forecast the graph have in common: outputs are summed over nodes.
type ofGraph struct{ compared }

// Forecast implements [Head]: [B, S, 1, q].
func (h ofGraph) Forecast(v nn.Values, z *Node, _ Inputs) *Node {
	return ReduceAndKeep(h.read(v, z), ReduceSum, 2)
}

// Batch implements [Head].
func (h ofGraph) Batch(samples []Sample, saves int) (seen, met []Array, err error) {
	return nil, h.batch(samples, saves, 1), nil
}

// Rows implements [Head].
func (h ofGraph) Rows(_ dyngraph.Window, flat []float64) [][][]float64 {
	return unflatten(flat, 1, 1, h.Outputs)
}

// Summed forecasts the graph, its outputs summed over nodes, at the times of a window's targets. They are compared with
// Series.GraphTargets by the mean square.
type Summed struct{ ofGraph }

// Sized implements [Head].
func (h Summed) Sized(s Sizes) (Head, error) {
	h.Sizes = s
	return h, nil
}

// Loss implements [Head].
func (h Summed) Loss(v nn.Values, y *Node, in Inputs) (loss, penalty *Node) {
	return mean(v.Seeds, squares(y, in), in[weightsInput]), nil
}

// Sample implements [Head].
func (h Summed) Sample(w dyngraph.Window, training bool) (Sample, error) {
	times := w.ForecastTimes()
	if !training {
		return Sample{Times: times}, nil
	}
	targets := w.GraphTargets()
	if err := h.fits(w, targets, "targets of the graph"); err != nil {
		return Sample{}, err
	}
	return sampled(w, times, targets)
}
