package notebook

import (
	"errors"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/forecast"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrStopped is wrapped by the errors of [Train] and [Fit] when the cell was interrupted. The line of [Check] says
// whether the training continues when the cell is run again.
var ErrStopped = errors.New("notebook: interrupted")

// stopped is an [ErrStopped] with the line for people.
type stopped string

const (
	goesOn       stopped = "Stopped. Run this cell again to go on."
	startsOver   stopped = "Stopped before anything was kept: run again, this cell starts over."
	noCheckpoint stopped = "Stopped. Without a Checkpoint in forecast.Config nothing is kept: run again, this cell starts over."
	nothingKnown stopped = "Stopped."
)

func (stopped) Error() string { return ErrStopped.Error() }

func (stopped) Unwrap() error { return ErrStopped }

// ended ends the bar of work that returned an error, and returns the cell's error: the one of reason if the work was
// only interrupted. An interrupt hides no other error.
func ended(bar *Bar, err error, reason func() error) error {
	if experiments.Interrupted(err) {
		bar.Stop("stopped")
		return reason()
	}
	bar.Stop("failed")
	return errs.In("notebook: training", err)
}

// stoppedStudy returns the error of an interrupted study; planned is its report, nil if the study had not planned its
// runs yet.
func stoppedStudy(planned *experiments.Report) error {
	switch {
	case planned == nil:
		return nothingKnown
	case planned.Kept():
		return goesOn
	}
	return startsOver
}

// stoppedFit returns the error of an interrupted [Fit].
func stoppedFit(data *table.Data, c forecast.Config) error {
	switch {
	case c.Checkpoint == "":
		return noCheckpoint
	case c.HasCheckpoint(data):
		return goesOn
	}
	return startsOver
}
