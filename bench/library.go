package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Serve is the library's side of a [Race]: it writes a case into the folder for the peer, and answers the requests
// "epoch" and "inference" until its input ends.
func Serve(ctx context.Context, s Setting, folder string, in io.Reader, out io.Writer) error {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		return err
	}
	defer backend.Close()
	c, err := newCase(ctx, s)
	if err != nil {
		return err
	}
	model, err := pengcde.New(backend, c.config)
	if err != nil {
		return err
	}
	defer model.Close()
	l := &library{testCase: c, model: model, requests: bufio.NewScanner(in), answers: json.NewEncoder(out)}
	planned, err := l.prepare(ctx, backend, folder)
	if err != nil {
		return err
	}
	runtime.GC()
	resident.Reset()
	if err := l.answers.Encode(ready{versions(backend), planned}); err != nil {
		return err
	}
	more := l.next()
	for more && err == nil {
		switch l.request {
		case "epoch":
			more, err = l.epochs(ctx)
		case "inference":
			err = l.inference(ctx)
			more = l.next()
		default:
			err = fmt.Errorf("bench: request %q, want epoch or inference", l.request)
		}
	}
	return errors.Join(err, l.requests.Err())
}

// library is what serves.
type library struct {
	*testCase
	model    *pengcde.Model
	taken    []pengcde.Steps
	requests *bufio.Scanner
	request  string
	answers  *json.Encoder
}

// prepare finds the steps, writes the case and plans its training, with a model of its own, so that the one which is
// timed compiles all that it needs.
func (l *library) prepare(ctx context.Context, backend *xla.Backend, folder string) (p Planned, err error) {
	model, err := pengcde.New(backend, l.config)
	if err != nil {
		return p, err
	}
	defer model.Close()
	runtime.GC()
	p.BaseBytes = resident.Now()
	if l.taken, err = l.steps(ctx, model); err != nil {
		return p, err
	}
	if err := l.export(folder, model, l.taken); err != nil {
		return p, err
	}
	most := slices.MaxFunc(l.taken, func(a, b pengcde.Steps) int { return a.Accepted - b.Accepted }).Accepted
	plan, err := model.Plan(l.windows, l.Batch, most)
	if err != nil {
		return p, err
	}
	p.PlannedBytes, p.PlannedEvaluations = plan.DeviceBytes+plan.HostBytes, sum(plan.Solve.Evaluations)
	return p, nil
}

// next waits for a request; false where there is no more.
func (l *library) next() bool {
	if !l.requests.Scan() {
		return false
	}
	l.request = strings.TrimSpace(l.requests.Text())
	return true
}

// epochs trains as long as epochs are asked for; more says that another request waits then. They are epochs of one
// training, so that what is copied to the device at its beginning is no part of them. The first compiles, and is
// answered with the second.
func (l *library) epochs(ctx context.Context) (more bool, err error) {
	training, stop := context.WithCancel(ctx)
	defer stop()
	config, compiling := l.training, 0.0
	config.Epochs = math.MaxInt
	config.Progress = func(p train.Progress) {
		if p.Epoch == 1 {
			compiling = p.Seconds
			return
		}
		err = l.answer(p.Seconds, max(0, compiling-p.Seconds), p.TrainLoss)
		if more = err == nil && l.next(); !more || l.request != "epoch" {
			stop()
		}
		compiling = 0
	}
	_, ended := l.model.Fit(training, l.windows, nil, config)
	if training.Err() == nil || ctx.Err() != nil { // it did not end because it was to
		err = errors.Join(err, ended)
	}
	return more, err
}

// inference forecasts at the times of the series, twice, since the first compiles.
func (l *library) inference(ctx context.Context) error {
	var seconds [2]float64
	for i := range seconds {
		began := time.Now()
		for part := range slices.Chunk(l.windows, l.Batch) {
			if _, err := l.model.PredictAll(ctx, part, nil); err != nil {
				return err
			}
		}
		seconds[i] = time.Since(began).Seconds()
	}
	return l.answer(seconds[1], max(0, seconds[0]-seconds[1]), 0)
}

func (l *library) answer(seconds, compiling, loss float64) error {
	t := turn{Seconds: seconds, CompileSeconds: compiling, Loss: loss, PeakBytes: resident.Peak()}
	for _, s := range l.taken {
		t.Accepted, t.Rejected = append(t.Accepted, s.Accepted), append(t.Rejected, s.Rejected)
		t.Evaluations = append(t.Evaluations, s.Evaluations)
	}
	return l.answers.Encode(t)
}

// versions are those of Go, the modules that compute, and the backend.
func versions(backend *xla.Backend) map[string]string {
	found := doctor.Versions()
	delete(found, "pengcde-go")
	delete(found, "revision")
	found["backend"] = backend.Name()
	return found
}
