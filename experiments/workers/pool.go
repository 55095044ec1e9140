package workers

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
	"syscall"
	"time"

	"github.com/peng-cde/pengcde-go/internal/cores"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// worker is a process that makes runs.
type worker struct {
	process *exec.Cmd
	life    io.Closer // closing it tells the worker to stop
	said    tail
	index   int // among the parallel workers, which selects its cores
	task    Task
	started time.Time
	free    []string // programs that were free when it started
	took    bool     // it was seen with a run
}

// event is a note of a worker, or its end.
type event struct {
	of *worker
	note
	ended bool
	err   error // how it ended
}

// Pool starts processes that make runs.
type Pool struct {
	command func() *exec.Cmd
	kinds   map[string]error
	each    int   // cores per worker
	which   []int // shared cores; nil where they cannot be chosen
	most    int   // largest number of parallel workers
	workers []*worker
	events  chan event
	// unreserve releases the cores to other commands.
	unreserve func()
}

// NewPool returns a pool without processes, for up to jobs processes at a time with each cores per process; 0 means
// an equal share. Commands call [Serve] with the same kinds of errors.
func NewPool(command func() *exec.Cmd, jobs, each int, kinds map[string]error) *Pool {
	count, which := Cores()
	most := max(1, jobs)
	if each == 0 {
		each = max(1, count/most)
	}
	which, unreserve := cores.Reserve(which, most*each)
	return &Pool{command: command, kinds: kinds, each: each, which: which, most: most, events: make(chan event),
		unreserve: unreserve}
}

// threads names the environment variables that set the number of threads of Go and of XLA on a CPU.
var threads = []string{"GOMAXPROCS", "PJRT_NPROC"}

// start starts a worker with its share of the cores.
func (p *Pool) start(task Task, free []string) error {
	asked, err := json.Marshal(task)
	if err != nil {
		return fmt.Errorf("experiments/workers: task of a worker: %w", err)
	}
	w := &worker{process: p.command(), task: task, free: free, started: time.Now()}
	for slices.ContainsFunc(p.workers, func(other *worker) bool { return other.index == w.index }) {
		w.index++
	}
	if w.process.Env == nil {
		w.process.Env = os.Environ()
	}
	w.process.Env = append(w.process.Env, Env+"="+string(asked))
	for _, name := range threads {
		count := p.each
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
	life, err := w.process.StdinPipe()
	w.life = life
	var notes io.Reader
	if err == nil {
		notes, err = w.process.StdoutPipe()
	}
	if err == nil {
		err = cores.Start(w.process, coresAt(p.which, p.each, w.index))
	}
	if err != nil {
		return fmt.Errorf("experiments/workers: start a worker: %w", err)
	}
	p.workers = append(p.workers, w)
	go p.listen(w, notes)
	return nil
}

// listen passes on the notes of a worker until it has ended.
func (p *Pool) listen(w *worker, notes io.Reader) {
	lines := bufio.NewReader(notes)
	for {
		line, err := lines.ReadBytes('\n')
		var n note
		if json.Unmarshal(line, &n) == nil { // otherwise a library printed it
			p.events <- event{of: w, note: n}
		}
		if err != nil {
			break
		}
	}
	p.events <- event{of: w, ended: true, err: w.process.Wait()}
}

// remove removes a worker that has ended from the list.
func (p *Pool) remove(w *worker) {
	p.workers = slices.DeleteFunc(p.workers, func(other *worker) bool { return other == w })
}

// stop makes all workers keep a checkpoint and end, and waits for them. It returns their errors, each text once, since
// workers that share a full disk say the same.
func (p *Pool) stop() error {
	defer p.unreserve()
	for _, w := range p.workers {
		w.life.Close()
	}
	var told []string
	var failed []error
	for len(p.workers) > 0 {
		e := <-p.events
		if e.ended {
			p.remove(e.of)
		} else if e.Error != "" && !slices.Contains(told, e.Error) {
			told, failed = append(told, e.Error), append(failed, p.failure(e.note))
		}
	}
	return errors.Join(failed...)
}

// has reports whether a process is a worker of the pool.
func (p *Pool) has(process int) bool {
	return slices.ContainsFunc(p.workers, func(w *worker) bool { return w.process.Process.Pid == process })
}

// count returns the number of workers that fit.
func (p *Pool) count(fits func(*worker) bool) (count int) {
	for _, w := range p.workers {
		if fits(w) {
			count++
		}
	}
	return count
}

// failure returns the error with which a worker says why it ends.
func (p *Pool) failure(n note) error {
	err := errors.New(n.Error)
	for _, kind := range n.Kinds {
		if sentinel, known := p.kinds[kind]; known {
			err = errs.New(sentinel, "%w", err)
		}
	}
	return err
}

// ending describes how a process ended that should have continued.
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
