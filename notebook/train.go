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

// Train is the cell that trains: it opens the best backend there is and prints it, makes the runs of a study that are
// missing under a bar, and prints how many it made and how many are stored. When the cell is interrupted it returns an
// error that wraps [ErrStopped] and no report: runs that ended are stored, a training has a checkpoint from which it
// goes on when the cell is run again. A training that cannot
// stop within four seconds, since a program is being compiled, ends the cell as [Check] does, before the kernel kills
// it.
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
		bar.Stop("failed")
		return nil, fmt.Errorf("notebook: training: %w", err)
	}
	defer backend.Close()
	fmt.Fprintln(out, backend)
	o.Backend, o.Progress = backend, bar.Show
	report, err := s.Run(ctx, o)
	switch {
	case ctx.Err() != nil:
		bar.Stop("stopped")
		return nil, reason()
	case err != nil:
		bar.Stop("failed")
		return report, fmt.Errorf("notebook: training: %w", err)
	}
	bar.Done("")
	fmt.Fprintln(out, told(report, began))
	return report, nil
}

// told says how many runs were trained since then, and how many are stored.
func told(report *experiments.Report, began time.Time) string {
	trained, shipped := 0, 0
	for _, result := range report.Results.Made() {
		switch {
		case result.Shipped:
			shipped++
		case !result.Model.Untrained && !result.Record.Ended.Before(began.Truncate(time.Second)): // as records have it
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

// Stored returns the runs that options ask for, with their records. A study that reads long files of Options.Data does
// so under a bar.
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

// Trained returns the stored runs of [Train] with the same options. Where there are none, the error wraps
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
