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

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/xla"
)

// ErrCheckpoint is wrapped when training cannot continue from the existing checkpoint: it belongs to another training,
// or both of its files are damaged. [StartOver] then begins again.
var ErrCheckpoint = errors.New("checkpoint cannot be used")

// ErrNotSaved is wrapped when a checkpoint cannot be written.
var ErrNotSaved = errors.New("checkpoint cannot be written")

// Checkpoint lets [Fit] continue an interrupted training with the same result as without the interruption; on a CPU,
// bit for bit. It is written periodically, when the context ends, and at the end of training. After the end, Fit
// returns the stored result at once. Two files are written in turn, each atomically, so one of them is good at every
// moment. There is no random state to store: after the parameters are drawn, training draws only dropout masks, which
// are derived from the parameters.
type Checkpoint struct {
	// Path is the prefix of the file names PATH.a.safetensors and PATH.b.safetensors. Missing folders are made.
	Path string
	// Key identifies the model and its data; a checkpoint with another key, configuration or initial parameters is
	// refused. A model that still has the parameters that this training left in it may go on, or gets its result
	// again.
	Key string
	// Every is the time between two writes; 0 means 30 s, [EachStep] means after each optimiser step.
	Every time.Duration
	// Notice, if not nil, is told where training continues and which file was damaged.
	Notice func(string)
}

// position is the progress of a training, without its tensors.
type position struct {
	// Serial counts writes.
	Serial int `json:"Serial"`
	// Batch is the next batch of the current epoch. The fields from TrainLoss to EpochSeconds cover the epoch so far,
	// as in Epoch.
	Batch          int     `json:"Batch"`
	TrainLoss      float64 `json:"TrainLoss"`
	GradientNorm   float64 `json:"GradientNorm"`
	LargestNorm    float64 `json:"LargestNorm,omitzero"`
	Tries          int     `json:"Tries,omitzero"`
	Rejected       int     `json:"Rejected,omitzero"`
	Retried        int     `json:"Retried,omitzero"`
	Skipped        int     `json:"Skipped,omitzero"`
	EpochSeconds   float64 `json:"EpochSeconds"`
	Seconds        float64 `json:"Seconds"`
	OptimiserSteps int     `json:"OptimiserSteps"`
	// Waited is the number of epochs without a better validation.
	Waited int `json:"Waited"`
	Best   int `json:"Best"`
	// Norms are the norms of the latest gradients that were used, for Guard.Multiple. InARow counts the batches skipped
	// since then.
	Norms  []float64 `json:"Norms,omitempty"`
	InARow int       `json:"InARow,omitzero"`
	// Stop is set when training has ended.
	Stop Stop `json:"Stop,omitempty"`
}

func (c *Checkpoint) notice(format string, args ...any) {
	if c.Notice != nil {
		c.Notice(fmt.Sprintf(format, args...))
	}
}

func (c *Checkpoint) slot(serial int) string {
	return c.Path + []string{".a", ".b"}[serial%2] + ".safetensors"
}

// Exists reports whether one of the files exists. Training continues from it if it is good.
func (c *Checkpoint) Exists() bool {
	for serial := range 2 {
		if _, err := os.Stat(c.slot(serial)); err == nil {
			return true
		}
	}
	return false
}

// Remove deletes the files, and the temporary files of a killed process.
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

// StartOver runs fit, a training with the checkpoint c or with none. If the files of c cannot be used
// ([ErrCheckpoint]), it removes them, tells Notice why, and runs fit once more. It returns the errors of fit and of
// [Checkpoint.Remove].
func StartOver(c *Checkpoint, fit func() (*Report, error)) (*Report, error) {
	report, err := fit()
	if c == nil || !errors.Is(err, ErrCheckpoint) {
		return report, err
	}
	c.notice("training starts over: %v", err)
	if err := c.Remove(); err != nil {
		return nil, err
	}
	return fit()
}

// load returns the newest good checkpoint; nil if there is none.
func (c *Checkpoint) load(of training, params []*tensors.Tensor) (*saved, error) {
	var newest *saved
	var unusable []error
	for serial := range 2 {
		if err := durable.RemoveBegun(c.slot(serial)); err != nil {
			return nil, fmt.Errorf("pengcde/train: %w: %w", ErrNotSaved, err)
		}
		s, err := readCheckpoint(c.slot(serial), of, params)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, bounded.ErrTooLarge): // it may be good, so it must not be deleted
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

func (l *loop) training() (of training, err error) {
	resolved, err := l.config.Resolved()
	if err != nil {
		return of, err
	}
	config, err := json.Marshal(resolved)
	if err != nil {
		return of, fmt.Errorf("pengcde/train: identity of a checkpoint: %w", err)
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%s\n%s\n%d batches\n", l.config.Checkpoint.Key, config, l.problem.Batches())
	of.setting = hex.EncodeToString(digest.Sum(nil))
	for _, p := range l.params {
		fmt.Fprintln(digest, p.Shape())
		_ = binary.Write(digest, binary.LittleEndian, host.Floats(p)) // a hash never returns an error
	}
	of.identity = hex.EncodeToString(digest.Sum(nil))
	return of, nil
}

// restore continues from a checkpoint. If there is none it writes the first, so that a folder without write permission
// is noticed before hours of work.
func (l *loop) restore() error {
	c := l.config.Checkpoint
	if c == nil {
		return nil
	}
	of, err := l.training()
	if err != nil {
		return err
	}
	l.of = of
	s, err := c.load(of, l.params)
	if err != nil {
		return err
	}
	if s == nil {
		return l.save()
	}
	l.of.identity = s.identity
	tensorsOf := func(group string) []*tensors.Tensor { return tensorsLike(l.params, s.values[group]) }
	params, best := tensorsOf(parametersGroup), tensorsOf(bestGroup)
	moments := append(tensorsOf(firstGroup), tensorsOf(secondGroup)...)
	xla.Free(append(l.params, l.optimiser.moments...)...)
	l.params, l.optimiser.moments, l.best, l.mean = params, moments, best, s.values[averageGroup]
	l.position, l.optimiser.steps, l.report.Epochs, l.report.Best = s.position, s.OptimiserSteps, s.epochs, s.Best
	if l.Best >= 0 {
		l.report.BestValidation = l.report.Epochs[l.Best].Validation
	}
	if l.Stop == "" {
		c.notice("training goes on in epoch %d, after %d optimiser steps", len(l.report.Epochs)+1, l.OptimiserSteps)
	}
	return nil
}

// save writes the checkpoint if one is configured, unless the device failed in the middle of an update.
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
	metadata := map[string]string{formatKey: checkpointFormat, identityKey: l.of.identity, settingKey: l.of.setting,
		positionKey: string(content)}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
		return fmt.Errorf("pengcde/train: %w: %w", ErrNotSaved, err)
	}
	if err := safetensors.Write(c.slot(next.Serial), metadata, arrays); err != nil {
		return fmt.Errorf("pengcde/train: %w: %w; an earlier one is kept", ErrNotSaved, err)
	}
	l.Serial, l.written = next.Serial, time.Now()
	return nil
}
