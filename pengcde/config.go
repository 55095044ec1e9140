package pengcde

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"github.com/gomlx/compute/dtypes"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// ErrInput is wrapped by errors about options and data that do not fit a model.
var ErrInput = head.ErrInput

// Config describes a model; fields left at zero take the defaults named. The fields of its parts Input, Equation and
// Execution, such as Step, are read and set like its own; a literal has them as Equation: pengcde.Equation{Step: 1}.
type Config struct {
	// Nodes n and Features p are the sizes of the data, without the channels of Mask; both are required.
	Nodes    int `json:"Nodes"`
	Features int `json:"Features"`
	// Outputs q is the number of targets of a node or of the graph, or the number of classes; 0 means 1.
	Outputs int `json:"Outputs,omitempty"`
	// Hidden is the width of the state, of each where the field has two (STGNCDE); 0 means the width of the field, else
	// 16.
	Hidden int `json:"Hidden,omitempty"`
	// Layers is the number of layers of the vector field; 0 means the field's own, else 2.
	Layers int `json:"Layers,omitempty"`
	// Field is the vector field, one of package field or your own; nil means field.PENG{}. Sizes of it that are 0 are
	// taken from this configuration, and others must agree with it, see [field.Sizer].
	Field field.Field `json:"-"`
	// Network goes through the observations of a window in discrete steps, in place of a differential equation: it is one
	// of package rivals or your own. Hidden, Layers, Field, Equation, RowFeatures and Memory mean nothing to it and are
	// refused. With GraphOnly its features at every observation are the features at the first and, as the last one, the
	// time.
	Network sequence.Network `json:"-"`
	// Head reads forecasts off the states and compares them with targets: one of package head or your own; nil means
	// head.Nodes{}, a forecast of each node.
	Head head.Head `json:"-"`
	Input
	Equation
	Execution
	// Seed draws the initial parameters.
	Seed uint64 `json:"Seed,omitempty"`
}

// Input says what a model takes of the data.
type Input struct {
	// Normalise makes the matrices A of each snapshot's weights; the zero value is the normalised Laplacian, or what the
	// Network asks for.
	Normalise dyngraph.Normalisation `json:"Control,omitempty"`
	// Mask adds channels to the features that say where they were observed. Encoder and field then take
	// [path.Mask.Width] of them. The missing values themselves, NaN, are filled with or without it, see [Model.Fit].
	Mask path.Mask `json:"Mask,omitempty"`
	// GraphOnly lets the graph alone drive the state: features only give its start, as in the published simulated
	// worlds. GNODE and Constant, which take no features, do so anyhow.
	GraphOnly bool `json:"GraphOnly,omitempty"`
	// RowFeatures, where set, are in place of the data's features: each node's row of the matrix A, of n entries, mapped
	// to so many features by a linear map that is learned. The start is encoded from the first snapshot's rows, and
	// A'(t) drives the state through [field.Rows]; no n² numbers are made of a sparse graph.
	RowFeatures int `json:"RowFeatures,omitzero"`
	// Inputs is the number of observations of each window, for a Network whose parameters depend on it; 0 takes any.
	Inputs int `json:"Inputs,omitempty"`
}

// Equation is the part of a differential equation beside its field: the path that drives it, its solver, encoder and
// readout.
type Equation struct {
	// Path joins the observations; the zero value is the published Hermite path. On a Rectilinear path time stands still
	// while an observation is taken in, see [field.Axis].
	Path path.Kind `json:"Path,omitempty"`
	// Step is the constant step of the solver, in the time unit of the data; 0 means 0.1. It is refused beside
	// Adaptive.
	Step float64 `json:"Step,omitempty"`
	// Adaptive, when set, replaces the constant step. Its steps end on the knots beside which the control changes
	// (GNODE: at which its graph does), except with Parity; docs/correctness.md says what that gains.
	// Constant steps end there too where the field jumps: for GNODE, and with a Linear Path. Gradients may
	// explode at its default tolerances, the published ones: see "Tolerances" in the package documentation.
	Adaptive *ode.PID `json:"Adaptive,omitempty"`
	// MaxSteps bounds the tries of each sample's adaptive steps, see [ode.Config]; 0 means 4096. It is refused without
	// Adaptive.
	MaxSteps int `json:"MaxSteps,omitempty"`
	// LinearCoders makes encoder and readout linear maps, as in the published simulated worlds, in place of networks of
	// two hidden layers of 16.
	LinearCoders bool `json:"LinearCoders,omitempty"`
	// Parity repeats defects of the published code, for comparison only. It sets Parity of PENG and PreMult, and with
	// GraphOnly Lag of GNODE; steps do not end beside changes; without GraphOnly the loss forgets which node is which
	// (GNODE, Constant and STGNCDE: every node's forecast is compared with every node's target; the others: one forecast
	// for the whole graph, the sum over nodes).
	Parity bool `json:"Parity,omitempty"`
}

