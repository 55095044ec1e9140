package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Race sets how races are run.
type Race struct {
	Pairs     int     // turns of each, alternating
	PeerUpTo  int     // largest number of nodes for which the peer runs
	Variant   string  // how the peer uses message matrices: "dense" or "implicit"
	Steps     string  // of the peer: "given", the library's accepted steps, or "default", its own; "" means "given"
	MemoryGiB float64 // limit of the peer's address space, 0 for none
	Python    string  // with the packages of the peer; "" means the one of "make peer"
}

// Validate returns the error with which Run would refuse the setting, without running; the error wraps
// [pengcde.ErrInput].
func (r Race) Validate(s Setting) error {
	switch {
	case r.Pairs < 1:
		return errs.New(pengcde.ErrInput, "bench: %d pairs, want at least 1", r.Pairs)
	case r.Variant != "" && r.Variant != dense && r.Variant != implicit, r.Variant == "" && s.Nodes <= r.PeerUpTo:
		return errs.New(pengcde.ErrInput, "bench: variant %q of the peer, want %q or %q", r.Variant, dense, implicit)
	case r.Steps != "" && r.Steps != given && r.Steps != own:
		return errs.New(pengcde.ErrInput, "bench: steps %q of the peer, want %q or %q", r.Steps, given, own)
	case !(r.MemoryGiB >= 0):
		return errs.New(pengcde.ErrInput, "bench: %g GiB for the peer, want 0 or more, 0 for no limit", r.MemoryGiB)
	case s.Batch != 0 && s.Nodes <= r.PeerUpTo:
		return errs.New(pengcde.ErrInput, "bench: batches of %d at %d nodes, want 0 where the peer takes part, "+
			"which has all series in one; try a smaller PeerUpTo", s.Batch, s.Nodes)
	}
	return s.Validate()
}

// Run races on one case, the library in this process and the peer in another. It measures the memory of the whole
// process: if memory matters, use a new process for each race, as the command race does.
func (r Race) Run(ctx context.Context, backend *xla.Backend, s Setting) (row Row, err error) {
	if err := r.Validate(s); err != nil {
		return row, err
	}
	c, err := newCase(ctx, s)
	if err != nil {
		return row, err
	}
	folder, err := os.MkdirTemp("", "pengcde-bench-")
	if err != nil {
		return row, fmt.Errorf("bench: %w", err)
	}
	defer os.RemoveAll(folder)
	steps := r.Steps
	if steps == given {
		steps = ""
	}
	row = Row{Model: c.Field, Variant: r.Variant, Steps: steps, N: s.Nodes, Batch: s.Batch,
		Pairs: r.Pairs, PeerGiB: r.MemoryGiB, origin: here(backend)}
	if err := row.plan(ctx, backend, c, folder); err != nil {
		return row, err
	}
	model, err := pengcde.New(backend, c.config)
	if err != nil {
		return row, err
	}
	defer model.Close()
	var peer *process
	if s.Nodes <= r.PeerUpTo {
		if peer, err = startPeer(ctx, r.Python, folder, r.Variant, r.Steps, r.MemoryGiB); err == nil {
			defer func() { err = errors.Join(err, peer.close()) }()
			maps.Copy(row.Versions, peer.versions)
		} else if row.OutOfMemory = errors.Is(err, errMemory); !row.OutOfMemory {
			return row, err
		}
	}
	runtime.GC()
	resident.Reset()
	if err := row.epochs(ctx, c, model, peer); err != nil {
		return row, err
	}
	if row.OursInference, err = c.inference(ctx, model); err != nil {
		return row, err
	}
	if peer != nil && !row.OutOfMemory {
		t, err := peer.ask("inference")
		if err != nil {
			return row, err
		}
		row.PeerInference = t.Seconds
		for b := range t.Accepted {
			row.PeerAccepted += t.Accepted[b]
			row.PeerRejected += t.Rejected[b]
		}
	}
	return row, nil
}

