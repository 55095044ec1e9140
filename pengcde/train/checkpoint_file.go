package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
)

const (
	checkpointFormat = "checkpoint 1"
	formatKey        = "pengcde.format"
	identityKey      = "pengcde.key"
	settingKey       = "pengcde.setting"
	positionKey      = "pengcde.position"
)

// saved is a checkpoint as read from a file.
type saved struct {
	position
	identity string
	epochs   []Epoch
	// values holds the entries of each tensor, row-major, by the name of the group.
	values map[string][][]float64
}

// training tells trainings apart: setting is a hash of everything besides parameters that determines how one
// continues, identity a hash of the initial parameters too.
type training struct{ identity, setting string }

func readCheckpoint(path string, of training, params []*tensors.Tensor) (*saved, error) {
	file, err := safetensors.Read(path)
	if err != nil {
		return nil, err
	}
	if format := file.Metadata[formatKey]; format != checkpointFormat {
		return nil, fmt.Errorf("format is %q, want %q", format, checkpointFormat)
	}
	s := &saved{identity: file.Metadata[identityKey]}
	if s.identity != of.identity && file.Metadata[settingKey] != of.setting {
		return nil, errors.New("it is of a training with another configuration, data or initial parameters")
	}
	if err := json.Unmarshal([]byte(file.Metadata[positionKey]), &s.position); err != nil {
		return nil, err
	}
	if err := s.readEpochs(file); err != nil {
		return nil, err
	}
	if err := s.readTensors(file, params); err != nil {
		return nil, err
	}
	if s.identity != of.identity && !s.left(params) {
		return nil, errors.New("it is of a training with other initial parameters: reset the model to its seed, or make a " +
			"new one")
	}
	return s, nil
}

// left reports whether these are the parameters that the interrupted training returned, so that it may go on with them.
func (s *saved) left(params []*tensors.Tensor) bool {
	values := s.values[bestGroup]
	for _, group := range []string{averageGroup, parametersGroup} {
		if values == nil {
			values = s.values[group]
		}
	}
	for i, p := range params {
		if !slices.Equal(host.Floats(p), host.Floats(host.Tensor(p.DType(), values[i], p.Shape().Dimensions...))) {
			return false
		}
	}
	return true
}

// epochArrays are the columns of the report. Earlier versions wrote checkpoints without the columns marked as added.
var epochArrays = []struct {
	name  string
	added bool
	of    func(*Epoch) number
}{
	{"epochs.train_loss", false, func(e *Epoch) number { return of(&e.TrainLoss) }},
	{"epochs.validation", false, func(e *Epoch) number { return of(&e.Validation) }},
	{"epochs.gradient_norm", false, func(e *Epoch) number { return of(&e.GradientNorm) }},
	{"epochs.seconds", false, func(e *Epoch) number { return of(&e.Seconds) }},
	{"epochs.largest_norm", true, func(e *Epoch) number { return of(&e.LargestNorm) }},
	{"epochs.tries", true, func(e *Epoch) number { return of(&e.Tries) }},
	{"epochs.rejected", true, func(e *Epoch) number { return of(&e.Rejected) }},
	{"epochs.retried", true, func(e *Epoch) number { return of(&e.Retried) }},
	{"epochs.skipped", true, func(e *Epoch) number { return of(&e.Skipped) }},
}

// number accesses a number of an epoch as float64.
type number struct {
	get func() float64
	set func(float64)
}

func of[T int | float64](x *T) number {
	return number{func() float64 { return float64(*x) }, func(v float64) { *x = T(v) }}
}

func (s *saved) readEpochs(file *safetensors.File) error {
	for i, column := range epochArrays {
		if _, ok := file.Tensor(column.name); !ok && column.added {
			continue
		}
		values, err := floatsOf(file, column.name)
		if err != nil {
			return err
		}
		if i == 0 {
			s.epochs = make([]Epoch, len(values))
		}
		if len(values) != len(s.epochs) || s.Best >= len(values) || s.Batch < 0 {
			return fmt.Errorf("%s of %d epochs, want %d; best epoch %d, batch %d", column.name, len(values),
				len(s.epochs), s.Best, s.Batch)
		}
		for i, v := range values {
			column.of(&s.epochs[i]).set(v)
		}
	}
	for i := range s.epochs {
		s.epochs[i].LargestNorm = max(s.epochs[i].LargestNorm, s.epochs[i].GradientNorm)
	}
	return nil
}

// Names of the groups of tensors in a checkpoint, one tensor for every parameter. The group best exists from the first
// validation on, the group average from the first step of a training with Config.Average on.
const (
	parametersGroup = "parameters"
	firstGroup      = "first_moments"
	secondGroup     = "second_moments"
	bestGroup       = "best"
	averageGroup    = "average"
)

// readTensors reads the tensors of every group that exists.
func (s *saved) readTensors(file *safetensors.File, like []*tensors.Tensor) error {
	s.values = make(map[string][][]float64)
	for _, group := range []string{parametersGroup, firstGroup, secondGroup, bestGroup, averageGroup} {
		_, found := file.Tensor(group + ".0")
		if group == bestGroup && s.Best < 0 || group == averageGroup && !found {
			continue
		}
		for i, p := range like {
			values, err := floatsOf(file, fmt.Sprintf("%s.%d", group, i))
			if err != nil {
				return err
			}
			if len(values) != p.Size() {
				return fmt.Errorf("array %s.%d has %d entries, want %d", group, i, len(values), p.Size())
			}
			s.values[group] = append(s.values[group], values)
		}
	}
	return nil
}

func floatsOf(file *safetensors.File, name string) ([]float64, error) {
	array, ok := file.Tensor(name)
	if !ok {
		return nil, fmt.Errorf("no array %q", name)
	}
	return array.Floats()
}

func (l *loop) arrays() ([]safetensors.Tensor, error) {
	n := len(l.params)
	var arrays []safetensors.Tensor
	add := func(name, dtype string, dims []int, values []float64) error {
		array, err := safetensors.FromFloats(name, dtype, dims, values)
		arrays = append(arrays, array)
		return err
	}
	for _, group := range []struct {
		name string
		of   []*tensors.Tensor
	}{{parametersGroup, l.params}, {firstGroup, l.optimiser.moments[:n]}, {secondGroup, l.optimiser.moments[n:]},
		{bestGroup, l.best}} {
		for i, t := range group.of {
			dtype := "F32"
			if t.DType() == dtypes.Float64 {
				dtype = "F64"
			}
			err := add(fmt.Sprintf("%s.%d", group.name, i), dtype, t.Shape().Dimensions, host.Floats(t))
			if err != nil {
				return nil, err
			}
		}
	}
	for i, entries := range l.mean {
		dims := l.params[i].Shape().Dimensions
		if err := add(fmt.Sprintf("%s.%d", averageGroup, i), "F64", dims, entries); err != nil {
			return nil, err
		}
	}
	for _, column := range epochArrays {
		values := make([]float64, len(l.report.Epochs))
		for i := range values {
			values[i] = column.of(&l.report.Epochs[i]).get()
		}
		if err := add(column.name, "F64", []int{len(values)}, values); err != nil {
			return nil, err
		}
	}
	return arrays, nil
}
