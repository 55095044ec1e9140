package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// StartLibrary starts the library on a case as a process of its own, so that its memory is its own too, and waits until the
// case is in the folder for the peer. The command is one that calls [Serve].
func StartLibrary(ctx context.Context, folder string, command ...string) (*Process, error) {
	return start(ctx, "the library", folder, exec.CommandContext(ctx, command[0], command[1:]...), false)
}

// Serve answers the requests of a [Process], "epoch" and "inference", until its input ends. Before the first it writes the
// case into the folder.
func Serve(ctx context.Context, s Setting, folder string, in io.Reader, out io.Writer) error {
	began := time.Now()
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return err
	}
	defer backend.Close()
	c, err := NewCase(ctx, s)
	if err != nil {
		return err
	}
	l := &library{ctx: ctx, c: c, requests: bufio.NewScanner(in), answers: json.NewEncoder(out)}
	if l.model, err = pengcde.New(backend, c.Config); err != nil {
		return err
	}
	defer l.model.Close()
	runtime.GC()
	base := resident.Now()
	steps, err := c.Steps(ctx, backend, l.model)
	if err != nil {
		return err
	}
	if err := c.Export(folder, l.model, steps); err != nil {
		return err
	}
	l.stats = steps.Stats
	planned, err := c.plan(l.model, steps.Stats)
	if err != nil {
		return err
	}
	planned.BaseBytes = base
	runtime.GC()
	resident.Reset()
	if err := l.answers.Encode(ready{versions(backend), time.Since(began).Seconds(), planned}); err != nil {
		return err
	}
	more := l.next()
	for more && err == nil {
		switch l.request {
		case "epoch":
			more, err = l.epochs()
		case "inference":
			err = l.inference()
			more = l.next()
		default:
			err = fmt.Errorf("bench: request %q, want epoch or inference", l.request)
		}
	}
	return errors.Join(err, l.requests.Err())
}

// library is what serves.
type library struct {
	ctx      context.Context
	c        *Case
	model    *pengcde.Model
	stats    []ode.Stats
	requests *bufio.Scanner
	request  string
	answers  *json.Encoder
}

// next waits for a request; false where there is no more.
func (l *library) next() bool {
	if !l.requests.Scan() {
		return false
	}
	l.request = strings.TrimSpace(l.requests.Text())
	return true
}

// epochs trains as long as epochs are asked for; true where another request waits then. They are epochs of one training, so
// that what is copied to the device at its beginning is no part of them. The first compiles, and is answered with the second.
func (l *library) epochs() (more bool, err error) {
	ctx, stop := context.WithCancel(l.ctx)
	defer stop()
	config := l.c.Train
	config.Epochs = math.MaxInt
	began, compiling := time.Now(), 0.0
	config.Progress = func(p train.Progress) {
		seconds := time.Since(began).Seconds()
		switch p.Epoch {
		case 1:
			compiling, began = seconds, time.Now()
			return
		case 2:
			compiling -= seconds
		}
		err = l.answer(seconds, compiling, p.TrainLoss)
		if more = err == nil && l.next(); !more || l.request != "epoch" {
			stop()
		}
		compiling, began = 0, time.Now()
	}
	_, ended := l.model.Fit(ctx, l.c.windows(), nil, config)
	if ctx.Err() == nil || l.ctx.Err() != nil { // it did not end because it was to
		err = errors.Join(err, ended)
	}
	return more, err
}

// inference forecasts at the times of the series, twice, since the first compiles.
func (l *library) inference() error {
	var seconds [2]float64
	for i := range seconds {
		began := time.Now()
		for part := range slices.Chunk(l.c.windows(), l.c.Batch) {
			if _, err := l.model.PredictAll(l.ctx, part, nil); err != nil {
				return err
			}
		}
		seconds[i] = time.Since(began).Seconds()
	}
	return l.answer(seconds[1], seconds[0]-seconds[1], 0)
}

func (l *library) answer(seconds, compiling, loss float64) error {
	turn := Turn{Seconds: seconds, CompileSeconds: max(compiling, 0), Loss: loss, PeakBytes: resident.Peak()}
	for _, s := range l.stats {
		turn.Accepted, turn.Rejected = append(turn.Accepted, s.Accepted), append(turn.Rejected, s.Rejected)
		turn.Evaluations = append(turn.Evaluations, s.Evaluations)
	}
	return l.answers.Encode(turn)
}

// versions are those of Go, the modules that compute, and the checkout.
func versions(backend *xla.Backend) map[string]string {
	found := map[string]string{"go": runtime.Version(), "backend": backend.Name()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return found
	}
	for _, m := range info.Deps {
		switch m.Path {
		case "github.com/gomlx/gomlx", "github.com/gomlx/compute", "github.com/gomlx/go-xla":
			found[path.Base(m.Path)] = m.Version
		}
	}
	return found
}
