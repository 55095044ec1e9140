package rivals

import (
	"cmp"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// STIDGCN is the Spatial-Temporal Interactive Dynamic Graph Convolution Network. It convolves along time, separately
// over even and odd observations, which change each other through graph convolutions. It does not read the graph of the
// data: its graphs are computed from the features and from a learned vector for each node. So its parameters depend on
// the numbers of nodes and of observations.
//
// Blocks split the observations in two, twice, so the number of observations must be a multiple of four; otherwise the
// first observation is repeated in front. The final convolution covers all observations. For a forecast at each
// observation it covers only that observation, with parameters that all times share, so targets at some times train it
// for the others.
//
// The published code starts the two memories of the second split with the same random values; here each has its own.
//
// Source: A. Liu, Y. Zhang, Spatial-Temporal Interactive Dynamic Graph Convolution Network for Traffic Forecasting,
// 2022, arXiv:2205.08689, following the code published with PENG-CDE.
type STIDGCN struct {
	// Channels is the width of all layers; 0 means 8.
	Channels int `json:"Channels,omitempty"`
	// Dropout is the rate at which entries are zeroed in training, below 1; 0 means 0.1, [NoDropout] means none.
	Dropout float64 `json:"Dropout,omitempty"`
	// Published repeats a defect of the published code: dropout zeroes the same entries in all batches, and in
	// forecasts too.
	Published bool `json:"Published,omitempty"`
}

// Params declares the learned parameters. It panics without the number of observations, and on impossible options.
func (m STIDGCN) Params(s sequence.Sizes) []nn.Param { return m.network(s).Params() }

// Forecast builds the forecasts [B, S, n, q].
func (m STIDGCN) Forecast(v nn.Values, s sequence.Sizes, in sequence.Inputs) *Node {
	checkInputs("STIDGCN", s, in.Features.Shape().Dim(1))
	drop := func(x *Node) *Node { return in.Dropout(x, m.rate()) }
	switch {
	case m.rate() == 0:
		drop = func(x *Node) *Node { return x }
	case m.Published:
		drop = func(x *Node) *Node { return frozenDropout(x, m.rate()) }
	}
	return m.network(s).forecast(v, in.Features, drop)
}

// Normalise returns [dyngraph.Raw]; the matrices are not read.
func (STIDGCN) Normalise() dyngraph.Normalisation { return dyngraph.Raw }

// Resolved implements [sequence.Resolver]. It replaces every negative dropout rate by [NoDropout].
func (m STIDGCN) Resolved(sequence.Sizes) sequence.Network {
	m.Channels, m.Dropout = cmp.Or(m.Channels, defaultChannels), cmp.Or(m.Dropout, defaultRate)
	if m.Dropout < 0 {
		m.Dropout = NoDropout
	}
	return m
}

// NoDropout as [STIDGCN].Dropout turns dropout off.
const NoDropout = -1

// The defaults are the published ones.
const defaultChannels, defaultRate = 8, 0.1

// splits is the factor by which the blocks divide the number of observations.
const splits = 4

func (m STIDGCN) rate() float64 { return max(0, cmp.Or(m.Dropout, defaultRate)) }

func (m STIDGCN) network(s sequence.Sizes) interactive {
	checkSizes("STIDGCN", s)
	c := cmp.Or(m.Channels, defaultChannels)
	switch {
	case c < 1 || c > nn.MaxWidth:
		panic(invalid("STIDGCN has %d channels, want 1 to %d, or 0 for %d", m.Channels, nn.MaxWidth, defaultChannels))
	case !(m.Dropout < 1):
		panic(invalid("STIDGCN has dropout %g, want less than 1: 0 for 0.1, or a negative rate for none", m.Dropout))
	}
	checkInputs("STIDGCN", s, s.Inputs)
	times := (s.Inputs + splits - 1) / splits * splits
	kernel := times
	if s.PerTime {
		kernel = 1
	}
	linear := func(name string, in int) nn.Linear { return nn.Linear{Name: name, In: in, Out: c} }
	return interactive{
		sizes: s, times: times,
		start: linear("start", s.Features),
		whole: newBlock("blocks.0", c, s.Nodes, times/2),
		even:  newBlock("blocks.1", c, s.Nodes, times/4),
		odd:   newBlock("blocks.2", c, s.Nodes, times/4),
		value: linear("gate.value", c), gate: linear("gate.gate", c), gated: linear("gate.out", c),
		readout: nn.TimeConv{Name: "readout", In: c, Out: s.Outputs, Kernel: kernel},
	}
}

// interactive is the network for given sizes.
type interactive struct {
	sizes              sequence.Sizes
	times              int // observations including the repeated ones in front
	start              nn.Linear
	whole, even, odd   interactiveBlock
	value, gate, gated nn.Linear
	readout            nn.TimeConv
}

func (m interactive) Params() []nn.Param {
	return nn.ParamsOf[interface{ Params() []nn.Param }](m.start, m.whole, m.even, m.odd, m.value, m.gate, m.gated,
		m.readout)
}

func (m interactive) forecast(v nn.Values, features *Node, drop func(*Node) *Node) *Node {
	x := m.start.Apply(v, nn.RepeatEnds(features, m.times-m.sizes.Inputs, 0)) // [B, T, n, c]
	even, odd := m.whole.apply(v, x, drop)
	even, odd = interleave(m.even.apply(v, even, drop)), interleave(m.odd.apply(v, odd, drop))
	x = Add(interleave(even, odd), x)
	gated := Mul(m.value.Apply(v, x), Sigmoid(m.gate.Apply(v, x)))
	x = Add(m.gated.Apply(v, drop(gated)), x)
	y := m.readout.Apply(v, x) // [B, 1 or T, n, q]
	return SliceAxis(y, 1, AxisRange(-m.sizes.Times(m.sizes.Inputs)))
}
