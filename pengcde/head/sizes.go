package head

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Sizes are the sizes of a model.
type Sizes struct {
	// Nodes n and Outputs q are the sizes of a forecast.
	Nodes, Outputs int
	// Width is the width of a state. Of several states side by side only the last is read. 0 means a network in
	// discrete steps, whose forecasts are used unchanged.
	Width int
	// Linear makes the readout a linear map, in place of a network with two hidden layers of 16.
	Linear bool
	// Parity selects the defect of a published model's loss to repeat; "" repeats none.
	Parity Parity
}

// Parity selects a loss of the published code.
type Parity string

const (
	// EachForItself compares each node's forecast with its own target, as usual.
	EachForItself Parity = "each for itself"
	// OneForAll compares the sum over nodes with every node's target.
	OneForAll Parity = "one for all"
	// Pairwise compares every node's forecast with every node's target.
	Pairwise Parity = "pairwise"
)

// noParity returns an error for a model with Parity whose head the published code does not have.
func (s Sizes) noParity(head string) error {
	if s.Parity != "" {
		return invalid("%s with Parity, but the published code has none: choose one", head)
	}
	return nil
}

// CoderWidth and CoderDepth are the sizes of the published encoder and readout.
const CoderWidth, CoderDepth = 16, 2

// layer returns the readout with the given number of outputs.
func (s Sizes) layer(outputs int) nn.Layer {
	if s.Linear {
		return nn.Linear{Name: "readout", In: s.Width, Out: outputs}
	}
	return nn.MLP{Name: "readout", In: s.Width, Out: outputs, Width: CoderWidth, Depth: CoderDepth}
}

// last returns the last of several states side by side.
func (s Sizes) last(z *Node) *Node {
	if whole := z.Shape().Dim(-1); whole != s.Width {
		z = SliceAxis(z, -1, AxisRange(whole-s.Width))
	}
	return z
}

// read returns the outputs of nodes, [..., n, q], for states [..., n, states*Width].
func (s Sizes) read(v nn.Values, z *Node) *Node {
	if s.Width == 0 {
		return z
	}
	return s.layer(s.Outputs).Apply(v, s.last(z))
}

// fromZero makes the last map of a readout start at zero.
func fromZero(readout []nn.Param) []nn.Param {
	for i := len(readout) - 2; i < len(readout); i++ { // weight and bias
		readout[i].Init = nn.Fill(0)
	}
	return readout
}
