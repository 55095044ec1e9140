package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/xla"
)

// child runs one step in a process of its own, since a plugin that fails in its C code ends the process. It writes
// messages to the process that started it between other lines of output.
type child struct {
	options
	size size
	out  io.Writer
	lock sync.Mutex // of out
}

// Figure is a number that a step found.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`
	Note  string  `json:"note,omitempty"` // what to compare it with
}

// message is a line on the output of a child, after messageMark.
type message struct {
	Figure *Figure `json:"figure,omitempty"`
	Skip   string  `json:"skip,omitempty"`
}

const messageMark = "\x01gpukit "

func (c *child) say(m message) {
	text, err := json.Marshal(m)
	if err != nil { // of a figure that is not finite
		c.write(fmt.Sprintf("%+v: %v", *m.Figure, err))
		return
	}
	c.write(messageMark + string(text))
}

// write writes a line.
func (c *child) write(line string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	fmt.Fprintln(c.out, line)
}

// found reports a figure.
func (c *child) found(name string, value float64, unit, note string) {
	c.say(message{Figure: &Figure{name, value, unit, note}})
}

func (c *child) run(ctx context.Context) error {
	err := stepNamed(c.step).does(ctx, c)
	if errors.Is(err, errSkip) {
		c.say(message{Skip: strings.TrimPrefix(err.Error(), errSkip.Error()+": ")})
		return nil
	}
	return err
}

// open opens the backend that all steps use.
func (c *child) open() (*xla.Backend, error) {
	backend, err := xla.Open(xla.Config{Backend: c.backendEnv(), Notices: c.out})
	if err == nil {
		fmt.Fprintln(c.out, backend)
	}
	return backend, err
}

// examine runs the checks of pengcde doctor.
func examine(ctx context.Context, c *child) error {
	checks := doctor.Examine(ctx, doctor.Options{Backend: c.backendEnv()})
	if err := doctor.Write(c.out, checks); err != nil {
		return err
	}
	var missing []string
	for _, check := range checks {
		if check.State == doctor.Missing {
			missing = append(missing, check.Name+": "+check.Detail)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing: %s", strings.Join(missing, "; "))
	}
	return nil
}
