package ode

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrInput is wrapped by errors about the input of a solve: times, shapes, options.
var ErrInput = errs.ErrInput

// InputError is an error about one entry of the input of a solve; it wraps [ErrInput].
type InputError struct {
	// What names the input, for example "save time".
	What string
	// Sample is the index in the batch. Entry is the index of the value in the sample's row (row-major for a state).
	Sample, Entry int
	// Value is the value given, and Want describes the values allowed.
	Value float64
	Want  string
}

// Error implements error.
func (e *InputError) Error() string {
	return fmt.Sprintf("pengcde/ode: %s %d of sample %d is %g, want %s", e.What, e.Entry, e.Sample, e.Value, e.Want)
}

// Unwrap returns [ErrInput].
func (e *InputError) Unwrap() error { return ErrInput }

func checkContext(ctx context.Context) error {
	if ctx == nil {
		return errs.New(ErrInput, "pengcde/ode: the context is nil, want one such as context.Background()")
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// checkState checks that z0 is a tensor [batch, ...] of finite floats with no empty axis.
func checkState(z0 *tensors.Tensor) error {
	if !z0.Ok() {
		return errs.New(ErrInput, "pengcde/ode: initial state is nil or was freed, want floats [batch, ...]")
	}
	if z0.Rank() < 2 || !z0.DType().IsFloat() || z0.Size() == 0 {
		return errs.New(ErrInput, "pengcde/ode: initial state is %s, want floats [batch, ...] without an empty axis",
			z0.Shape())
	}
	entries, err := entriesOf(z0)
	if err != nil {
		return fmt.Errorf("pengcde/ode: initial state: %w", err)
	}
	size := z0.Size() / z0.Shape().Dimensions[0]
	for i, v := range entries {
		if !finite(v) {
			return &InputError{What: "initial state, entry", Sample: i / size, Entry: i % size, Value: v,
				Want: "a finite number"}
		}
	}
	return nil
}

// entriesOf copies the entries of a tensor of any float type.
func entriesOf(x *tensors.Tensor) (entries []float64, err error) {
	err = x.ConstFlatData(func(flat any) {
		switch xs := flat.(type) {
		case []float64:
			entries = slices.Clone(xs)
		case []float32:
			entries = widened(xs, func(x float32) float64 { return float64(x) })
		case []float16.Float16:
			entries = widened(xs, func(x float16.Float16) float64 { return float64(x.Float32()) })
		case []bfloat16.BFloat16:
			entries = widened(xs, func(x bfloat16.BFloat16) float64 { return float64(x.Float32()) })
		}
	})
	return entries, err
}

func widened[T any](xs []T, value func(T) float64) []float64 {
	entries := make([]float64, len(xs))
	for i, x := range xs {
		entries[i] = value(x)
	}
	return entries
}

// perSample returns a row of finite times for each sample of a batch; a single row serves all samples.
func perSample(what string, rows [][]float64, batch int) ([][]float64, error) {
	for b, row := range rows {
		if i := slices.IndexFunc(row, func(t float64) bool { return !finite(t) }); i >= 0 {
			return nil, &InputError{What: what, Sample: b, Entry: i, Value: row[i], Want: "a finite time"}
		}
	}
	if len(rows) == 1 {
		return slices.Repeat(rows, batch), nil
	}
	if len(rows) != batch {
		return nil, errs.New(ErrInput, "pengcde/ode: %ss for %d samples, want 1 row or the batch's %d", what, len(rows),
			batch)
	}
	return rows, nil
}

// sameLength is perSample for rows of equal length, at least 1.
func sameLength(what string, rows [][]float64, batch int) ([][]float64, error) {
	rows, err := perSample(what, rows, batch)
	if err != nil {
		return nil, err
	}
	for b, row := range rows {
		if len(row) == 0 {
			return nil, errs.New(ErrInput, "pengcde/ode: sample %d has no %ss, want at least one", b, what)
		}
		if len(row) != len(rows[0]) {
			return nil, errs.New(ErrInput, "pengcde/ode: sample %d has %d %ss and sample 0 has %d, want as many",
				b, len(row), what, len(rows[0]))
		}
	}
	return rows, nil
}

// checkTimes checks the save times of a problem. A time may be repeated.
func checkTimes(p Problem) ([][]float64, error) {
	const what = "save time"
	if p.Save != AtTimes && p.Save != EveryStep {
		return nil, errs.New(ErrInput, "pengcde/ode: Problem.Save is %q, want AtTimes or EveryStep", p.Save)
	}
	times, err := sameLength(what, p.Times, p.Z0.Shape().Dimensions[0])
	if err != nil {
		return nil, err
	}
	for b, row := range times {
		if p.Save == EveryStep && len(row) > 2 {
			return nil, errs.New(ErrInput, "pengcde/ode: sample %d has %d save times, want t0 and t1 alone when every step "+
				"is saved", b, len(row))
		}
		toward := direction(row[0], row[len(row)-1])
		for i := range row[1:] {
			if toward*(row[i+1]-row[i]) < 0 || toward == 0 && row[i+1] != row[i] {
				return nil, &InputError{What: what, Sample: b, Entry: i + 1, Value: row[i+1],
					Want: fmt.Sprintf("one that follows %g on the way from t0 = %g to t1 = %g, the first and the last", row[i], row[0],
						row[len(row)-1])}
			}
		}
	}
	return times, nil
}

// direction returns the sign of t1 - t0.
func direction(t0, t1 float64) float64 {
	switch {
	case t1 > t0:
		return 1
	case t1 < t0:
		return -1
	}
	return 0
}
