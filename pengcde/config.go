package pengcde

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"github.com/gomlx/compute/dtypes"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/clone"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// ErrInput is wrapped by errors about options and data that do not fit a model. The packages below share the value.
var ErrInput = errs.ErrInput

// Config describes a model. A field left at zero takes the default that its comment names. Fields of the embedded
// structs Input, Equation and Execution, such as Step, are read and set like fields of Config; a composite literal sets
// them as Equation: pengcde.Equation{Step: 1}.
type Config struct {
	// Nodes n and Features p are the sizes of the data, both required. Features does not count the channels of Mask.
	Nodes    int `json:"Nodes"`
	Features int `json:"Features"`
	// Outputs q is the number of targets of a node or of the graph, or the number of classes; 0 means 1.
	Outputs int `json:"Outputs,omitempty"`
	// Hidden is the width of the state, or of each of the two states of STGNCDE; 0 means the width of the field, or 16
	// if the field sets none.
	Hidden int `json:"Hidden,omitempty"`
	// Layers is the number of layers of the vector field; 0 means the number of the field, or 2 if the field sets none.
	Layers int `json:"Layers,omitempty"`
	// Field is the vector field: a field of package field or a custom one; nil means field.PENG{}. Sizes of the field
	// that are 0 are taken from this configuration, and other sizes must agree with it, see [field.Sizer].
	Field field.Field `json:"-"`
	// Network processes the observations of a window in discrete steps, in place of a differential equation. It is a
	// network of package rivals or a custom one. Hidden, Layers, Field, Equation, RowFeatures and Memory do not apply
	// to it and are refused. With GraphOnly the network sees, at every observation, the features of the first
	// observation and the time as the last feature.
	Network sequence.Network `json:"-"`
	// Head computes forecasts from the states and compares them with targets. It is a head of package head or a custom
	// one; nil means head.Nodes{}, a forecast for each node.
	Head head.Head `json:"-"`
	Input
	Equation
	Execution
	// Seed seeds the draw of the initial parameters.
	Seed uint64 `json:"Seed,omitempty"`
}

// Input selects and prepares the data that a model reads.
type Input struct {
	// Normalise computes the matrix A of each snapshot from its weights. The zero value means the normalised Laplacian,
	// or the normalisation that the Network asks for.
	Normalise dyngraph.Normalisation `json:"Control,omitempty"`
	// Mask adds channels to the features that tell where the features were observed. Encoder and field then take
	// [path.Mask.Width] features. Missing values, NaN, are filled with or without a mask, see [Model.Fit].
	Mask path.Mask `json:"Mask,omitempty"`
	// Smoothing takes noise out of the features before they are interpolated. Smoothed features depend on later ones of
	// the window, so it is refused on a Rectilinear path and for heads with forecasts at several times; also where only
	// the first features are read.
	Smoothing path.Smoothing `json:"Smoothing,omitzero"`
	// GraphOnly lets only the graph drive the state: the features only determine its start, as in the published
	// simulated worlds. GNODE and Constant, which take no features, always work this way.
	GraphOnly bool `json:"GraphOnly,omitempty"`
	// RowFeatures, if positive, replaces the features of the data: a learned linear map takes each node's row of the
	// matrix A, of n entries, to RowFeatures features. The start is encoded from the rows of the first snapshot, and
	// A'(t) drives the state through [field.Rows]. A sparse graph is never expanded to n² numbers.
	RowFeatures int `json:"RowFeatures,omitzero"`
	// Inputs is the number of observations of each window, for a Network whose parameters depend on it; 0 accepts any.
	Inputs int `json:"Inputs,omitempty"`
}

// Equation configures a differential equation besides its vector field: the control path, the solver, the encoder and
// the readout.
type Equation struct {
	// Path is the interpolation of the observations; the zero value is the published Hermite path. On a Rectilinear
	// path time stands still while an observation is taken in, see [field.Axis].
	Path path.Kind `json:"Path,omitempty"`
	// Method is the Runge-Kutta method; nil means [ode.Tsit5]. A method of your own needs a name of its own, and [Load]
	// needs its value.
	Method *ode.Method `json:"-"`
	// Step is the constant step of the solver, in the time unit of the data; 0 means 0.1. It is refused together with
	// Adaptive.
	Step float64 `json:"Step,omitempty"`
	// Adaptive, if not nil, replaces the constant step. Its steps end on the knots next to which the control changes
	// (for GNODE, on the knots at which its graph changes), except with Parity; docs/correctness.md explains the gain.
	// Constant steps end on knots too where the field jumps: for GNODE, and with a Linear Path. Gradients may explode
	// at the default tolerances, which are the published ones: see "Tolerances" in the package documentation.
	Adaptive *ode.PID `json:"Adaptive,omitempty"`
	// MaxSteps bounds the number of adaptive steps tried for each sample, see [ode.Config]; 0 means 4096. It is refused
	// without Adaptive.
	MaxSteps int `json:"MaxSteps,omitempty"`
	// LinearCoders makes the encoder and the readout linear maps, as in the published simulated worlds, in place of
	// networks with two hidden layers of width 16.
	LinearCoders bool `json:"LinearCoders,omitempty"`
	// Parity repeats defects of the published code, for comparison only. It sets Parity of PENG and PreMult, and with
	// GraphOnly Lag of GNODE. Steps do not end next to changes. Without GraphOnly the loss ignores which node is which:
	// GNODE, Constant and STGNCDE compare every node's forecast with every node's target; the other fields make one
	// forecast for the whole graph, the sum over nodes.
	Parity bool `json:"Parity,omitempty"`
}

