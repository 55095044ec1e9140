package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"embed"
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

	"github.com/peng-cde/pengcde-go/internal/gradients"
	"github.com/peng-cde/pengcde-go/internal/moduleroot"
)

var (
	errNoPeer = errors.New("the peer is not set up, try: make peer")
	errMemory = errors.New("the peer ran out of memory")
)

// Variants of the peer: how it uses message matrices.
const (
	// dense forms them in every layer of every evaluation, as the published code does.
	dense = "dense"
	// implicit applies them to states without forming them, by products with the dense control matrices.
	implicit = "implicit"
)

// process is a peer that has loaded a case. The caller must close it.
type process struct {
	ctx      context.Context
	versions map[string]string
	folder   string
	limited  bool // whether its memory is limited
	command  *exec.Cmd
	input    io.WriteCloser
	output   *bufio.Reader
	errors   bytes.Buffer
}

// turn is the peer's answer to one request.
type turn struct {
	// Seconds is the time of the compiled work. CompileSeconds is the time of compiling it, before its first turn.
	Seconds        float64 `json:"seconds"`
	CompileSeconds float64 `json:"compile_seconds"`
	Loss           float64 `json:"loss"`       // 0 for inference
	PeakBytes      int64   `json:"peak_bytes"` // largest resident memory so far
	// Accepted and Rejected count the steps of each sample.
	Accepted []int `json:"accepted"`
	Rejected []int `json:"rejected"`
}

// Steps of the peer.
const (
	// given uses the steps in the case, which the library accepted; "" means the same.
	given = "given"
	// own uses the steps of diffrax's controller at the library's tolerances. They pass over changes of the graph, as
	// in the published code.
	own = "default"
	// stopped uses the steps of that controller, and ends steps at the same times as the library. After such a time
	// the controller continues from the shortened step, the library from the step proposed before: the controller
	// accepts more steps.
	stopped = "stopped"
)

// peerScripts are the files of the peer, in the folder peer.
//
//go:embed peer/*.py
var peerScripts embed.FS

// startPeer starts the peer on the folder of a case, and waits until it has loaded the case. python is a program with
// the peer's packages; "" means the one of make peer. gib limits the peer's address space; 0 means no limit. Errors
// wrap errNoPeer if the peer is not set up, and errMemory.
func startPeer(ctx context.Context, python, folder, variant, steps string, gib float64) (*process, error) {
	if python == "" {
		var err error
		if python, err = peerPython(); err != nil {
			return nil, err
		}
	}
	scripts := filepath.Join(folder, "peer")
	if err := os.RemoveAll(scripts); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	if err := os.CopyFS(folder, peerScripts); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	args := []string{filepath.Join(scripts, "race.py"), folder, "--variant", variant, "--steps", cmp.Or(steps, given)}
	if gib != 0 {
		args = append(args, "--memory", strconv.FormatFloat(gib, 'g', -1, 64))
	}
	p := &process{ctx: ctx, folder: folder, limited: gib != 0, command: exec.CommandContext(ctx, python, args...)}
	p.command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	p.command.Stderr = &p.errors
	output, err := p.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	p.output = bufio.NewReader(output)
	if p.input, err = p.command.StdinPipe(); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("bench: start of the peer: %w", err)
	}
	var ready struct{ Versions map[string]string }
	err = p.answer(&ready)
	p.versions = ready.Versions
	return p, err
}

// gradient runs the forward pass and the gradient, and returns the gradient by names of parameters.
func (p *process) gradient() (turn, map[string][]float64, error) {
	file := filepath.Join(p.folder, gradientFile)
	t, err := p.ask("gradient " + file)
	if err != nil {
		return t, nil, err
	}
	gradient, err := gradients.Read(file)
	return t, gradient, err
}

// close ends the process.
func (p *process) close() error {
	if p.command.ProcessState != nil { // it ended by itself, which was reported
		return nil
	}
	p.input.Close()
	if err := p.command.Wait(); err != nil {
		return p.failure(err)
	}
	return nil
}

// ask makes a request: "epoch" for forward, gradient and update, "inference" for the forward pass only.
func (p *process) ask(request string) (t turn, err error) {
	if p.command.ProcessState != nil {
		return t, fmt.Errorf("bench: the peer was closed or has failed, start another: %w", fs.ErrClosed)
	}
	if _, err := fmt.Fprintln(p.input, request); err != nil {
		return t, p.failure(errors.Join(err, p.command.Wait()))
	}
	return t, p.answer(&t)
}

// answer reads one line; if there is none, the process has ended.
func (p *process) answer(into any) error {
	line, err := p.output.ReadBytes('\n')
	if err != nil {
		return p.failure(errors.Join(err, p.command.Wait()))
	}
	var end struct {
		OOM bool `json:"oom"`
	}
	if err := errors.Join(json.Unmarshal(line, &end), json.Unmarshal(line, into)); err != nil {
		return fmt.Errorf("bench: the peer answered %.200q: %w", line, err)
	}
	if end.OOM {
		p.input.Close()
		_ = p.command.Wait() // its status says the same
		return fmt.Errorf("bench: %w", errMemory)
	}
	return nil
}

// failure returns the error with which the process ended. At a memory limit its libraries may end it before Python
// sees an error: with a signal, or with status 127 if no thread could be started.
func (p *process) failure(err error) error {
	if cause := p.ctx.Err(); cause != nil {
		return fmt.Errorf("bench: the peer was ended: %w", cause)
	}
	text := bytes.TrimSpace(p.errors.Bytes())
	text = text[max(0, len(text)-2000):]
	if status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus); ok && p.limited &&
		(status.Signaled() || status.ExitStatus() == 127) {
		return fmt.Errorf("bench: %w: %w: %s", errMemory, err, text)
	}
	return fmt.Errorf("bench: the peer ended: %w: %s", err, text)
}

// peerPython returns the Python of make peer, in the checkout that contains the working folder.
func peerPython() (string, error) {
	folder, err := moduleroot.Find(".")
	if err != nil {
		return "", fmt.Errorf("bench: %w: %w", errNoPeer, err)
	}
	environment := filepath.Join(folder, "build", "peer-venv")
	if _, err := os.Stat(filepath.Join(environment, "stamp")); err != nil {
		return "", fmt.Errorf("bench: %w: %w", errNoPeer, err)
	}
	return filepath.Join(environment, "bin", "python"), nil
}
