package notebook

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/xla"
)

// Train is the cell that trains: it opens the best backend there is and prints it, makes the runs of a study that are
// missing under a bar, and prints how many are stored. When the cell is interrupted Train returns without an error, and
// without a report: what is done is stored, and the cell can be run again to go on.
func Train(s experiments.Study, o experiments.Options) (*experiments.Report, error) {
	return train(os.Stdout, s, o)
}

func train(out io.Writer, s experiments.Study, o experiments.Options) (*experiments.Report, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return nil, fmt.Errorf("notebook: training: %w", err)
	}
	defer backend.Close()
	fmt.Fprintln(out, backend)
	bar := NewBar(s.Name)
	o.Backend, o.Progress = backend, bar.Update
	report, err := s.Run(ctx, o)
	switch {
	case ctx.Err() != nil:
		bar.Stop("interrupted")
		fmt.Fprintln(out, "interrupted: what is done is stored; run the cell again to go on")
		return nil, nil
	case err != nil:
		bar.Stop("failed")
		return report, fmt.Errorf("notebook: training: %w", err)
	}
	bar.Done("")
	stored, planned := report.Count()
	fmt.Fprintf(out, "%d of %d runs stored\n", stored, planned)
	return report, nil
}
