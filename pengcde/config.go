package pengcde

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// ErrInput is wrapped by errors about options and data that do not fit a model.
var ErrInput = errors.New("invalid input")

// Kind names a vector field.
type Kind string

const (
	// PENG is the permutation equivariant field with node-feature control; the default.
	PENG Kind = "peng"
	// Original, Adjacency and PreMult are the other graph neural CDEs of the paper, with node-feature control too.
	Original  Kind = "original"
	Adjacency Kind = "adjacency"
	PreMult   Kind = "pre-mult"
	// GNODE is the graph neural ODE, whose graph is that of the latest snapshot.
	GNODE Kind = "gn-ode"
	// Constant is the field dz/dt = b, the baseline without a graph.
	Constant Kind = "constant"
)

// Kinds lists the vector fields.
func Kinds() []Kind { return []Kind{PENG, Original, Adjacency, PreMult, GNODE, Constant} }

// takesFeatures says whether node features drive the state.
func (k Kind) takesFeatures() bool { return k != GNODE && k != Constant }

// driven says whether node features drive the state.
func (c Config) driven() bool { return c.Field.takesFeatures() && !c.GraphOnly }

// jumps says whether the field jumps at knots: where its graph does, or a path of straight lines turns.
func (c Config) jumps() bool { return c.Field == GNODE || c.Path == path.Linear }

// Config describes a model; fields left at zero take the defaults named.
type Config struct {
	// Nodes n and Features p are those of the data, without the channels of Mask; both are required.
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
	// Maps are those of PENG, as [equivariant.ParseMaps] reads them: a set or a list of names; "" means "published8".
	Maps string `json:",omitempty"`
	// Mask adds channels to the features that say where they were observed. Encoder and field then take [path.Mask.Width] of
	// them. The missing values themselves, NaN, are filled with or without it, see [Model.Fit].
	Mask path.Mask `json:",omitempty"`
	// Identities, with a size, let PENG and Original treat entries of A and A' by their source and target. The model then
	// depends on how nodes are numbered. Nodes, which a table needs, is that of the model.
	Identities equivariant.Identities `json:",omitzero"`
	// Path joins the observations; the zero value is the published Hermite path. Rectilinear paths, on a time axis of their
	// own, are for package field.
	Path path.Kind `json:",omitempty"`
	// Step is the constant step of the solver, in the time unit of the data; 0 means 0.1. It is refused beside Adaptive.
	Step float64 `json:",omitempty"`
	// Adaptive, when set, replaces the constant step. Its steps end on the knots beside which the control changes (GNODE: at which
	// its graph does), except with Parity; docs/measurements.md says what that gains. Constant steps
	// end there too where the field jumps: for GNODE, and with a Linear Path. Gradients may explode at its default
	// tolerances, the published ones: see "Tolerances" in the package documentation.
	Adaptive *ode.PID `json:",omitempty"`
	// MaxSteps bounds the tries of each sample's adaptive steps, see [ode.Config]; 0 means 4096. It is refused without Adaptive.
	MaxSteps int `json:",omitempty"`
	// GraphOnly lets the graph alone drive the state: features only give its start, as in the published simulated worlds. Fields
	// without control by features, GNODE and Constant, do so anyhow.
	GraphOnly bool `json:",omitempty"`
	// LinearCoders makes encoder and readout linear maps, as in the published simulated worlds, in place of networks of two
	// hidden layers of 16.
	LinearCoders bool `json:",omitempty"`
	// Residual lets the readout give the deviation from the recent mean that the series knows of each node at a window's last
	// input (Series.Recent), in place of the whole target.
	Residual bool `json:",omitempty"`
	// Parity repeats defects of the published code, for comparison only: total(A) in place of total(A') in one fusion
	// map, the entries of PreMult drawn from U(0,1), steps that do not end beside changes; with GraphOnly
	// the graph before the latest for GNODE, else a loss that forgets which node is which (GNODE and Constant: every node's
	// forecast is compared with every node's target; the others: one forecast for the whole graph, the sum over nodes).
	Parity bool `json:",omitempty"`
	// Product chooses how A Z is computed; the zero value chooses by the size and fill of the graph. Like Memory it changes no
	// result beyond rounding, and is not in the files of [Model.Save]: a loaded model has the zero value of both until
	// [Model.Compute] sets them.
	Product equivariant.Product `json:"-"`
	// Memory bounds the states that a solve keeps for its gradient, of a batch of windows at a time; the zero value keeps all
	// of them. A Memory.Bytes below one state [BatchSize, Nodes, Hidden] is refused by Fit.
	Memory ode.Memory `json:"-"`
	// Notices gets a line, once for a model, when entries of the control that sum to more than 1000 at a node make states
	// so large that forecasts are no more exact than the solver's tolerance of such states. nil means os.Stderr;
	// io.Discard silences it.
	Notices io.Writer `json:"-"`
	// Float64 computes in float64 in place of float32.
	Float64 bool `json:",omitempty"`
	// Seed draws the initial parameters.
	Seed uint64 `json:",omitempty"`
}

