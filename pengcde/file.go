package pengcde

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/pengcde/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// ErrFile is wrapped by the errors of [Load] for a file that is damaged or does not hold a model of this package.
var ErrFile = errors.New("not a usable model file")

// Keys of the metadata of a model file.
const (
	formatKey  = "pengcde.format"
	configKey  = "pengcde.config"
	fileFormat = "model 1"
)

// Save writes configuration and parameters to one safetensors file, which Python's safetensors opens too. The file is
// replaced in one step: after a failure the old one is still there.
func (m *Model) Save(path string) error {
	if m.params == nil {
		return ErrClosed
	}
	config, err := json.Marshal(m.config)
	if err != nil {
		return fmt.Errorf("pengcde: save model: %w", err)
	}
	dtype := "F32"
	if m.config.Float64 {
		dtype = "F64"
	}
	arrays := make([]safetensors.Tensor, len(m.params))
	for i, p := range m.network.params {
		if arrays[i], err = safetensors.FromFloats(p.Name, dtype, p.Dims, host.Floats(m.params[i])); err != nil {
			return fmt.Errorf("pengcde: save model: %w", err)
		}
	}
	metadata := map[string]string{formatKey: fileFormat, configKey: string(config)}
	if err := safetensors.Write(path, metadata, arrays); err != nil {
		return fmt.Errorf("pengcde: save model: %w", err)
	}
	return nil
}

// Load reads a model that [Model.Save] wrote; [Model.Compute] sets what is not in the file. Errors about the content wrap [ErrFile].
func Load(backend *xla.Backend, path string) (*Model, error) {
	if err := backend.Check(); err != nil {
		return nil, errs.In("pengcde: Load", err, ErrInput)
	}
	file, err := safetensors.Read(path)
	if errors.Is(err, safetensors.ErrCorrupt) {
		return nil, fmt.Errorf("pengcde: load %s: %w: %w", path, ErrFile, err)
	}
	if err != nil {
		return nil, fmt.Errorf("pengcde: load model: %w", err)
	}
	if got := file.Metadata[formatKey]; got != fileFormat {
		return nil, fmt.Errorf("pengcde: load %s: format is %q, want %q: %w", path, got, fileFormat, ErrFile)
	}
	var config Config
	if err := json.Unmarshal([]byte(file.Metadata[configKey]), &config); err != nil {
		return nil, fmt.Errorf("pengcde: load %s: configuration: %w: %w", path, ErrFile, err)
	}
	m, err := New(backend, config)
	if err != nil {
		return nil, errs.In(fmt.Sprintf("pengcde: load %s: %v", path, ErrFile), err, ErrFile)
	}
	if err := m.setParams(file); err != nil {
		m.Close()
		return nil, fmt.Errorf("pengcde: load %s: %w", path, err)
	}
	return m, nil
}

func (m *Model) setParams(file *safetensors.File) error {
	if len(file.Tensors) != len(m.network.params) {
		return fmt.Errorf("file has %d parameters, its configuration makes %d: %w", len(file.Tensors), len(m.network.params), ErrFile)
	}
	loaded := make([]*tensors.Tensor, len(m.params))
	for i, p := range m.network.params {
		array, ok := file.Tensor(p.Name)
		if !ok {
			return fmt.Errorf("file has no parameter %q: %w", p.Name, ErrFile)
		}
		if !slices.Equal(array.Shape, p.Dims) {
			return fmt.Errorf("parameter %q is %v, its configuration makes %v: %w", p.Name, array.Shape, p.Dims, ErrFile)
		}
		values, err := array.Floats()
		if err != nil {
			return fmt.Errorf("parameter %q: %w: %w", p.Name, ErrFile, err)
		}
		loaded[i] = host.Tensor(m.config.dtype(), values, p.Dims...)
	}
	xla.Free(m.params...)
	m.params = loaded
	return nil
}
