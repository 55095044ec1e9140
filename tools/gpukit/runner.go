package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// runner runs the steps, each in a process of its own.
type runner struct {
	options
	env     map[string]string
	results *Results
	out     io.Writer
}

// all runs the steps and stores the results after each. A step has ended when its share of the time and all shares
// before it are over.
func (r *runner) all(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	start, shares := time.Now(), 0
	for _, s := range steps() {
		shares += s.share
		if r.only != "" && !slices.Contains(strings.Split(r.only, ","), s.name) {
			continue
		}
		end := start.Add(time.Duration(float64(r.limit) * float64(shares) / 100))
		step := r.results.begin(s.name, time.Until(end))
		fmt.Fprintf(r.out, "%s, at most %.0f s\n", s.name, step.Limit)
		began := time.Now()
		limited, stop := context.WithDeadline(ctx, end)
		r.one(limited, self, step)
		stop()
		step.Seconds = time.Since(began).Seconds()
		fmt.Fprintf(r.out, "  %s after %.1f s %s\n", step.State, step.Seconds, step.Reason)
		if err := r.results.write(); err != nil {
			return err
		}
		if err := r.results.draw(); err != nil { // the next steps matter more
			r.results.log(err.Error())
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// one runs a step to its end, or ends it with all processes that it started.
func (r *runner) one(ctx context.Context, self string, s *Step) {
	command := exec.CommandContext(ctx, self, "-step", s.Name, "-backend", r.backend, "-size", r.size, "-python", r.python)
	command.Env = os.Environ()
	for _, name := range slices.Sorted(maps.Keys(r.env)) {
		command.Env = append(command.Env, name+"="+r.env[name])
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = time.Second // a process that has left the group may hold the output
	reader, writer := io.Pipe()
	command.Stdout, command.Stderr = writer, writer
	read := make(chan struct{})
	go func() {
		defer close(read)
		r.read(reader, s)
	}()
	err := command.Run()
	writer.Close()
	<-read
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		s.State = timedOut
	case err != nil:
		s.State, s.Reason = failed, cmp.Or(s.Reason, lastOf(s.Output), err.Error())
	case s.Reason != "":
		s.State = skipped
	default:
		s.State = passed
	}
}

// read takes the messages and the last lines of a step's output. It stores the results after each figure, so that they
// survive the end of this process.
func (r *runner) read(from io.Reader, s *Step) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		line = strings.TrimRight(line, "\n")
		var m message
		if text, found := strings.CutPrefix(line, messageMark); found && json.Unmarshal([]byte(text), &m) == nil {
			if s.Reason = cmp.Or(s.Reason, m.Skip); m.Figure != nil {
				s.Figures = append(s.Figures, *m.Figure)
				fmt.Fprintln(r.out, "  "+m.Figure.String())
				r.results.write() // the last write, after the step, returns the error
			}
		} else if line != "" {
			r.results.log(line)
			s.Output = append(s.Output, line)
			s.Output = s.Output[max(0, len(s.Output)-keptLines):]
		}
		if err != nil {
			return
		}
	}
}

// keptLines are the last lines of a step's output that the results contain.
const keptLines = 30

func lastOf(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}
