package experiments

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/peng-cde/pengcde-go/internal/cores"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// worker is a process that makes runs as ordered.
type worker struct {
	process *exec.Cmd
	orders  io.WriteCloser
	said    tail
	place   int   // among those that work side by side, each with its cores
	task    *task // nil while it has none
	ready   bool  // it takes orders
	alone   bool  // it is for one task, and no other is to work beside it
	leaving bool  // its orders have ended
}

// event is what a worker said, or that it ended.
type event struct {
	of *worker
	message
	ended bool
	err   error // how it ended
}

// crew are the workers of a process.
type crew struct {
	start   func() *exec.Cmd
	each    int   // cores of a worker
	which   []int // cores that are shared; nil where they cannot be chosen
	most    int   // to work side by side
	workers []*worker
	events  chan event
	// unreserve leaves the cores to other commands.
	unreserve func()
}

// threads are the variables that say how many threads Go and XLA on a CPU have.
var threads = []string{"GOMAXPROCS", "PJRT_NPROC"}

// hire starts a worker with its share of the cores.
func (c *crew) hire(alone bool) (*worker, error) {
	w := &worker{process: c.start(), alone: alone}
	for slices.ContainsFunc(c.workers, func(other *worker) bool { return other.place == w.place }) {
		w.place++
	}
	mine := shareOf(c.which, c.each, w.place)
	if w.process.Env == nil {
		w.process.Env = os.Environ()
	}
	for _, name := range threads {
		count := c.each
		if asked, err := strconv.Atoi(os.Getenv(name)); err == nil && asked > 0 {
			count = min(count, asked)
		}
		w.process.Env = append(w.process.Env, fmt.Sprintf("%s=%d", name, count))
	}
	if passed := w.process.Stderr; passed != nil {
		w.process.Stderr = io.MultiWriter(passed, &w.said)
	} else {
		w.process.Stderr = &w.said
	}
	reports, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("experiments: pipe of a worker: %w", err)
	}
	w.process.ExtraFiles = []*os.File{theirs} // which is file 3 there
	w.orders, err = w.process.StdinPipe()
	if err == nil {
		err = cores.Start(w.process, mine)
	}
	theirs.Close()
	if err != nil {
		reports.Close()
		return nil, fmt.Errorf("experiments: start a worker: %w", err)
	}
	c.workers = append(c.workers, w)
	go c.listen(w, reports)
	return w, nil
}

// newCrew has no workers yet.
func newCrew(o Options) *crew {
	count, which := ownCores()
	each := o.Cores
	if each == 0 {
		each = max(1, count/max(1, o.Jobs))
	}
	most := max(1, o.Jobs)
	which, unreserve := cores.Reserve(which, most*each)
	return &crew{start: o.Worker, each: each, which: which, most: most, events: make(chan event), unreserve: unreserve}
}

// shareOf are the cores of the worker at a place, so many for each. All have equally many, since results depend
// on that, by rounding at least.
func shareOf(all []int, each, place int) []int {
	if len(all) == 0 {
		return nil
	}
	first := place * each % len(all)
	return all[first:min(first+each, len(all))]
}

// listen passes on what a worker says until it has ended.
func (c *crew) listen(w *worker, reports *os.File) {
	read := json.NewDecoder(bufio.NewReader(reports))
	for {
		var m message
		if read.Decode(&m) != nil {
			break
		}
		c.events <- event{of: w, message: m}
	}
	reports.Close()
	c.events <- event{of: w, ended: true, err: w.process.Wait()}
}

// gone takes a worker off the list.
func (c *crew) gone(w *worker) {
	c.workers = slices.DeleteFunc(c.workers, func(other *worker) bool { return other == w })
}

// dismiss ends the orders of workers, which makes those at a run keep a checkpoint.
func (c *crew) dismiss(workers ...*worker) {
	for _, w := range workers {
		if !w.leaving {
			w.leaving = true
			w.orders.Close()
		}
	}
}

// end dismisses all and waits for them.
func (c *crew) end() {
	defer c.unreserve()
	c.dismiss(c.workers...)
	for len(c.workers) > 0 {
		if e := <-c.events; e.ended {
			c.gone(e.of)
		}
	}
}

// free is a worker that waits for orders; nil where there is none.
func (c *crew) free(alone bool) *worker {
	for _, w := range c.workers {
		if w.ready && !w.leaving && w.task == nil && w.alone == alone {
			return w
		}
	}
	return nil
}

// count is the number of workers that fit.
func (c *crew) count(fits func(*worker) bool) (count int) {
	for _, w := range c.workers {
		if fits(w) {
			count++
		}
	}
	return count
}

func (w *worker) busy() bool { return w.task != nil }

// give orders the runs of a task.
func (w *worker) give(t *task) {
	w.task = t
	asked := order{Retry: t.retry, InParts: t.inParts}
	for _, r := range t.runs {
		asked.Runs = append(asked.Runs, r.slot.Name())
	}
	_ = json.NewEncoder(w.orders).Encode(asked) // a worker that has ended is an event to come
}

// failure is the error of a worker that says why it ends.
func (m message) failure() error {
	text := errors.New(m.Failed)
	if sentinel, known := sentinels[m.Sentinel]; known {
		return errs.New(sentinel, "%w", text)
	}
	return text
}

// ending says how a process ended that was to go on.
func (e event) ending() string {
	text := "it ended of itself"
	if e.err != nil {
		text = e.err.Error()
	}
	if status, ok := e.of.process.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() &&
		status.Signal() == syscall.SIGKILL {
		text += ", as for lack of memory"
	}
	if last := e.of.said.last(); last != "" {
		text += "; it said last: " + last
	}
	return text
}

// tail keeps the end of the text written to it.
type tail struct{ kept []byte }

const tailBytes = 64 << 10 // with the traces of a panic

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
	return len(p), nil
}

// last is the line with which a Go program says why it ends, else the last one; "" where there is none.
func (t *tail) last() (last string) {
	for line := range strings.Lines(string(t.kept)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
		if line != "" {
			last = line
		}
	}
	return last
}
