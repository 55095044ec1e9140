// Package paramfile keeps the parameters of a model in a safetensors file.
package paramfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// ErrFile is wrapped by errors about a file that is damaged or does not hold the parameters of the model.
var ErrFile = errors.New("not a usable model file")

// formatKey is the key of the format in the metadata of a file.
const formatKey = "pengcde.format"

// Write writes parameters and texts to a file of a format, such as "model 2". It replaces the file atomically.
func Write(path, format string, texts map[string]string, params []nn.Param, values []*tensors.Tensor) error {
	arrays := make([]safetensors.Tensor, len(params))
	for i, p := range params {
		dtype := "F32"
		if values[i].DType() == dtypes.Float64 {
			dtype = "F64"
		}
		var err error
		if arrays[i], err = safetensors.FromFloats(p.Name, dtype, p.Dims, host.Floats(values[i])); err != nil {
			return err
		}
	}
	metadata := map[string]string{formatKey: format}
	maps.Copy(metadata, texts)
	return safetensors.Write(path, metadata, arrays)
}

// Read reads a file of a format.
func Read(path, format string) (*safetensors.File, error) {
	file, err := safetensors.Read(path)
	if errors.Is(err, safetensors.ErrCorrupt) {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	if err != nil {
		return nil, err
	}
	switch got := file.Metadata[formatKey]; {
	case got == format:
		return file, nil
	case got != "" && kind(got) != kind(format):
		return nil, errs.New(ErrFile, "format is %q, want %q: load it with the type that saved it", got, format)
	default:
		return nil, errs.New(ErrFile, "format is %q, want %q: train the model again with this version", got, format)
	}
}

// kind returns what a format is of, such as "model" for "model 2".
func kind(format string) string {
	name, _, _ := strings.Cut(format, " ")
	return name
}

// Values returns the values of the parameters in a file.
func Values(file *safetensors.File, params []nn.Param, dtype dtypes.DType) ([]*tensors.Tensor, error) {
	if len(file.Tensors) != len(params) {
		return nil, errs.New(ErrFile, "file has %d parameters, the model has %d", len(file.Tensors), len(params))
	}
	values := make([][]float64, len(params))
	for i, p := range params {
		array, ok := file.Tensor(p.Name)
		if !ok {
			return nil, errs.New(ErrFile, "file has no parameter %q", p.Name)
		}
		if !slices.Equal(array.Shape, p.Dims) {
			return nil, errs.New(ErrFile, "parameter %q is %v in the file, in the model %v", p.Name, array.Shape, p.Dims)
		}
		var err error
		if values[i], err = array.Floats(); err != nil {
			return nil, fmt.Errorf("parameter %q: %w: %w", p.Name, ErrFile, err)
		}
	}
	loaded := make([]*tensors.Tensor, len(params))
	for i, p := range params {
		loaded[i] = host.Tensor(dtype, values[i], p.Dims...)
	}
	return loaded, nil
}