// Execution says how results are computed; but for Float64 it is not in the files of [Model.Save].
type Execution struct {
	// Product chooses how A Z is computed; the zero value chooses by the size and fill of the graph. It changes results
	// as Groups do. A loaded model has the zero value until [Model.SetProduct].
	Product equivariant.Product `json:"-"`
	// Memory bounds the states that a solve keeps for its gradient, of a batch of windows at a time, or of each of its
	// Groups; the zero value keeps all of them. A Memory.Bytes below one state [BatchSize, Nodes, Hidden] is refused by Fit.
	Memory ode.Memory `json:"-"`
	// Groups is the number of groups that the samples of a batch are cut into, which march side by side, each on a core
	// of its own with XLA on a CPU; 0 means one for each core, or for each sample if these are fewer, and 1 means none.
	// By constant steps groups change results by rounding alone; adaptive ones follow an error estimate that rounding
	// changes, and then forecasts differ by up to about what the solver errs, gradients by more: "What rounding changes"
	// in docs/tolerances.md.
	Groups int `json:"-"`
	// Notices gets a line, once for a model, when entries of the control that sum to more than 1000 at a node make
	// states so large that forecasts are no more exact than the solver's tolerance of such states, and one when a
	// feature of 1000 or more is met, where models want order 1. nil means os.Stderr; io.Discard silences it.
	Notices io.Writer `json:"-"`
	// Float64 computes in float64 in place of float32.
	Float64 bool `json:"Float64,omitempty"`
}

const defaultStep = 0.1

// invalid is an error about options or data.
func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "pengcde: %s", fmt.Sprintf(format, args...))
}

func (c Config) withDefaults() (Config, error) {
	c.Outputs = cmp.Or(c.Outputs, 1)
	c.Normalise, c.Mask = cmp.Or(c.Normalise, c.normalise()), cmp.Or(c.Mask, path.NoMask)
	c.Product = cmp.Or(c.Product, equivariant.Auto)
	if c.Network == nil {
		c = c.withEquation()
	}
	switch {
	case c.Nodes < 1 || c.Features < 1 || c.Nodes > dyngraph.MaxNodes ||
		c.Features > nn.MaxWidth/2: // twice as many with Mask
		return c, invalid("Config has %d nodes and %d features, want the sizes of the data, 1 to %d and 1 to %d",
			c.Nodes, c.Features, dyngraph.MaxNodes, nn.MaxWidth/2)
	case c.Outputs < 0 || c.Outputs > nn.MaxWidth || c.Hidden < 0 || c.Hidden > nn.MaxWidth || c.Layers < 0 ||
		c.Layers > nn.MaxLayers:
		return c, invalid("Config has outputs %d, hidden %d, layers %d, want 1 to %d, 1 to %d and 1 to %d, or 0 for "+
			"the defaults",
			c.Outputs, c.Hidden, c.Layers, nn.MaxWidth, nn.MaxWidth, nn.MaxLayers)
	case c.Inputs != 0 && (c.Inputs < 2 || c.Network == nil):
		return c, invalid("Config.Inputs is %d, want the observations of a window, 2 or more, beside a Network, or 0 for any",
			c.Inputs)
	case c.Groups < 0:
		return c, invalid("Config.Groups is %d, want 1 or more, or 0 for one group for each core", c.Groups)
	case c.RowFeatures < 0 || c.RowFeatures > nn.MaxWidth || c.RowFeatures > 0 && (c.GraphOnly || c.Mask != path.NoMask):
		return c, invalid("Config.RowFeatures is %d, GraphOnly %v, Mask %q, want 0 to %d, and 0 beside the others, which are "+
			"for features of the data", c.RowFeatures, c.GraphOnly, c.Mask, nn.MaxWidth)
	}
	if err := c.checkCompute(c.Product, c.Memory); err != nil {
		return c, err
	}
	if err := c.Normalise.Check(); err != nil {
		return c, errs.In("pengcde: Config.Normalise", err, ErrInput)
	}
	if err := c.Mask.Check(); err != nil {
		return c, errs.In("pengcde: Config.Mask", err, ErrInput)
	}
	var err error
	if c.Head, err = c.head(); err != nil {
		return c, err
	}
	if c.Network != nil {
		return c, c.checkNetwork()
	}
	return c, c.checkEquation()
}