const defaultStep = 0.1

// invalid is an error about options or data.
func invalid(format string, args ...any) error {
	return fmt.Errorf("pengcde: %s: %w", fmt.Sprintf(format, args...), ErrInput)
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
	if c.Step == 0 && c.Adaptive == nil {
		c.Step = defaultStep
	}
	if c.Field == "" {
		c.Field = PENG
	}
	switch {
	case c.Nodes < 1 || c.Features < 1 || c.Nodes > dyngraph.MaxNodes ||
		c.Features > nn.MaxWidth/2: // twice as many with Mask
		return c, invalid("Config has %d nodes and %d features, want those of the data, 1 to %d and 1 to %d",
			c.Nodes, c.Features, dyngraph.MaxNodes, nn.MaxWidth/2)
	case c.Outputs < 0 || c.Outputs > nn.MaxWidth || c.Hidden < 0 || c.Hidden > nn.MaxWidth || c.Layers < 0 ||
		c.Layers > nn.MaxLayers:
		return c, invalid("Config has outputs %d, hidden %d, layers %d, want 1 to %d, 1 to %d and 1 to %d, or 0 for the defaults",
			c.Outputs, c.Hidden, c.Layers, nn.MaxWidth, nn.MaxWidth, nn.MaxLayers)
	case c.Adaptive != nil && c.Step != 0:
		return c, invalid("Config.Step is %g beside Adaptive, which has no constant step: leave one out, or set Adaptive.First", c.Step)
	case c.Adaptive == nil && (!(c.Step > 0) || math.IsInf(c.Step, 1)):
		return c, invalid("Config.Step is %g, want a positive time", c.Step)
	case c.MaxSteps < 0 || c.MaxSteps > 0 && c.Adaptive == nil:
		return c, invalid("Config.MaxSteps is %d, want 0 or more, and 0 without Adaptive: constant steps have no bound", c.MaxSteps)
	case c.Control < dyngraph.NormalisedLaplacian || c.Control > dyngraph.NormalisedAdjacency:
		return c, invalid("Config.Control is %v, want one of the normalisations of dyngraph", c.Control)
	case c.Residual && c.Parity:
		return c, invalid("Config has Residual and Parity, but the published code has no residual readout: choose one")
	case !slices.Contains(Kinds(), c.Field):
		return c, invalid("Config.Field is %q, want one of %q", c.Field, Kinds())
	case c.Maps != "" && c.Field != PENG:
		return c, invalid("Config.Maps is %q for the field %q, which has no maps: leave it empty", c.Maps, c.Field)
	case c.Path == path.Rectilinear:
		return c, invalid("Config.Path is rectilinear, whose time axis is not that of the data: " +
			"choose another, or solve with package field")
	}
	if err := checkCompute(c.Product, c.Memory); err != nil {
		return c, err
	}
	if err := c.Mask.Check(); err != nil {
		return c, errs.In("pengcde: Config.Mask", err, ErrInput)
	}
	if err := c.identify(); err != nil {
		return c, err
	}
	if err := c.Path.Check(); err != nil {
		return c, errs.In("pengcde: Config.Path", err, ErrInput)
	}
	if c.Maps != "" {
		if _, _, err := equivariant.ParseMaps(c.Maps); err != nil {
			return c, errs.In("pengcde: Config.Maps", err, ErrInput)
		}
	}
	if c.Adaptive != nil {
		adaptive := *c.Adaptive // the model's own
		c.Adaptive = &adaptive
		if _, err := adaptive.Steps(0, ode.Tsit5.ErrorOrder, 0, 1); err != nil {
			return c, errs.In("pengcde: Config.Adaptive", err, ErrInput)
		}
	}
	return c, nil
}

