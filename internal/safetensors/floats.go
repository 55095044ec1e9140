package safetensors

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// FromFloats builds a tensor of dtype "F64" or "F32" (rounded to nearest) from values in row-major order, one for each
// entry of shape. Its errors wrap ErrInvalid: another dtype, another number of values, a finite value beyond F32.
func FromFloats(name, dtype string, shape []int, values []float64) (Tensor, error) {
	t := Tensor{Name: name, DType: dtype, Shape: slices.Clone(shape)}
	for i, v := range values {
		narrow := float32(v)
		switch {
		case dtype == "F64":
			t.Data = binary.LittleEndian.AppendUint64(t.Data, math.Float64bits(v))
		case math.IsInf(float64(narrow), 0) && !math.IsInf(v, 0):
			return Tensor{}, fmt.Errorf("safetensors: %w: %q: entry %d is %g, beyond F32: store F64", ErrInvalid, name,
				i, v)
		default:
			t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(narrow))
		}
	}
	if err := t.checkFloats(); err != nil {
		return Tensor{}, err
	}
	return t, nil
}

// Floats returns the entries of an F32 or F64 tensor in row-major order. Its errors wrap ErrInvalid: another dtype,
// Data that does not fit it.
func (t Tensor) Floats() ([]float64, error) {
	if err := t.checkFloats(); err != nil {
		return nil, err
	}
	values := make([]float64, len(t.Data)/widths[t.DType])
	for i := range values {
		if t.DType == "F64" {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(t.Data[8*i:]))
		} else {
			values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:])))
		}
	}
	return values, nil
}

func (t Tensor) checkFloats() error {
	if t.DType != "F32" && t.DType != "F64" {
		return fmt.Errorf("safetensors: %w: %q: got dtype %q for floats, wanted F32 or F64", ErrInvalid, t.Name,
			t.DType)
	}
	if err := t.check(len(t.Data)); err != nil {
		return fmt.Errorf("safetensors: %w: %w", ErrInvalid, err)
	}
	return nil
}

// FromInts builds a tensor of dtype "I32" with one axis; the values must fit.
func FromInts[T int | int32](name string, values []T) Tensor {
	t := Tensor{Name: name, DType: "I32", Shape: []int{len(values)}}
	for _, v := range values {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, uint32(int32(v)))
	}
	return t
}
