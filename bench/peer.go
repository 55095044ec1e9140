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
	// errNoPeer says that the peer's environment is not set up: make peer.
	errNoPeer = errors.New("the peer is not set up, try: make peer")
	// errMemory says that the peer ran out of memory.
	errMemory = errors.New("the peer ran out of memory")
)

// Variants of the peer: how it uses message matrices.
const (
	// dense forms them in every layer of every evaluation, as the published code does.
	dense = "dense"
	// implicit applies them to states without forming them, by products with the dense control matrices.
	implicit = "implicit"
)

// process is one side of a race with a case in it. It is to be closed.
type process struct {
	ready
	ctx     context.Context
	name    string
	folder  string
	limited bool
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
	errors  bytes.Buffer
}

// ready is the first answer of a process; the peer plans nothing.
type ready struct {
	Versions map[string]string `json:"versions"`
	Planned
}

// turn is what a process did at one request.
type turn struct {
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

// startPeer starts the peer on the folder of a case, and waits until it has loaded it. It takes the given steps of the
// case, or those of diffrax's controller, with the library's tolerances and the same times to end on. After such a time
// that controller begins again from the step that was cut there, the library from the one proposed before: it accepts
// more steps. gib limits its address space; 0 does not. Errors wrap errNoPeer where it is not set up, and errMemory.
func startPeer(ctx context.Context, folder, variant string, given bool, gib float64) (*process, error) {
	python, script, err := peerFiles()
	if err != nil {
		return nil, err
	}
	args := []string{script, folder, "--variant", variant}
	if given {
		args = append(args, "--steps", "given")
	}
	if gib != 0 {
		args = append(args, "--memory", strconv.FormatFloat(gib, 'g', -1, 64))
	}
	command := exec.CommandContext(ctx, python, args...)
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	return start(ctx, "the peer", folder, command, gib != 0)
}

// start starts a runner and waits until it says that it is ready.
func start(ctx context.Context, name, folder string, command *exec.Cmd, limited bool) (*process, error) {
	p := &process{ctx: ctx, name: name, folder: folder, limited: limited, command: command}
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
	if err := p.answer(&p.ready); err != nil {
		return nil, err
	}
	return p, nil
}

// gradient runs forward and gradient, and returns the gradient by the names of parameters.
func (p *process) gradient() (turn, map[string][]float64, error) {
	file := filepath.Join(p.folder, gradientFile)
	t, err := p.ask("gradient " + file)
	if err != nil {
		return t, nil, err
	}
	gradient, err := readFloats(file)
	return t, gradient, err
}

// close ends the process.
func (p *process) close() error {
	if p.command.ProcessState != nil { // it ended on its own, which was told
		return nil
	}
	p.input.Close()
	if err := p.command.Wait(); err != nil {
		return p.failure(err)
	}
	return nil
}

// ask makes a request: "epoch" for forward, gradient and update, "inference" for forward alone.
func (p *process) ask(request string) (t turn, err error) {
	if p.command.ProcessState != nil {
		return t, fmt.Errorf("bench: %s was closed or has failed, start another: %w", p.name, fs.ErrClosed)
	}
	if _, err := fmt.Fprintln(p.input, request); err != nil {
		return t, p.failure(errors.Join(err, p.command.Wait()))
	}
	return t, p.answer(&t)
}

// answer reads one line; where there is none, the process has ended.
func (p *process) answer(into any) error {
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
		return fmt.Errorf("bench: %w", errMemory)
	}
	return nil
}

// failure tells why the process ended. At a limit of memory its libraries may end it before Python hears of it: with a
// signal, or with status 127 where no thread could be started.
func (p *process) failure(err error) error {
	if cause := p.ctx.Err(); cause != nil {
		return fmt.Errorf("bench: %s was ended: %w", p.name, cause)
	}
	text := bytes.TrimSpace(p.errors.Bytes())
	text = text[max(0, len(text)-2000):]
	if status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus); ok && p.limited &&
		(status.Signaled() || status.ExitStatus() == 127) {
		return fmt.Errorf("bench: %w: %w: %s", errMemory, err, text)
	}
	return fmt.Errorf("bench: %s ended: %w: %s", p.name, err, text)
}

// peerFiles are the peer's Python and its script, of the checkout that the working folder is in.
func peerFiles() (python, script string, err error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", "", fmt.Errorf("bench: %w", err)
	}
	for start := folder; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
		if folder == filepath.Dir(folder) {
			return "", "", fmt.Errorf("bench: no go.mod in or above %s: run it in a checkout of the library: %w", start,
				errNoPeer)
		}
	}
	environment := filepath.Join(folder, "build", "peer-venv")
	if _, err := os.Stat(filepath.Join(environment, "stamp")); err != nil {
		return "", "", fmt.Errorf("bench: %w: %w", errNoPeer, err)
	}
	return filepath.Join(environment, "bin", "python"), filepath.Join(folder, "bench", "peer", "race.py"), nil
}
