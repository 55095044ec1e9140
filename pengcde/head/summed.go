package head

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// readGraph returns the outputs summed over nodes: [B, S, 1, q].
func (s Sizes) readGraph(v nn.Values, z *Node) *Node {
	return ReduceAndKeep(s.read(v, z), ReduceSum, 2)
}

// Summed forecasts the whole graph, as the sum of outputs over nodes, at the times of a window's targets. The loss is
// the mean square of the difference to Series.GraphTargets.
type Summed struct {
	Sizes `json:"-"`
}

// Sized implements [Head].
func (h Summed) Sized(s Sizes) (Head, error) {
	h.Sizes = s
	return h, s.noParity("a forecast of the graph")
}

// Forecast implements [Head].
func (h Summed) Forecast(v nn.Values, z *Node, _ Inputs) *Node { return h.readGraph(v, z) }

// Batch implements [Head].
func (h Summed) Batch(samples []Sample, saves int) (seen, met []Array, err error) {
	return nil, h.batch(samples, saves, 1), nil
}

// Rows implements [Head].
func (h Summed) Rows(_ dyngraph.Window, flat []float64) [][][]float64 {
	return unflatten(flat, 1, 1, h.Outputs)
}

// Loss implements [Head].
func (h Summed) Loss(v nn.Values, y *Node, in Inputs) (loss, penalty *Node) {
	return Mean(v.Seeds, squares(y, in), in[Weights]), nil
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
