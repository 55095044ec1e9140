package notebook

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/xla"
)

// Train makes the missing runs of a study in a notebook cell. It opens the best available backend and prints it,
// shows a progress bar, and prints how many runs it made and how many are stored. If the cell is interrupted, it
// returns no report and an error that wraps [ErrStopped]: finished runs are stored, and a training has a checkpoint
// from which it continues when the cell is run again. A training that cannot stop within four seconds, because a
// program is compiling, ends the cell as in [Check], before the kernel kills it.
func Train(s experiments.Study, o experiments.Options) (*experiments.Report, error) {
	return train(os.Stdout, s, o)
}

func train(out io.Writer, s experiments.Study, o experiments.Options) (*experiments.Report, error) {
	bar, began := NewBar(s.Name), time.Now()
	var planned atomic.Pointer[experiments.Report]
	o.Planned = planned.Store
	reason := func() error { return stoppedStudy(planned.Load()) }
	ctx, stop := interruptible(bar, reason)
	defer stop()
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return nil, ended(bar, err, reason)
	}
	defer backend.Close()
	fmt.Fprintln(out, backend)
	o.Backend, o.Progress = backend, bar.Show
	report, err := s.Run(ctx, o)
	if err != nil {
		return report, ended(bar, err, reason)
	}
	bar.Done("")
	fmt.Fprintln(out, told(report, began))
	return report, nil
}

// told describes how many runs were trained since a time, and how many are stored.
func told(report *experiments.Report, began time.Time) string {
	trained, shipped := 0, 0
	for _, result := range report.Results.Made() {
		switch {
		case result.Shipped:
			shipped++
		case !result.Model.Untrained && !result.Record.Ended.Before(began.Truncate(time.Second)): // whole seconds
			trained++
		}
	}
	stored, planned := report.Count()
	text := fmt.Sprintf("profile %s: trained now: %d; runs stored: %d of %d", report.Profile, trained, stored, planned)
	if shipped > 0 {
		text += fmt.Sprintf(", of which %d came with the module", shipped)
	}
	return text
}

// Stored returns the selected runs with their records. It shows a progress bar while a study reads long files of
// Options.Data.
func Stored(s experiments.Study, o experiments.Options) (*experiments.Report, error) {
	var bar *Bar
	o.Progress = func(fraction float64, _ time.Duration, text string) {
		if bar == nil {
			bar = NewBar("reading")
		}
		bar.Update(fraction, text)
	}
	report, err := s.Stored(context.Background(), o)
	switch {
	case bar != nil && err != nil:
		bar.Stop("failed")
	case bar != nil:
		bar.Done("")
	}
	return report, err
}

// Trained returns the stored runs of [Train] with the same options. If there are none, the error wraps
// [experiments.ErrNotStored].
func Trained(s experiments.Study, o experiments.Options) (*experiments.Report, error) {
	report, err := Stored(s, o)
	if err != nil {
		return nil, err
	}
	for _, result := range report.Results.Made() {
		if !result.Model.Untrained {
			return report, nil
		}
	}
	return nil, errs.New(experiments.ErrNotStored, "notebook: no trained run of %s is stored in profile %s", s.Name,
		report.Profile)
}