// plan finds the steps, writes the case and plans its training. It uses a separate model, so that the timed model
// compiles everything it needs.
func (r *Row) plan(ctx context.Context, backend *xla.Backend, c *testCase, folder string) error {
	model, err := pengcde.New(backend, c.config)
	if err != nil {
		return err
	}
	defer model.Close()
	runtime.GC()
	r.BaseBytes = resident.Now()
	steps, err := c.steps(ctx, model)
	if err != nil {
		return err
	}
	most := 0
	for _, s := range steps {
		most = max(most, s.Accepted)
		r.Accepted += s.Accepted
		r.Rejected += s.Rejected
		r.Evaluations += s.Evaluations
	}
	if err := c.export(folder, model, steps); err != nil {
		return err
	}
	plan, err := model.Plan(c.windows, c.Batch, most)
	if err != nil {
		return err
	}
	r.PlannedBytes = plan.DeviceBytes + plan.HostBytes
	for _, count := range plan.Solve.Evaluations {
		r.PlannedEvaluations += count
	}
	return nil
}

// epochs trains an epoch that compiles, and then one epoch for each pair, after which the peer, if any, takes its
// turn. All epochs belong to one training, so they do not include the copies to the device at its beginning.
func (r *Row) epochs(ctx context.Context, c *testCase, model *pengcde.Model, peer *process) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var theirs, ratios []float64
	config := c.training
	config.Epochs = 1 + r.Pairs
	config.Progress = func(p train.Progress) {
		if r.OursBytes = resident.Peak(); p.Epoch == 1 || peer == nil || r.OutOfMemory {
			return
		}
		t, err := peer.ask("epoch")
		if r.OutOfMemory = errors.Is(err, errMemory); err != nil {
			if !r.OutOfMemory {
				stop(err)
			}
			return
		}
		if len(theirs) == 0 {
			r.PeerCompile = t.CompileSeconds
		}
		r.PeerBytes = t.PeakBytes
		theirs, ratios = append(theirs, t.Seconds), append(ratios, t.Seconds/p.Seconds)
	}
	report, err := model.Fit(ctx, c.windows, nil, config)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err) // the cause is the peer's error
	}
	seconds := secondsOf(report)
	r.Ours, r.OursCompile = spreadOf(seconds[1:]).Median, max(0, seconds[0]-seconds[1])
	if len(theirs) > 0 {
		r.Peer, r.Ratio = spreadOf(theirs).Median, spreadOf(ratios)
	}
	return nil
}

// secondsOf returns the seconds of each epoch; the first epoch compiles.
func secondsOf(report *train.Report) (seconds []float64) {
	for _, e := range report.Epochs {
		seconds = append(seconds, e.Seconds)
	}
	return seconds
}

// inference returns the seconds of forecasts at the times of the series. It times the second call, since the first
// compiles.
func (c *testCase) inference(ctx context.Context, model *pengcde.Model) (seconds float64, err error) {
	for range 2 {
		began := time.Now()
		for part := range slices.Chunk(c.windows, c.Batch) {
			if _, err := model.PredictAll(ctx, part, nil); err != nil {
				return 0, err
			}
		}
		seconds = time.Since(began).Seconds()
	}
	return seconds, nil
}

// origin holds the machine, the commit of the checkout, and the versions of the software that computed, including the
// backend.
type origin struct {
	Machine  string            `json:"machine"`
	Commit   string            `json:"commit"`
	Versions map[string]string `json:"versions"`
}

// here returns the origin of a measurement on this machine. The commit ends in + if the checkout was changed since,
// and is "" if git does not know it.
func here(backend *xla.Backend) origin {
	versions := doctor.Versions()
	delete(versions, "pengcde-go")
	delete(versions, "revision")
	versions["backend"] = backend.Name()
	name := runtime.GOARCH
	if content, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(content)) {
			if model, found := strings.CutPrefix(line, "model name"); found {
				name = strings.Trim(model, "\t :\n")
			}
		}
	}
	o := origin{Machine: fmt.Sprintf("%s, %d cores", name, runtime.NumCPU()), Versions: versions}
	if commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		o.Commit = strings.TrimSpace(string(commit))
		changes, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no").Output()
		if err == nil && len(changes) > 0 {
			o.Commit += "+"
		}
	}
	return o
}

// machine returns the machine with its backend.
func (o origin) machine() string {
	if backend := o.Versions["backend"]; backend != "" {
		return o.Machine + ", " + backend
	}
	return o.Machine
}
