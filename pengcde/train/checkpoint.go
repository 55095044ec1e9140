package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/xla"
)

// ErrCheckpoint is wrapped when training cannot go on from the checkpoint that is there: it is of another training, or
// both of its files are damaged. [Checkpoint.Remove] lets it start over.
var ErrCheckpoint = errors.New("checkpoint cannot be used")

// ErrNotSaved is wrapped when a checkpoint cannot be written.
var ErrNotSaved = errors.New("checkpoint cannot be written")

// Checkpoint lets [Fit] go on where it was cut off, with the same result as if it had not been: on a CPU, bit for bit.
// It is written every so often, when the context ends, and at the end, after which Fit returns what it found at once.
// Two files are written in turn, each in one step, so one is good at every moment. There is no random state to keep:
// after the parameters are drawn, training draws nothing but masks of dropout, which follow from the parameters.
type Checkpoint struct {
	// Path is completed to PATH.a.safetensors and PATH.b.safetensors.
	Path string
	// Key says what is trained on what; a checkpoint with another key, configuration or initial parameters is refused.
	Key string
	// Every is the time between two writes; 0 means 30 s, negative means after each optimiser step.
	Every time.Duration
	// Notice, if set, hears from where training goes on, and which file was damaged.
	Notice func(string)
}

const (
	checkpointFormat = "checkpoint 1"
	formatKey        = "pengcde.format"
	identityKey      = "pengcde.key"
	positionKey      = "pengcde.position"
)

// position is where a training stands, beside its tensors.
type position struct {
	// Serial counts writes.
	Serial int `json:"Serial"`
	// Batch is the next of the epoch under way, which Epoch sums up so far.
	Batch          int     `json:"Batch"`
	TrainLoss      float64 `json:"TrainLoss"`
	GradientNorm   float64 `json:"GradientNorm"`
	EpochSeconds   float64 `json:"EpochSeconds"`
	Seconds        float64 `json:"Seconds"`
	OptimiserSteps int     `json:"OptimiserSteps"`
	// Waited is the number of epochs without a better validation.
	Waited int `json:"Waited"`
	Best   int `json:"Best"`
	// Stop is set when training is over.
	Stop Stop `json:"Stop,omitempty"`
}

// saved is a checkpoint as it was read.
type saved struct {
	position
	epochs []Epoch
	// values are those of each tensor, row-major: parameters, moments and, once validated, the best parameters.
	values [][]float64
}

func (c *Checkpoint) notice(format string, args ...any) {
	if c.Notice != nil {
		c.Notice(fmt.Sprintf(format, args...))
	}
}

func (c *Checkpoint) slot(serial int) string {
	return c.Path + []string{".a", ".b"}[serial%2] + ".safetensors"
}

// Exists says whether one of the files is there, from which training would go on if it is good.
func (c *Checkpoint) Exists() bool {
	for serial := range 2 {
		if _, err := os.Stat(c.slot(serial)); err == nil {
			return true
		}
	}
	return false
}

// Remove deletes the files, and what a killed process left of them.
func (c *Checkpoint) Remove() error {
	for serial := range 2 {
		err := durable.RemoveBegun(c.slot(serial))
		if gone := os.Remove(c.slot(serial)); err == nil && !errors.Is(gone, fs.ErrNotExist) {
			err = gone
		}
		if err != nil {
			return fmt.Errorf("pengcde/train: remove checkpoint: %w", err)
		}
	}
	return nil
}

// load reads the newest good file; nil where there is none.
func (c *Checkpoint) load(identity string, like []*tensors.Tensor) (*saved, error) {
	var newest *saved
	var unusable []error
	for serial := range 2 {
		if err := durable.RemoveBegun(c.slot(serial)); err != nil {
			return nil, fmt.Errorf("pengcde/train: %w: %w", ErrNotSaved, err)
		}
		s, err := readCheckpoint(c.slot(serial), identity, like)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, bounded.ErrTooLarge): // it may be good, and is not to be deleted
			return nil, fmt.Errorf("pengcde/train: read checkpoint: %w", err)
		case err != nil:
			unusable = append(unusable, fmt.Errorf("%s: %w", c.slot(serial), err))
		case newest == nil || s.Serial > newest.Serial:
			newest = s
		}
	}
	if newest == nil && len(unusable) > 0 {
		return nil, fmt.Errorf("pengcde/train: %w: %w; delete it to start over, or choose another path", ErrCheckpoint,
			errors.Join(unusable...))
	}
	for _, err := range unusable {
		c.notice("a checkpoint is damaged, the one before it is used (%v)", err)
	}
	return newest, nil
}

func readCheckpoint(path, identity string, like []*tensors.Tensor) (*saved, error) {
	file, err := safetensors.Read(path)
	if err != nil {
		return nil, err
	}
	if format := file.Metadata[formatKey]; format != checkpointFormat {
		return nil, fmt.Errorf("format is %q, want %q", format, checkpointFormat)
	}
	if file.Metadata[identityKey] != identity {
		return nil, errors.New("it is of a training with another configuration, data or initial parameters")
	}
	s := &saved{}
	if err := json.Unmarshal([]byte(file.Metadata[positionKey]), &s.position); err != nil {
		return nil, err
	}
	if err := s.readEpochs(file); err != nil {
		return nil, err
	}
	return s, s.readTensors(file, like)
}

