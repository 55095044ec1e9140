package pengcde

import (
	"cmp"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/options"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// Resolved is a [Config] with every default written out and names of sets replaced by their members. Configurations
// with equal Resolved compute the same results up to rounding, its effect on adaptive steps, and the initial
// parameters: Product, Memory, Groups and Seed are left out. Resolved is meant for comparison and storage. Fields that
// do not apply are empty.
type Resolved struct {
	Nodes    int `json:"Nodes"`
	Features int `json:"Features"`
	Outputs  int `json:"Outputs"`
	Hidden   int `json:"Hidden"`
	Layers   int `json:"Layers"`
	// Field is the name of the field, see [field.Name].
	Field     string                 `json:"Field"`
	Normalise dyngraph.Normalisation `json:"Control"`
	// Maps act on A and DerivativeMaps on A'.
	Maps           []equivariant.Map      `json:"Maps"`
	DerivativeMaps []equivariant.Map      `json:"DerivativeMaps"`
	Mask           path.Mask              `json:"Mask"`
	Identities     equivariant.Identities `json:"Identities"`
	Path           path.Kind              `json:"Path"`
	// Method is the Runge-Kutta method. It has the constant Step, or Adaptive controls its steps, at most MaxSteps
	// tries.
	Method   string   `json:"Method"`
	Step     float64  `json:"Step"`
	Adaptive *ode.PID `json:"Adaptive"`
	MaxSteps int      `json:"MaxSteps"`
	// CoderWidth and CoderDepth are the sizes of encoder and readout; 0 if these are linear.
	CoderWidth int  `json:"CoderWidth"`
	CoderDepth int  `json:"CoderDepth"`
	GraphOnly  bool `json:"GraphOnly"`
	Residual   bool `json:"Residual"`
	Parity     bool `json:"Parity"`
	// Float is the floating-point type of the computation.
	Float  string `json:"Float"`
	Output string `json:"Output,omitzero"`
	// FieldParity says that the field repeats a defect of the published code that Parity does not set.
	FieldParity bool `json:"FieldParity,omitzero"`
	// Linear is the linear part of the head, with its defaults written out.
	Linear      *head.Linear   `json:"Linear,omitzero"`
	RowFeatures int            `json:"RowFeatures,omitzero"`
	Smoothing   path.Smoothing `json:"Smoothing,omitzero"`
	Pairs       bool           `json:"Pairs,omitzero"`
	// Head is the name of a custom head, and HeadOptions its value as JSON.
	Head        string `json:"Head,omitzero"`
	HeadOptions string `json:"HeadOptions,omitzero"`
	// Network is the name of a network in discrete steps, as in files, and Inputs the number of observations of a
	// window.
	Network string `json:"Network,omitzero"`
	Inputs  int    `json:"Inputs,omitzero"`
	// DerivativeIn, LocalScale and Style are options of fields on graphs; the zero values are the published ones.
	DerivativeIn field.Layers `json:"DerivativeIn,omitzero"`
	LocalScale   bool         `json:"LocalScale,omitzero"`
	Style        field.Style  `json:"Style,omitzero"`
	// Options is the value of a network or of a custom field as JSON.
	Options string `json:"Options,omitzero"`
}

// Resolved checks the configuration and returns it with its defaults written out.
func (c Config) Resolved() (Resolved, error) {
	c, err := c.withDefaults()
	if err != nil {
		return Resolved{}, err
	}
	h, err := head.Store(c.Head)
	if err != nil {
		return Resolved{}, err
	}
	r := Resolved{
		Nodes: c.Nodes, Features: c.Features, Outputs: c.Outputs, Output: h.Output, Residual: h.Residual, Pairs: h.Pairs,
		Linear: h.Linear, Head: h.Head, HeadOptions: h.HeadOptions, Normalise: c.Normalise, Mask: c.Mask,
		Smoothing: c.Smoothing,
		GraphOnly: c.GraphOnly, Float: c.dtype().String(),
	}
	if c.Network != nil {
		return c.resolvedNetwork(r)
	}
	r.Hidden, r.Layers, r.Field, r.Path, r.Method = c.Hidden, c.Layers, field.Name(c.Field), c.Path, c.method().Name
	r.Step, r.CoderWidth, r.CoderDepth = c.Step, head.CoderWidth, head.CoderDepth
	r.Parity, r.RowFeatures = c.Parity, c.RowFeatures
	if c.LinearCoders {
		r.CoderWidth, r.CoderDepth = 0, 0
	}
	f := c.wiring().field
	if rows, ok := f.(field.Rows); ok {
		f = rows.Field
	}
	switch f := f.(type) {
	case field.PENG:
		if r.Maps = f.Maps; r.Maps == nil {
			r.Maps = equivariant.Published8()
		}
		if r.DerivativeMaps = f.DerivativeMaps; r.DerivativeMaps == nil {
			r.DerivativeMaps = r.Maps
		}
		r.Identities, r.FieldParity = f.Identities, f.Parity && !c.Parity
		r.DerivativeIn, r.LocalScale, r.Style = f.DerivativeIn.Resolved(), f.LocalScale, f.Style.Resolved()
		if r.DerivativeIn == field.NoLayer {
			r.DerivativeMaps = nil
		}
	case field.Original:
		r.Identities = f.Identities
		r.DerivativeIn, r.Style = f.DerivativeIn.Resolved(), f.Style.Resolved()
	case field.PreMult:
		r.Identities, r.FieldParity = f.Identities, f.Parity && !c.Parity
	case field.GNODE:
		r.FieldParity = f.Lag && !(c.Parity && c.GraphOnly)
		r.Style = f.Style.Resolved()
	case field.Adjacency:
		r.Style = f.Style.Resolved()
	case field.Constant:
	default:
		if r.Options, err = optionsOf("Field", f); err != nil {
			return Resolved{}, err
		}
	}
	if r.Identities.Size == 0 {
		r.Identities = equivariant.Identities{}
	}
	r.Identities.Kind = cmp.Or(r.Identities.Kind, equivariant.IdentityMLP)
	if c.Adaptive != nil {
		adaptive, err := c.Adaptive.Resolved()
		if err != nil {
			return Resolved{}, err
		}
		r.Adaptive, r.MaxSteps = &adaptive, cmp.Or(c.MaxSteps, ode.DefaultMaxSteps)
	}
	return r, nil
}

// resolvedNetwork adds the network of a configuration whose defaults are filled in.
func (c Config) resolvedNetwork(r Resolved) (_ Resolved, err error) {
	network := c.Network
	if n, ok := network.(sequence.Resolver); ok {
		network = n.Resolved(c.sizes())
	}
	r.Network, r.Inputs = field.Name(c.Network), c.Inputs
	r.Options, err = optionsOf("Network", network)
	return r, err
}

// optionsOf returns the options of the network or field in a field of Config, as JSON.
func optionsOf(name string, model any) (string, error) {
	text, err := options.Text(model)
	if err != nil {
		return "", invalid("Config.%s, a %T, cannot be JSON: %v", name, model, err)
	}
	return text, nil
}
