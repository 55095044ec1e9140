package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

var (
	// ErrNoPeer says that the peer's environment is not set up: make peer.
	ErrNoPeer = errors.New("the peer is not set up, try: make peer")
	// ErrMemory says that the peer ran out of memory.
	ErrMemory = errors.New("the peer ran out of memory")
)

// Variant says how the peer uses message matrices.
type Variant string

const (
	// Dense forms them in every layer of every evaluation, as the published code does.
	Dense Variant = "dense"
	// Implicit applies them to states without forming them, by products with the dense control matrices.
	Implicit Variant = "implicit"
)

// StepChoice says which steps the peer takes.
type StepChoice string

const (
	// Adaptive steps are chosen by diffrax's controller with the library's tolerances, ending on the same times beside changes.
	// After such a time it begins again from the step that was cut there, where the library goes on with what had been
	// proposed before: so it accepts more steps.
	Adaptive StepChoice = "adaptive"
	// Given steps are those of the case.
	Given StepChoice = "given"
)

// PeerConfig says how the peer runs; the zero value is Dense, Adaptive and without a limit.
type PeerConfig struct {
	Variant Variant
	Steps   StepChoice
	// MemoryGiB limits its address space; 0 means no limit.
	MemoryGiB float64
}

// Process is a runner of the race with a case in it: the peer ([Start]) or the library ([StartLibrary]). It is to be closed, and
// used from one goroutine at a time.
type Process struct {
	// Versions are those of the language and the packages, by name.
	Versions map[string]string
	// LoadSeconds went by until the case was in memory, imports included.
	LoadSeconds float64
	// Planned is 0 for the peer.
	Planned Planned

	ctx     context.Context
	name    string
	folder  string
	limited bool
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
	errors  bytes.Buffer
}

// Turn is what a process did at one request.
type Turn struct {
	// Seconds are those of the work, compiled; CompileSeconds those that compiling it took, before the first.
	Seconds        float64 `json:"seconds"`
	CompileSeconds float64 `json:"compile_seconds"`
	// Loss is 0 for inference.
	Loss float64 `json:"loss"`
	// Accepted and Rejected steps and Evaluations of the field, of each sample.
	Accepted    []int `json:"accepted"`
	Rejected    []int `json:"rejected"`
	Evaluations []int `json:"evaluations"`
	// PeakBytes is the largest resident memory of the process so far.
	PeakBytes int64 `json:"peak_bytes"`
}

// Start starts the peer on the folder of a case, and waits until it has loaded it. The process ends with ctx. Errors wrap
// [ErrNoPeer] where it is not set up, and [ErrMemory].
func Start(ctx context.Context, folder string, config PeerConfig) (*Process, error) {
	root, err := checkout()
	if err != nil {
		return nil, err
	}
	python := filepath.Join(root, "build", "peer-venv", "bin", "python")
	if _, err := os.Stat(filepath.Join(root, "build", "peer-venv", "stamp")); err != nil {
		return nil, fmt.Errorf("bench: %w: %w", ErrNoPeer, err)
	}
	args := []string{filepath.Join(root, "bench", "peer", "race.py"), folder}
	if config.Variant != "" {
		args = append(args, "--variant", string(config.Variant))
	}
	if config.Steps != "" {
		args = append(args, "--steps", string(config.Steps))
	}
	if config.MemoryGiB != 0 {
		args = append(args, "--memory", strconv.FormatFloat(config.MemoryGiB, 'g', -1, 64))
	}
	command := exec.CommandContext(ctx, python, args...)
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	return start(ctx, "the peer", folder, command, config.MemoryGiB != 0)
}

// start starts a runner and waits until it says that it is ready.
func start(ctx context.Context, name, folder string, command *exec.Cmd, limited bool) (*Process, error) {
	p := &Process{ctx: ctx, name: name, folder: folder, limited: limited, command: command}
	p.command.Stderr = &p.errors
	var err error
	if p.input, err = p.command.StdinPipe(); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	output, err := p.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	p.output = bufio.NewReader(output)
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("bench: start of %s: %w", name, err)
	}
	var ready ready
	if err := p.answer(&ready); err != nil {
		return nil, err
	}
	p.Versions, p.LoadSeconds, p.Planned = ready.Versions, ready.Seconds, ready.Planned
	return p, nil
}

// ready is the first answer of a process.
type ready struct {
	Versions map[string]string `json:"versions"`
	Seconds  float64           `json:"seconds"`
	Planned
}

// Epoch runs forward, gradient and update once.
func (p *Process) Epoch() (Turn, error) { return p.turn("epoch") }

// Inference runs forward alone.
func (p *Process) Inference() (Turn, error) { return p.turn("inference") }

// Gradient runs forward and gradient, and returns the gradient by the names of parameters.
func (p *Process) Gradient() (Turn, map[string][]float64, error) {
	file := filepath.Join(p.folder, gradientFile)
	turn, err := p.turn("gradient " + file)
	if err != nil {
		return turn, nil, err
	}
	gradient, err := readFloats(file)
	return turn, gradient, err
}

// Close ends the process.
func (p *Process) Close() error {
	if p.command.ProcessState != nil { // it ended on its own, which was told
		return nil
	}
	p.input.Close()
	if err := p.command.Wait(); err != nil {
		return p.failure(err)
	}
	return nil
}

func (p *Process) turn(request string) (turn Turn, err error) {
	if p.command.ProcessState != nil {
		return turn, fmt.Errorf("bench: %s was closed or has failed, start another: %w", p.name, fs.ErrClosed)
	}
	if _, err := fmt.Fprintln(p.input, request); err != nil {
		return turn, p.failure(errors.Join(err, p.command.Wait()))
	}
	return turn, p.answer(&turn)
}

// answer reads one line; where there is none, the process has ended.
func (p *Process) answer(into any) error {
	line, err := p.output.ReadBytes('\n')
	if err != nil {
		return p.failure(errors.Join(err, p.command.Wait()))
	}
	var end struct {
		OOM bool `json:"oom"`
	}
	if err := errors.Join(json.Unmarshal(line, &end), json.Unmarshal(line, into)); err != nil {
		return fmt.Errorf("bench: %s answered %.200q: %w", p.name, line, err)
	}
	if end.OOM {
		p.input.Close()
		_ = p.command.Wait() // its status says the same
		return fmt.Errorf("bench: %w", ErrMemory)
	}
	return nil
}

// failure tells why the process ended. At a limit of memory its libraries may end it before Python hears of it: with a signal,
// or with status 127 where no thread could be started.
func (p *Process) failure(err error) error {
	if cause := p.ctx.Err(); cause != nil {
		return fmt.Errorf("bench: %s was ended: %w", p.name, cause)
	}
	text := bytes.TrimSpace(p.errors.Bytes())
	text = text[max(0, len(text)-2000):]
	if status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus); ok && p.limited && (status.Signaled() || status.ExitStatus() == 127) {
		return fmt.Errorf("bench: %w: %w: %s", ErrMemory, err, text)
	}
	return fmt.Errorf("bench: %s ended: %w: %s", p.name, err, text)
}

// checkout is the folder of go.mod, in or above the working folder.
func checkout() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("bench: %w", err)
	}
	for start := folder; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", fmt.Errorf("bench: no go.mod in or above %s: run it in a checkout of the library: %w", start, ErrNoPeer)
		}
	}
}