// normalise is what the zero value of Normalise stands for.
func (c Config) normalise() dyngraph.Normalisation {
	if n, ok := c.Network.(sequence.Normaliser); ok {
		return n.Normalise()
	}
	return dyngraph.NormalisedLaplacian
}

// withEquation has the defaults of what a differential equation takes.
func (c Config) withEquation() Config {
	if c.Field == nil {
		c.Field = field.PENG{}
	}
	var own field.Sizes
	if f, ok := c.Field.(field.Sizer); ok {
		_, own = f.Sized(field.Sizes{})
	}
	c.Hidden, c.Layers = cmp.Or(c.Hidden, own.Hidden, 16), cmp.Or(c.Layers, own.Layers, 2)
	c.Path = cmp.Or(c.Path, path.Hermite)
	if c.Adaptive == nil {
		c.Step = cmp.Or(c.Step, defaultStep)
	} else {
		adaptive := *c.Adaptive // the model's own
		c.Adaptive = &adaptive
	}
	return c
}

// checkEquation finds what no differential equation takes.
func (c Config) checkEquation() error {
	switch {
	case c.Adaptive != nil && c.Step != 0:
		return invalid("Config.Step is %g beside Adaptive, which has no constant step: leave one out, or set "+
			"Adaptive.First", c.Step)
	case c.Adaptive == nil && (!(c.Step > 0) || math.IsInf(c.Step, 1)):
		return invalid("Config.Step is %g, want a positive time", c.Step)
	case c.MaxSteps < 0 || c.MaxSteps > 0 && c.Adaptive == nil:
		return invalid("Config.MaxSteps is %d, want 0 or more, and 0 without Adaptive: constant steps have no "+
			"bound", c.MaxSteps)
	}
	if err := c.Path.Check(); err != nil {
		return errs.In("pengcde: Config.Path", err, ErrInput)
	}
	if c.Adaptive != nil {
		if _, err := c.Adaptive.Steps(0, ode.Tsit5.ErrorOrder, 0, 1); err != nil {
			return errs.In("pengcde: Config.Adaptive", err, ErrInput)
		}
	}
	_, err := c.vectorField()
	return err
}

// checkNetwork finds what a network in discrete steps does not take.
func (c Config) checkNetwork() error {
	taken := c
	taken.Hidden, taken.Layers, taken.Field, taken.RowFeatures = 0, 0, nil, 0
	taken.Equation, taken.Memory, taken.Groups = Equation{}, ode.Memory{}, 0
	if other := difference(c, taken); other != "" {
		return invalid("Config.%s is set beside Network, for which it means nothing: leave one out", other)
	}
	_, err := c.networkParams()
	return err
}

func (c Config) checkCompute(product equivariant.Product, memory ode.Memory) error {
	if err := product.Check(); err != nil {
		return errs.In("pengcde: Config.Product", err, ErrInput)
	}
	if memory.Checkpoints < 0 || memory.Bytes < 0 {
		return invalid("Config.Memory has %d checkpoints and %d bytes, want 0 (no limit) or more",
			memory.Checkpoints, memory.Bytes)
	}
	if c.Network != nil && memory != (ode.Memory{}) {
		return invalid("Config.Memory is set beside Network, which keeps no states of a solve: leave it at zero")
	}
	return nil
}

func (c Config) dtype() dtypes.DType {
	if c.Float64 {
		return dtypes.Float64
	}
	return dtypes.Float32
}

// wiring makes the parts of the model.
func (c Config) wiring() wiring {
	w := wiring{
		encoder: c.encoder(), rows: c.rowEncoder(), head: c.Head, hidden: c.Hidden * states(c.Field),
		stepSize: ode.Constant{Step: c.Step}, memory: c.Memory, continuous: !c.jumps(),
	}
	if c.Adaptive != nil {
		w.stepSize, w.maxSteps = *c.Adaptive, c.MaxSteps
	}
	w.field, _ = c.vectorField() // withDefaults has checked it
	return w
}
