package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Measure trains on a case in this process, without the peer, and returns the median of so many epochs after the first, which
// compiles. Unlike those of a [Race], its row has no inference and no steps, and its memory is what the process holds besides, too.
func Measure(ctx context.Context, backend *xla.Backend, s Setting, epochs int) (Row, error) {
	if epochs < 1 {
		return Row{}, fmt.Errorf("bench: %d epochs to measure, want 1 or more: %w", epochs, pengcde.ErrInput)
	}
	c, err := NewCase(ctx, s)
	if err != nil {
		return Row{}, err
	}
	model, err := pengcde.New(backend, c.Config)
	if err != nil {
		return Row{}, err
	}
	defer model.Close()
	runtime.GC()
	resident.Reset()
	var seconds []float64
	began := time.Now()
	config := c.Train
	config.Epochs = 1 + epochs
	config.Progress = func(train.Progress) {
		seconds = append(seconds, time.Since(began).Seconds())
		began = time.Now()
	}
	if _, err := model.Fit(ctx, c.windows(), nil, config); err != nil {
		return Row{}, err
	}
	median := spread(seconds[1:]).Median
	return Row{Model: c.Field, N: s.Nodes, Pairs: epochs, Ours: median, OursCompile: max(seconds[0]-median, 0), OursBytes: resident.Peak(),
		Machine: machine(), Commit: commit(), Versions: versions(backend)}, nil
}
