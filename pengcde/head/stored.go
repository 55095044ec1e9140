package head

import (
	"github.com/peng-cde/pengcde-go/internal/options"
	"github.com/peng-cde/pengcde-go/pengcde/field"
)

// Stored is the form of a head in files and identities: Output and options for a head of this package, a name for a
// custom head.
type Stored struct {
	Output   string  `json:"Output,omitempty"`
	Residual bool    `json:"Residual,omitempty"`
	Pairs    bool    `json:"Pairs,omitempty"`
	Linear   *Linear `json:"Linear,omitempty"`
	// Head is the name of a custom head, and HeadOptions its value as JSON.
	Head        string `json:"Head,omitempty"`
	HeadOptions string `json:"HeadOptions,omitempty"`
}

// Names of heads in files and identities.
const (
	summedOutput, classOutput, rankingOutput = "summed", "class", "affinity"
)

// outputs maps the times of [Nodes] to their names in files.
var outputs = map[Times]string{"": "", AtEnd: "per node", AtEach: "per time"}

// Store returns the stored form of a head; nil is the zero value.
func Store(h Head) (o Stored, err error) {
	switch h := h.(type) {
	case nil:
	case Nodes:
		o = Stored{Output: outputs[h.At], Residual: h.Residual}
	case Corrected:
		o = Stored{Output: outputs[h.At], Residual: h.Residual, Linear: &h.Linear}
	case Summed:
		o.Output = summedOutput
	case Class:
		o.Output = classOutput
	case Ranking:
		o = Stored{Output: rankingOutput, Residual: h.Residual, Pairs: h.Pairs}
	default:
		o.Head = field.Name(h)
		if o.HeadOptions, err = options.Text(h); err != nil {
			err = invalid("head %T cannot be JSON: %v", h, err)
		}
	}
	return o, err
}

// Restore returns the stored head, nil for the zero value. For a custom head it takes the value of that name from own and
// sets the stored options.
func (o Stored) Restore(own []any) (Head, error) {
	switch {
	case o == Stored{}:
		return nil, nil
	case o.Head != "":
		for _, value := range own {
			if h, ok := value.(Head); ok && field.Name(h) == o.Head {
				made, err := options.With(h, o.HeadOptions)
				if err != nil {
					return nil, err
				}
				return made.(Head), nil
			}
		}
		return nil, invalid("Config.Head is %q, none of package head: give Load a value of it", o.Head)
	case o.Output == summedOutput:
		return Summed{}, nil
	case o.Output == classOutput:
		return Class{}, nil
	case o.Output == rankingOutput:
		return Ranking{Pairs: o.Pairs, Residual: o.Residual}, nil
	}
	for at, output := range outputs {
		if output == o.Output {
			nodes := Nodes{At: at, Residual: o.Residual}
			if o.Linear != nil {
				return Corrected{Nodes: nodes, Linear: *o.Linear}, nil
			}
			return nodes, nil
		}
	}
	return nil, invalid("Config.Output is %q, want %q, %q, %q, %q, %q or nothing", o.Output, outputs[AtEnd],
		outputs[AtEach], summedOutput, classOutput, rankingOutput)
}
