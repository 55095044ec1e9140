package notebook

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/peng-cde/pengcde-go/xla"
)

// Training is what Train gives to the runs.
type Training struct {
	Backend  *xla.Backend
	Progress func(fraction float64, text string) // moves the bar
}

// Counter says how many runs are stored, of all that were asked for.
type Counter interface{ Count() (stored, planned int) }

// Train is the cell that trains: it opens the best backend there is and prints it, makes the runs under a bar, and
// prints how many are stored. When the cell is interrupted, the context of the runs ends and Train returns without an
// error: what is done is stored, and the cell can be run again to go on.
func Train(runs func(ctx context.Context, t Training) (Counter, error)) error {
	return train(os.Stdout, runs)
}

func train(out io.Writer, runs func(ctx context.Context, t Training) (Counter, error)) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return fmt.Errorf("notebook: training: %w", err)
	}
	defer backend.Close()
	fmt.Fprintln(out, backend)
	bar := NewBar("training")
	count, err := runs(ctx, Training{Backend: backend, Progress: bar.Update})
	switch {
	case ctx.Err() != nil:
		bar.Stop("interrupted")
		fmt.Fprintln(out, "interrupted: what is done is stored; run the cell again to go on")
		return nil
	case err != nil:
		bar.Stop("failed")
		return fmt.Errorf("notebook: training: %w", err)
	}
	stored, planned := count.Count()
	bar.Done("")
	fmt.Fprintf(out, "%d of %d runs stored\n", stored, planned)
	return nil
}
