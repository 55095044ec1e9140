package pengcde

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// head returns the head for the sizes of the configuration.
func (c Config) head() (head.Head, error) {
	sizes := head.Sizes{Nodes: c.Nodes, Outputs: c.Outputs, Linear: c.LinearCoders}
	if c.Network == nil {
		sizes.Width = c.Hidden
	}
	if c.Parity {
		switch {
		case c.GraphOnly:
			sizes.Parity = head.EachForItself
		case traits(c.Field).Pairwise:
			sizes.Parity = head.Pairwise
		default:
			sizes.Parity = head.OneForAll
		}
	}
	h, err := cmp.Or[head.Head](c.Head, head.Nodes{}).Sized(sizes)
	if err != nil {
		return nil, errs.In("pengcde: Config.Head", err, ErrInput)
	}
	return h, nil
}

// perTime reports whether a network in discrete steps forecasts at each snapshot.
func (c Config) perTime() bool { return c.Head.Traits().EachTime }

func isSummed(h head.Head) bool {
	_, summed := h.(head.Summed)
	return summed
}

// start sets the parameters of the head that can be fitted to training windows before training.
func (m *Model) start(training []dyngraph.Window) error {
	h, ok := m.config.Head.(head.Starter)
	if !ok {
		return nil
	}
	values, err := h.Start(training, m.check)
	if err != nil {
		return errs.In("pengcde", err, ErrInput)
	}
	for name, entries := range values {
		at := slices.IndexFunc(m.declared, func(p nn.Param) bool { return p.Name == name })
		xla.Free(m.params[at])
		m.params[at] = host.Tensor(m.config.dtype(), entries, m.declared[at].Dims...)
	}
	return nil
}

// SetPrior sets Prior and Penalty of the linear part, [head.Corrected], for subsequent trainings. It does not recompile
// programs.
func (m *Model) SetPrior(coefficients []float64, penalty float64) error {
	if m.params == nil {
		return ErrClosed
	}
	h, ok := m.config.Head.(head.Corrected)
	if !ok {
		return invalid("SetPrior of a model without a linear part: take the head head.Corrected")
	}
	h.Linear.Prior, h.Linear.Penalty = coefficients, penalty
	sized, err := h.Sized(h.Sizes)
	if err != nil {
		return errs.In("pengcde", err, ErrInput)
	}
	m.config.Head = sized
	return nil
}

// headOptions is the stored form of a head.
type headOptions struct {
	Output   string       `json:"Output,omitempty"`
	Residual bool         `json:"Residual,omitempty"`
	Pairs    bool         `json:"Pairs,omitempty"`
	Linear   *head.Linear `json:"Linear,omitempty"`
	// Head is the name of a custom head, and HeadOptions its value as JSON.
	Head        string `json:"Head,omitempty"`
	HeadOptions string `json:"HeadOptions,omitempty"`
}

// Names of heads in files and identities.
const (
	summedOutput, classOutput, rankingOutput = "summed", "class", "affinity"
)

// outputs maps the times of [head.Nodes] to their names in files.
var outputs = map[head.Times]string{"": "", head.AtEnd: "per node", head.AtEach: "per time"}

// optionsOf returns the stored form of a head.
func optionsOf(h head.Head) (o headOptions, err error) {
	switch h := h.(type) {
	case nil:
	case head.Nodes:
		o = headOptions{Output: outputs[h.At], Residual: h.Residual}
	case head.Corrected:
		o = headOptions{Output: outputs[h.At], Residual: h.Residual, Linear: &h.Linear}
	case head.Summed:
		o.Output = summedOutput
	case head.Class:
		o.Output = classOutput
	case head.Ranking:
		o = headOptions{Output: rankingOutput, Residual: h.Residual, Pairs: h.Pairs}
	default:
		o.Head = field.Name(h)
		o.HeadOptions, err = options("Head", h)
	}
	return o, err
}

// head returns the stored head. For a custom head it takes the value of that name from own and sets the stored options.
func (o headOptions) head(own []any) (head.Head, error) {
	switch {
	case o == headOptions{}:
		return nil, nil
	case o.Head != "":
		for _, value := range own {
			if h, ok := value.(head.Head); ok && field.Name(h) == o.Head {
				made, err := withOptions(h, json.RawMessage(o.HeadOptions))
				if err != nil {
					return nil, err
				}
				return made.(head.Head), nil
			}
		}
		return nil, invalid("Config.Head is %q, none of package head: give Load a value of it", o.Head)
	case o.Output == summedOutput:
		return head.Summed{}, nil
	case o.Output == classOutput:
		return head.Class{}, nil
	case o.Output == rankingOutput:
		return head.Ranking{Pairs: o.Pairs, Residual: o.Residual}, nil
	}
	for at, output := range outputs {
		if output == o.Output {
			nodes := head.Nodes{At: at, Residual: o.Residual}
			if o.Linear != nil {
				return head.Corrected{Nodes: nodes, Linear: *o.Linear}, nil
			}
			return nodes, nil
		}
	}
	return nil, invalid("Config.Output is %q, want %q, %q, %q, %q, %q or nothing", o.Output, outputs[head.AtEnd],
		outputs[head.AtEach], summedOutput, classOutput, rankingOutput)
}
