package pengcde

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// ErrInput is wrapped by errors about options and data that do not fit a model.
var ErrInput = errors.New("invalid input")

// Kind names a vector field.
type Kind string

const (
	// PENG is the permutation equivariant field with node-feature control; the default.
	PENG Kind = "peng"
	// Constant is the field dz/dt = b, the baseline without a graph.
	Constant Kind = "constant"
)

// Config describes a model; fields left at zero take the defaults named.
type Config struct {
	// Nodes n and Features p are those of the data; both are required.
	Nodes, Features int
	// Outputs q is the number of targets of a node; 0 means 1.
	Outputs int `json:",omitempty"`
	// Field is the vector field; "" means PENG.
	Field Kind `json:",omitempty"`
	// Hidden is the width of the state; 0 means 16.
	Hidden int `json:",omitempty"`
	// Layers of the vector field; 0 means 2.
	Layers int `json:",omitempty"`
	// Control is the matrix made of each snapshot's weights; the zero value is the normalised Laplacian.
	Control dyngraph.Normalisation `json:",omitempty"`
	// Step is the constant step of the solver, in the time unit of the data; 0 means 0.1.
	Step float64 `json:",omitempty"`
	// Adaptive, when set, replaces the constant step.
	Adaptive *ode.PID `json:",omitempty"`
	// Residual lets the readout give the deviation from the recent mean that the series knows of each node at a window's last
	// input (Series.Recent), in place of the whole target.
	Residual bool `json:",omitempty"`
	// Parity repeats defects of the published code, for comparison only: total(A) in place of total(A') in one fusion
	// map, and a loss that forgets which node is which (PENG: one forecast for the whole graph, the sum over nodes;
	// Constant: every node's forecast is compared with every node's target).
	Parity bool `json:",omitempty"`
	// Product chooses how A Z is computed; the zero value chooses by the size and fill of the graph.
	Product equivariant.Product `json:"-"`
	// Float64 computes in float64 in place of float32.
	Float64 bool `json:",omitempty"`
	// Seed draws the initial parameters.
	Seed uint64 `json:",omitempty"`
}

func (c Config) withDefaults() (Config, error) {
	for _, option := range []struct {
		value    *int
		fallback int
	}{{&c.Outputs, 1}, {&c.Hidden, 16}, {&c.Layers, 2}} {
		if *option.value == 0 {
			*option.value = option.fallback
		}
	}
	if c.Step == 0 {
		c.Step = 0.1
	}
	if c.Field == "" {
		c.Field = PENG
	}
	switch {
	case c.Nodes < 1 || c.Features < 1:
		return c, fmt.Errorf("pengcde: Config has %d nodes and %d features, want those of the data, at least 1 each: %w", c.Nodes, c.Features, ErrInput)
	case c.Outputs < 0 || c.Hidden < 0 || c.Layers < 0:
		return c, fmt.Errorf("pengcde: Config has outputs %d, hidden %d, layers %d, want positive numbers: %w", c.Outputs, c.Hidden, c.Layers, ErrInput)
	case !(c.Step > 0) || math.IsInf(c.Step, 1):
		return c, fmt.Errorf("pengcde: Config.Step is %g, want a positive time: %w", c.Step, ErrInput)
	case c.Control < dyngraph.NormalisedLaplacian || c.Control > dyngraph.NormalisedAdjacency:
		return c, fmt.Errorf("pengcde: Config.Control is %v, want one of the normalisations of dyngraph: %w", c.Control, ErrInput)
	case c.Product < equivariant.Auto || c.Product > equivariant.Sparse:
		return c, fmt.Errorf("pengcde: Config.Product is %d, want Auto, Dense or Sparse: %w", c.Product, ErrInput)
	case c.Residual && c.Parity:
		return c, fmt.Errorf("pengcde: Config has Residual and Parity, but the published code has no residual readout: choose one: %w", ErrInput)
	case c.Field != PENG && c.Field != Constant:
		return c, fmt.Errorf("pengcde: Config.Field is %q, want %q or %q: %w", c.Field, PENG, Constant, ErrInput)
	}
	if c.Adaptive != nil {
		if _, err := c.Adaptive.Steps(0, ode.Tsit5.Order, 0, 1); err != nil {
			return c, fmt.Errorf("pengcde: Config.Adaptive: %w: %w", err, ErrInput)
		}
	}
	return c, nil
}

func (c Config) dtype() dtypes.DType {
	if c.Float64 {
		return dtypes.Float64
	}
	return dtypes.Float32
}

// coderWidth and coderDepth are those of the published encoder and readout.
const coderWidth, coderDepth = 16, 2

// wiring makes the parts of the model.
func (c Config) wiring() wiring {
	w := wiring{
		encoder: nn.MLP{Name: "encoder", In: c.Features, Out: c.Hidden, Width: coderWidth, Depth: coderDepth},
		readout: nn.MLP{Name: "readout", In: c.Hidden, Out: c.Outputs, Width: coderWidth, Depth: coderDepth},
		control: ode.Constant{Step: c.Step},
	}
	if c.Adaptive != nil {
		w.control = *c.Adaptive
	}
	switch c.Field {
	case Constant:
		w.field = field.Constant{Hidden: c.Hidden}
		if c.Parity {
			w.measure = pairwise
		}
	default:
		w.field = field.PENG{Hidden: c.Hidden, Layers: c.Layers, Features: c.Features, Parity: c.Parity}
		if c.Parity {
			w.measure = global
		}
	}
	return w
}
