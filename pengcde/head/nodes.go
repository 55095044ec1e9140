package head

import (
	"cmp"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Nodes forecasts each node. The loss is the mean square over nodes and outputs.
type Nodes struct {
	Sizes `json:"-"`
	// At selects the times of forecasts.
	At Times `json:"At,omitempty"`
	// Residual makes the outputs the deviation from the recent mean of each node at a window's last input
	// (Series.RecentMean), instead of the whole target.
	Residual bool `json:"Residual,omitempty"`
}

// Times selects the times of forecasts. The zero value means the times of a window's targets: its last input, or every
// snapshot of a whole series.
type Times string

const (
	// AtEnd is the last of a window's times.
	AtEnd Times = "at the end"
	// AtEach is every snapshot of a whole series; other windows are refused.
	AtEach Times = "at each"
)

// Sized implements [Head].
func (h Nodes) Sized(s Sizes) (Head, error) {
	h.Sizes = s
	if s.Width == 0 { // a network in discrete steps forecasts either at the end or at each
		h.At = cmp.Or(h.At, AtEnd)
	}
	switch {
	case h.At != "" && h.At != AtEnd && h.At != AtEach:
		return nil, invalid("forecasts %q, want %q, %q or nothing", h.At, AtEnd, AtEach)
	case h.Residual && s.Parity != "":
		return nil, invalid("a residual head with Parity, but the published code has no residual readout: choose one")
	}
	return h, nil
}

// Forecast implements [Head].
func (h Nodes) Forecast(v nn.Values, z *Node, _ Inputs) *Node {
	y := h.read(v, z)
	if h.Parity == OneForAll {
		y = ReduceAndKeep(y, ReduceSum, 2)
	}
	return y
}

// Loss implements [Head]: the weighted mean, over samples and save times, of the mean square over nodes.
func (h Nodes) Loss(v nn.Values, y *Node, in Inputs) (loss, penalty *Node) {
	each := squares
	switch h.Parity {
	case Pairwise:
		each = pairwise
	case OneForAll: // one forecast for all rows, as published
	default:
		checkShape(y, in)
	}
	return Mean(v.Seeds, each(y, in), in[Weights]), nil
}

// pairwise is [squares] over the differences of every forecast and every target.
func pairwise(y *Node, in Inputs) *Node {
	target := in[Targets]
	if shares := in[Shares]; shares != nil {
		mean := func(x *Node) *Node { return ReduceAndKeep(x, ReduceMean, 2) } // over the forecasts
		each := Add(Sub(mean(Square(y)), MulScalar(Mul(mean(y), target), 2.0)), Square(target))
		return ReduceSum(Mul(shares, each), 2, 3)
	}
	mean := func(x *Node) *Node { return ReduceMean(x, 2) }
	cross := MulScalar(Mul(mean(y), mean(target)), 2.0)
	return ReduceMean(Sub(Add(mean(Square(y)), mean(Square(target))), cross), 2)
}

// Traits implements [Head].
func (h Nodes) Traits() Traits { return Traits{EachTime: h.At == AtEach} }

// Check implements [Head].
func (h Nodes) Check(w dyngraph.Window) error {
	s := w.Series
	switch {
	case !w.Whole && h.At == AtEach:
		return invalid("forecasts %q, and a window of series %q has targets at one time: leave the times empty, or take "+
			"Series.Whole", h.At, s.Name)
	case !h.Residual:
		return nil
	case w.Whole:
		return invalid("the model is Residual, which a whole series has no recent mean for: take windows of %q", s.Name)
	}
	recent, err := w.RecentMean()
	if err != nil {
		return errs.In("pengcde/head: the model is Residual", err, ErrInput)
	}
	if len(recent) != h.Nodes*h.Outputs {
		return invalid("the model is Residual, and series %q has %d recent means at snapshot %d, want %d (nodes x outputs)",
			s.Name, len(recent), w.Last()-1, h.Nodes*h.Outputs)
	}
	return nil
}

// recent returns the recent means that a residual readout is added to, [nodes*outputs] row-major. The window was
// checked.
func recent(w dyngraph.Window) []float64 { return w.Series.RecentMean[w.Last()-1] }

// Sample implements [Head].
func (h Nodes) Sample(w dyngraph.Window, training bool) (Sample, error) {
	times := w.ForecastTimes()
	if h.At == AtEnd {
		times = lastTime(w)
	}
	if !training {
		return Sample{Times: times}, nil
	}
	targets := w.Targets()
	if err := h.fits(w, targets, "Targets"); err != nil {
		return Sample{}, err
	}
	s, err := sampled(w, times, targets[len(targets)-len(times):])
	if err == nil && h.Residual {
		own := recent(w)
		floats.Sub(s.Targets[len(s.Targets)-len(own):], own)
	}
	return s, err
}

// Batch implements [Head].
func (h Nodes) Batch(samples []Sample, saves int) (seen, targets []Array, err error) {
	return nil, h.batch(samples, saves, h.Nodes), nil
}

// Forecasts implements [Head]. With Parity, a single forecast of the graph is repeated for every node.
func (h Nodes) Forecasts(w dyngraph.Window, times, values []float64) dyngraph.Forecasts {
	if h.Parity == OneForAll {
		var repeated []float64
		for row := range slices.Chunk(values, h.Outputs) {
			repeated = append(repeated, slices.Repeat(row, h.Nodes)...)
		}
		values = repeated
	}
	f := h.Sizes.Forecasts(w, times, values)
	if h.Residual {
		for t := range times {
			floats.Add(f.Row(t), recent(w))
		}
	}
	return f
}
