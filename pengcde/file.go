package pengcde

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/options"
	"github.com/peng-cde/pengcde-go/internal/paramfile"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/xla"
)

// ErrFile is wrapped by the errors of [Load] for a file that is damaged or does not hold a model of this package.
var ErrFile = paramfile.ErrFile

const (
	configKey  = "pengcde.config" // in the metadata of a model file
	fileFormat = "model 2"
)

// Save writes the configuration and the parameters to one safetensors file, which Python's safetensors can read too. It
// replaces the file atomically: after a failure the old file is still there.
func (m *Model) Save(path string) error { return m.SaveWith(path, nil) }

// reserved is the prefix of the metadata keys of this module.
const reserved = "pengcde."

// SaveWith is Save with your own texts in the file, for example how the data were read. [Metadata] returns them, and
// Load ignores them. Keys that begin with "pengcde." are refused.
func (m *Model) SaveWith(path string, texts map[string]string) error {
	if m.params == nil {
		return ErrClosed
	}
	config, err := json.Marshal(m.config)
	if err != nil {
		return fmt.Errorf("pengcde: save model: %w", err)
	}
	metadata := map[string]string{configKey: string(config)}
	for key, text := range texts {
		if strings.HasPrefix(key, reserved) {
			return invalid("SaveWith has the key %q, want one that does not begin with %q", key, reserved)
		}
		metadata[key] = text
	}
	if err := paramfile.Write(path, fileFormat, metadata, m.declared, m.params); err != nil {
		return fmt.Errorf("pengcde: save model: %w", err)
	}
	return nil
}

// stored is the JSON form of a Config: it has the head, and the name and the options of the field or network.
type stored struct {
	plain
	head.Stored
	Method  string          `json:"Method,omitempty"`
	Field   string          `json:"Field,omitempty"`
	Network string          `json:"Network,omitempty"`
	Options json.RawMessage `json:"Options,omitempty"`
}

type plain Config // without methods

// MarshalJSON encodes the configuration. It writes the name of the field or network (see [field.Name]) and, if there
// are any, its options as "Options".
func (c Config) MarshalJSON() ([]byte, error) {
	s := stored{plain: plain(c)}
	var err error
	if s.Stored, err = head.Store(c.Head); err != nil {
		return nil, err
	}
	if c.Method != nil {
		s.Method = c.Method.Name
	}
	var model any
	if c.Network != nil {
		model, s.Network = c.Network, field.Name(c.Network)
	} else if c.Field != nil {
		model, s.Field = c.Field, field.Name(c.Field)
	}
	if model != nil {
		options, err := json.Marshal(model)
		if err != nil {
			return nil, fmt.Errorf("pengcde: Config.%s: %w", s.part(), err)
		}
		if string(options) != "{}" {
			s.Options = options
		}
		if s.Field == field.Names()[0] && s.Options == nil {
			s.Field = "" // the default
		}
	}
	return json.Marshal(s)
}

// part returns the name of the field of Config that the stored name belongs to.
func (s stored) part() string {
	if s.Network != "" {
		return "Network"
	}
	return "Field"
}

// UnmarshalJSON decodes the output of MarshalJSON. It returns an error for a custom field or network; [Load] accepts a
// value for it.
func (c *Config) UnmarshalJSON(text []byte) error { return c.read(text) }

// read is UnmarshalJSON with values for custom fields, networks and heads.
func (c *Config) read(text []byte, own ...any) (err error) {
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	*c = Config(s.plain)
	if c.Head, err = s.Restore(own); err != nil {
		return err
	}
	if c.Method, err = s.method(own); err != nil {
		return err
	}
	name := cmp.Or(s.Network, s.Field, field.Names()[0])
	model := field.Registered(name)
	for _, value := range own {
		switch value := value.(type) {
		case sequence.Network:
			if field.Name(value) == s.Network {
				model = value
			}
		case field.Field:
			if s.Network == "" && field.Name(value) == s.Field {
				model = value
			}
		}
	}
	if model == nil {
		return invalid("Config.%s is %q: "+
			"import the package that registers it, such as pengcde/rivals, or give Load a value of it", s.part(), name)
	}
	if model, err = options.With(model, string(s.Options)); err != nil {
		return err
	}
	fits := false
	if s.Network != "" {
		c.Network, fits = model.(sequence.Network)
	} else {
		c.Field, fits = model.(field.Field)
	}
	if !fits {
		return invalid("Config.%s is %q, which is a %T", s.part(), name, model)
	}
	return nil
}

// method returns the Runge-Kutta method, nil for the default, from own or package ode.
func (s stored) method(own []any) (*ode.Method, error) {
	for _, value := range own {
		if m, ok := value.(*ode.Method); ok && m != nil && m.Name == s.Method {
			return m, nil
		}
	}
	if s.Method == "" {
		return nil, nil
	}
	if m, err := ode.MethodNamed(s.Method); err == nil {
		return m, nil
	}
	return nil, invalid("Config.Method is %q: give Load the *ode.Method of this name", s.Method)
}

// Load reads a model from a file written by [Model.Save]. [Model.SetProduct] and [Model.SetMemory] set fields that are
// not in the file. For a custom field ([field.Field]), network ([sequence.Network]) or head ([head.Head]) that is not
// registered ([field.Register]), pass a value of the Go type, or of the name ([field.FileNamed]), that it had when the
// model was saved. Its options are read from the file. Pass an [ode.Method] of your own too. Errors about the content
// wrap [ErrFile]. An error about a value of another type wraps [ErrInput].
func Load(backend *xla.Backend, path string, own ...any) (*Model, error) {
	if err := backend.Check(); err != nil {
		return nil, errs.In("pengcde: Load", err, ErrInput)
	}
	for _, model := range own {
		switch model.(type) {
		case sequence.Network, field.Field, head.Head, *ode.Method:
		default:
			return nil, invalid("Load got a %T, want a field.Field, a sequence.Network, a head.Head or an *ode.Method", model)
		}
	}
	file, err := paramfile.Read(path, fileFormat)
	if err != nil {
		return nil, fmt.Errorf("pengcde: load %s: %w", path, err)
	}
	var config Config
	if err := config.read([]byte(file.Metadata[configKey]), own...); err != nil {
		return nil, errs.In(fmt.Sprintf("pengcde: load %s: %v: configuration", path, ErrFile), err, ErrFile)
	}
	m, err := New(backend, config)
	if err != nil {
		return nil, errs.In(fmt.Sprintf("pengcde: load %s: %v", path, ErrFile), err, ErrFile)
	}
	loaded, err := paramfile.Values(file, m.declared, config.dtype())
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("pengcde: load %s: %w", path, err)
	}
	xla.Free(m.params...)
	m.params = loaded
	return m, nil
}

// Metadata returns the texts that [Model.SaveWith] wrote to a model file. Errors about the content wrap [ErrFile].
func Metadata(path string) (map[string]string, error) {
	file, err := paramfile.Read(path, fileFormat)
	if err != nil {
		return nil, fmt.Errorf("pengcde: load %s: %w", path, err)
	}
	maps.DeleteFunc(file.Metadata, func(key, _ string) bool { return strings.HasPrefix(key, reserved) })
	return file.Metadata, nil
}
