package notebook

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/forecast"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// Fit trains on your own data in a notebook cell. It opens the best available backend and prints it, and calls
// [forecast.Fit] with a progress bar. If the cell is interrupted, the error wraps [ErrStopped]; with a Checkpoint the
// training continues when the cell is run again. The backend stays open until the cell ends, so that the result can
// forecast.
func Fit(data *table.Data, c forecast.Config) (*forecast.Result, error) {
	return fit(os.Stdout, data, c)
}

func fit(out io.Writer, data *table.Data, c forecast.Config) (*forecast.Result, error) {
	bar := NewBar("Training")
	reason := func() error { return stoppedFit(data, c) }
	ctx, stop := interruptible(bar, reason)
	defer stop()
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return nil, ended(bar, err, reason)
	}
	fmt.Fprintln(out, backend)
	c.Progress = bar.Show
	if c.Notice == nil {
		c.Notice = func(text string) { fmt.Fprintln(out, text) }
	}
	result, err := forecast.Fit(ctx, backend, data, c)
	if err == nil {
		bar.Done(fmt.Sprintf("%d epochs", result.Epochs()))
		return result, nil
	}
	backend.Close()
	return nil, ended(bar, err, reason)
}

// Load reads a model that a training cell wrote with [forecast.Result.Write]. If there is none yet, the error wraps
// [experiments.ErrNotStored]. The backend stays open until the cell ends.
func Load(path string) (*forecast.Model, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("notebook: %w: no file %s", experiments.ErrNotStored, path)
	}
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return nil, errs.In("notebook: loading "+path, err)
	}
	model, err := forecast.Load(backend, path)
	if err != nil {
		backend.Close()
		return nil, err
	}
	return model, nil
}