// epochArrays are the columns of the report.
var epochArrays = []struct {
	name string
	of   func(*Epoch) *float64
}{
	{"epochs.train_loss", func(e *Epoch) *float64 { return &e.TrainLoss }},
	{"epochs.validation", func(e *Epoch) *float64 { return &e.Validation }},
	{"epochs.gradient_norm", func(e *Epoch) *float64 { return &e.GradientNorm }},
	{"epochs.seconds", func(e *Epoch) *float64 { return &e.Seconds }},
}

func (s *saved) readEpochs(file *safetensors.File) error {
	for i, column := range epochArrays {
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
			*column.of(&s.epochs[i]) = v
		}
	}
	return nil
}

// groups name the tensors of a checkpoint, one for every parameter each; best comes with the first validation.
var groups = []string{"parameters", "first_moments", "second_moments", "best"}

func (s *saved) readTensors(file *safetensors.File, like []*tensors.Tensor) error {
	for _, group := range groups {
		if group == "best" && s.Best < 0 {
			break
		}
		for i, p := range like {
			values, err := floatsOf(file, fmt.Sprintf("%s.%d", group, i))
			if err != nil {
				return err
			}
			if len(values) != p.Size() {
				return fmt.Errorf("array %s.%d has %d entries, want %d", group, i, len(values), p.Size())
			}
			s.values = append(s.values, values)
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

// identity is a hash of all that decides how training goes on.
func (l *loop) identity() (string, error) {
	resolved, err := l.config.Resolved()
	if err != nil {
		return "", err
	}
	config, err := json.Marshal(resolved)
	if err != nil {
		return "", fmt.Errorf("pengcde/train: identity of a checkpoint: %w", err)
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%s\n%s\n%d batches\n", l.config.Checkpoint.Key, config, l.problem.Batches())
	for _, p := range l.params {
		fmt.Fprintln(digest, p.Shape())
		_ = binary.Write(digest, binary.LittleEndian, host.Floats(p)) // a hash takes all
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

// restore takes up a checkpoint, if there is one, and writes the first if there is none: a folder that cannot be
// written to is found out before hours of work.
func (l *loop) restore() error {
	c := l.config.Checkpoint
	if c == nil {
		return nil
	}
	identity, err := l.identity()
	if err != nil {
		return err
	}
	l.key = identity
	s, err := c.load(identity, l.params)
	if err != nil {
		return err
	}
	if s == nil {
		return l.save()
	}
	n := len(l.params)
	arrays := make([]*tensors.Tensor, len(s.values))
	for i, values := range s.values {
		like := l.params[i%n]
		arrays[i] = host.Tensor(like.DType(), values, like.Shape().Dimensions...)
	}
	xla.Free(append(l.params, l.optimiser.moments...)...)
	l.params, l.optimiser.moments, l.best = arrays[:n:n], arrays[n:3*n:3*n], arrays[3*n:]
	l.position, l.optimiser.steps, l.report.Epochs, l.report.Best = s.position, s.OptimiserSteps, s.epochs, s.Best
	if l.Best >= 0 {
		l.report.BestValidation = l.report.Epochs[l.Best].Validation
	}
	if l.Stop == "" {
		c.notice("training goes on in epoch %d, after %d optimiser steps", len(l.report.Epochs)+1, l.OptimiserSteps)
	}
	return nil
}

// save writes the checkpoint, where there is one and the device did not fail in the middle of an update.
func (l *loop) save() error {
	c := l.config.Checkpoint
	if c == nil || l.params == nil {
		return nil
	}
	next := l.position
	next.Serial++
	next.Best, next.OptimiserSteps = l.report.Best, l.optimiser.steps
	content, err := json.Marshal(next)
	arrays, failed := l.arrays()
	if err := errors.Join(err, failed); err != nil {
		return fmt.Errorf("pengcde/train: checkpoint: %w", err)
	}
	metadata := map[string]string{formatKey: checkpointFormat, identityKey: l.key, positionKey: string(content)}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
		return fmt.Errorf("pengcde/train: %w: %w", ErrNotSaved, err)
	}
	if err := safetensors.Write(c.slot(next.Serial), metadata, arrays); err != nil {
		return fmt.Errorf("pengcde/train: %w: %w; an earlier one is kept", ErrNotSaved, err)
	}
	l.Serial, l.written = next.Serial, time.Now()
	return nil
}

func (l *loop) arrays() ([]safetensors.Tensor, error) {
	n := len(l.params)
	var arrays []safetensors.Tensor
	for g, of := range [][]*tensors.Tensor{l.params, l.optimiser.moments[:n], l.optimiser.moments[n:], l.best} {
		for i, t := range of {
			dtype := "F32"
			if t.DType() == dtypes.Float64 {
				dtype = "F64"
			}
			array, err := safetensors.FromFloats(fmt.Sprintf("%s.%d", groups[g], i), dtype, t.Shape().Dimensions,
				host.Floats(t))
			if err != nil {
				return nil, err
			}
			arrays = append(arrays, array)
		}
	}
	for _, column := range epochArrays {
		values := make([]float64, len(l.report.Epochs))
		for i := range values {
			values[i] = *column.of(&l.report.Epochs[i])
		}
		array, err := safetensors.FromFloats(column.name, "F64", []int{len(values)}, values)
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, array)
	}
	return arrays, nil
}
