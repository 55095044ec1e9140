package rivals

import (
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// checkSizes panics on sizes that no network of this package supports.
func checkSizes(name string, s sequence.Sizes) {
	if s.Nodes < 1 || s.Nodes > dyngraph.MaxNodes || s.Features < 1 || s.Features > nn.MaxWidth || s.Outputs < 1 ||
		s.Outputs > nn.MaxWidth || s.Inputs < 0 {
		panic(invalid("%s for %d nodes with %d features, %d outputs and %d observations, want the sizes of the data, each "+
			"1 or more", name, s.Nodes, s.Features, s.Outputs, s.Inputs))
	}
}

// checkInputs panics if the parameters depend on the number of observations and it is unknown or not the given one.
func checkInputs(name string, s sequence.Sizes, inputs int) {
	switch {
	case s.Inputs == 0:
		panic(invalid("%s for any number of observations, want the number in each window: its parameters depend on it, "+
			"so set Config.Inputs", name))
	case inputs != s.Inputs:
		panic(invalid("%s made for %d observations, got %d, want as many: its parameters depend on their number", name,
			s.Inputs, inputs))
	}
}