func checkCompute(product equivariant.Product, memory ode.Memory) error {
	switch {
	case product < equivariant.Auto || product > equivariant.Sparse:
		return invalid("Config.Product is %v, want Auto, Dense or Sparse", product)
	case memory.Checkpoints < 0 || memory.Bytes < 0:
		return invalid("Config.Memory has %d checkpoints and %d bytes, want 0 (no limit) or more", memory.Checkpoints, memory.Bytes)
	}
	return nil
}

// identify checks the identities and gives them the number of nodes.
func (c *Config) identify() error {
	i := c.Identities
	if i.Nodes == 0 {
		i.Nodes = c.Nodes
	}
	if err := i.Check(); err != nil {
		return errs.In("pengcde: Config.Identities", err, ErrInput)
	}
	switch {
	case i.Size == 0:
		c.Identities = equivariant.Identities{}
		return nil
	case i.Nodes != c.Nodes:
		return invalid("Config.Identities are of %d nodes, the model has %d: leave Identities.Nodes at 0", i.Nodes, c.Nodes)
	case c.Field != PENG && c.Field != Original:
		return invalid("Config.Identities of size %d for the field %q, which takes none: leave them out, or choose %q or %q",
			i.Size, c.Field, PENG, Original)
	}
	i.Name = "" // fields set their own
	c.Identities = i
	return nil
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
	features := c.Mask.Width(c.Features)
	w := wiring{
		encoder:  nn.MLP{Name: "encoder", In: features, Out: c.Hidden, Width: coderWidth, Depth: coderDepth},
		readout:  nn.MLP{Name: "readout", In: c.Hidden, Out: c.Outputs, Width: coderWidth, Depth: coderDepth},
		stepSize: ode.Constant{Step: c.Step},
		memory:   c.Memory, continuous: !c.jumps(),
	}
	if c.Adaptive != nil {
		w.stepSize, w.maxSteps = *c.Adaptive, c.MaxSteps
	}
	if c.LinearCoders {
		w.encoder = nn.Linear{Name: "encoder", In: features, Out: c.Hidden}
		w.readout = nn.Linear{Name: "readout", In: c.Hidden, Out: c.Outputs}
	}
	if c.Parity && !c.GraphOnly {
		w.measure = global
		if !c.Field.takesFeatures() {
			w.measure = pairwise
		}
	}
	if c.GraphOnly {
		features = 0
	}
	switch c.Field {
	case Original:
		w.field = field.Original{Hidden: c.Hidden, Layers: c.Layers, Features: features, Identities: c.Identities}
	case Adjacency:
		w.field = field.Adjacency{Hidden: c.Hidden, Layers: c.Layers, Features: features}
	case PreMult:
		w.field = field.PreMult{Hidden: c.Hidden, Layers: c.Layers, Nodes: c.Nodes, Features: features, Parity: c.Parity}
	case GNODE:
		w.field = field.GNODE{Hidden: c.Hidden, Layers: c.Layers, Lag: c.Parity && c.GraphOnly}
	case Constant:
		w.field = field.Constant{Hidden: c.Hidden}
	default:
		peng := field.PENG{Hidden: c.Hidden, Layers: c.Layers, Features: features, Identities: c.Identities, Parity: c.Parity}
		if c.Maps != "" {
			peng.Maps, peng.DerivativeMaps, _ = equivariant.ParseMaps(c.Maps) // withDefaults has checked them
		}
		w.field = peng
	}
	return w
}
