package aot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/gomlx/compute/support/humanize"

	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// OpenBackend opens XLA on the CPU to record programs: without C kernels, which CUDA lacks, and with fast rather than
// optimised compilation. It must be the first backend of the process.
func OpenBackend() (*xla.Backend, error) {
	const flags = "XLA_FLAGS"
	given := os.Getenv(flags)
	defer os.Setenv(flags, given)
	const fast = " --xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
	os.Setenv(flags, strings.TrimSpace(given+fast))
	os.Setenv(xla.KernelsEnv, "gpu")
	return xla.Open(xla.Config{Backend: "xla:cpu", Notices: io.Discard})
}

// recorded holds the programs compiled by a case's training.
type recorded struct {
	sources []xla.Source
	calls   map[string]int // of programs in one epoch
	plan    *pengcde.Plan
}

// errMemory is wrapped by the error about a case that needs more memory than it may have.
var errMemory = errors.New("not enough memory")

// record trains a case for an epoch of one batch and forecasts the same windows. memory bounds the bytes that it may
// need by its plan; 0 is no bound.
func record(ctx context.Context, backend *xla.Backend, c Case, memory int64) (*recorded, error) {
	r := &recorded{calls: make(map[string]int)}
	var lock sync.Mutex
	stop, err := xla.Record(xla.Recorder{
		Compiled: func(s xla.Source) {
			lock.Lock()
			defer lock.Unlock()
			r.sources = append(r.sources, s)
		},
		Called: func(name string) {
			lock.Lock()
			defer lock.Unlock()
			r.calls[name]++
		},
	})
	if err != nil {
		return nil, err
	}
	defer stop()
	if err := r.train(ctx, backend, c, memory); err != nil {
		return nil, fmt.Errorf("%s, head %s: %w", c.Model, c.Head, err)
	}
	return r, nil
}

func (r *recorded) train(ctx context.Context, backend *xla.Backend, c Case, memory int64) error {
	windows, err := c.Data(ctx)
	if err != nil {
		return err
	}
	m, err := pengcde.New(backend, c.Config)
	if err != nil {
		return err
	}
	defer m.Close()
	if r.plan, err = m.Plan(windows, len(windows), 1); err != nil {
		return err
	}
	if need := r.plan.DeviceBytes + r.plan.HostBytes; memory > 0 && need > memory {
		return fmt.Errorf("%w: it needs %s for a step by its plan, and may have %s", errMemory, humanize.Bytes(need),
			humanize.Bytes(memory))
	}
	report, err := m.Fit(ctx, windows, nil, train.Config{Epochs: 1, EvaluateEvery: -1, BatchSize: len(windows)})
	if err != nil {
		return err
	}
	calls := maps.Clone(r.calls)
	if _, err := m.PredictAll(ctx, windows, nil); err != nil {
		return err
	}
	r.calls = calls
	steps := 1
	if epoch := report.Epochs[0]; epoch.Tries > 0 {
		steps = (epoch.Tries - epoch.Rejected) / len(windows)
	}
	r.plan, err = m.Plan(windows, len(windows), steps)
	return err
}

// numbered is the number of a graph at the end of its name.
var numbered = regexp.MustCompile(`_[0-9]+$`)

// nameOf is the name of a program, as [xla.NewProgram] was given it, of XLA's name of a graph.
func nameOf(module string) string {
	return strings.ReplaceAll(numbered.ReplaceAllString(module, ""), "_", " ")
}