// Execution configures how results are computed. Of its fields only Float64 is written to the files of [Model.Save].
type Execution struct {
	// Product selects how A Z is computed; the zero value selects by the size and fill of the graph. It changes results
	// to the same extent as Groups. A loaded model has the zero value until [Model.SetProduct] is called.
	Product equivariant.Product `json:"-"`
	// Memory bounds the states that a solve keeps for its gradient, for one batch of windows at a time or for each of
	// its Groups. The zero value keeps all states. Fit refuses a Memory.Bytes below one state [BatchSize, Nodes,
	// Hidden].
	Memory ode.Memory `json:"-"`
	// Loop says whether the device or the host drives the steps of a solve; the zero value decides by the backend.
	Loop ode.Loop `json:"-"`
	// Groups is the number of groups that the samples of a batch are split into. The groups are solved concurrently,
	// with XLA on a CPU each on its own core, with CUDA each on its own GPU. 0 means one group for each core or GPU, or
	// for each sample if there are fewer samples; 1 means no split. With constant steps the groups change results only
	// by rounding. Adaptive steps follow an error estimate that rounding changes: forecasts then differ by up to about
	// the error of the solver, and gradients by more, see "What rounding changes" in docs/tolerances.md.
	Groups int `json:"-"`
	// Notices receives warnings, each at most once for a model. It gets a line when a window takes more than 10,000
	// constant steps, and when the entries of the control sum to more than 1000 at a node: states then grow so large that
	// forecasts are no more exact than the solver's tolerance for such states. It gets a line when the magnitude of a
	// feature is 1000 or more, because models expect features of order 1. It gets a line when the weights that a model is
	// trained on are so small that the self-loops of its normalisation hide them. It gets a line when a batch cannot be
	// split into Groups. nil means os.Stderr; io.Discard silences the warnings.
	Notices io.Writer `json:"-"`
	// Float64 computes in float64 instead of float32.
	Float64 bool `json:"Float64,omitempty"`
}

const defaultStep = 0.1

var errNoContext = invalid("the context is nil, want one such as context.Background()")

// invalid returns an error that wraps [ErrInput].
func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "pengcde: %s", fmt.Sprintf(format, args...))
}

// clone returns a copy whose field, network, head and Adaptive share no options with c.
func (c Config) clone() Config {
	c.Field, c.Network, c.Head = clone.Of(c.Field), clone.Of(c.Network), clone.Of(c.Head)
	c.Adaptive = clone.Of(c.Adaptive)
	return c
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
		return c, invalid("Config.Groups is %d, want 1 or more, or 0 for one group for each core or GPU", c.Groups)
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
	if err := c.Smoothing.Check(); err != nil {
		return c, errs.In("pengcde: Config.Smoothing", err, ErrInput)
	}
	if c.Smoothing != path.NoSmoothing && c.Path == path.Rectilinear {
		return c, invalid("Config.Smoothing is %q on a rectilinear Path, which never looks ahead: want another path, or no "+
			"smoothing", c.Smoothing)
	}
	if c.Smoothing != path.NoSmoothing && !c.driven() {
		return c, invalid("Config.Smoothing is %q, and the features do not drive the state (GraphOnly %v, RowFeatures %d, "+
			"%s): leave it out", c.Smoothing, c.GraphOnly, c.RowFeatures, field.Name(c.Field))
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

// normalise returns the normalisation that the zero value of Normalise stands for.
func (c Config) normalise() dyngraph.Normalisation {
	if n, ok := c.Network.(sequence.Normaliser); ok {
		return n.Normalise()
	}
	return dyngraph.NormalisedLaplacian
}

// withEquation returns c with the defaults of the fields that configure a differential equation.
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
	}
	return c
}

// checkEquation returns an error for settings that no differential equation accepts.
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
	method := c.method()
	if err := method.Check(c.Adaptive != nil); err != nil {
		return errs.In("pengcde: Config.Method", err, ErrInput)
	}
	if named, err := ode.MethodNamed(method.Name); method.Name == "" || err == nil && named != method {
		return invalid("Config.Method has the name %q, want one that differs from the methods of package ode, under which "+
			"files of models can store it", method.Name)
	}
	if c.Adaptive != nil {
		if _, err := c.Adaptive.Steps(0, method.ErrorOrder, 0, 1); err != nil {
			return errs.In("pengcde: Config.Adaptive", err, ErrInput)
		}
	}
	if err := c.Loop.Check(); err != nil {
		return errs.In("pengcde: Config.Loop", err, ErrInput)
	}
	if c.Path == path.Rectilinear && traits(c.Field).PerChannel {
		return invalid("Config.Field %s has PerChannel on a rectilinear Path, where time stands still at changes: want "+
			"another path, or no PerChannel", field.Name(c.Field))
	}
	_, err := c.vectorField()
	return err
}

// method returns the Runge-Kutta method.
func (c Config) method() *ode.Method { return cmp.Or(c.Method, ode.Tsit5) }

// checkNetwork returns an error for settings that a network in discrete steps does not accept.
func (c Config) checkNetwork() error {
	taken := c
	taken.Hidden, taken.Layers, taken.Field, taken.RowFeatures = 0, 0, nil, 0
	taken.Equation, taken.Memory, taken.Loop, taken.Groups = Equation{}, ode.Memory{}, "", 0
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

// wiring returns the parts of the differential equation.
func (c Config) wiring() wiring {
	w := wiring{
		encoder: c.encoder(), ofRows: c.RowFeatures > 0, head: c.Head, hidden: c.Hidden * states(c.Field),
		method: c.method(), stepSize: ode.Constant{Step: c.Step}, memory: c.Memory, loop: c.Loop, continuous: !c.jumps(),
	}
	if c.Adaptive != nil {
		w.stepSize, w.maxSteps = *c.Adaptive, c.MaxSteps
	}
	w.field, _ = c.vectorField() // withDefaults has checked it
	return w
}
