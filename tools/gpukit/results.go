package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/internal/durable"
)

// State is what became of a step.
type State string

// The states; a step that the end of the command interrupts has begun.
const (
	begun    State = "begun"
	passed   State = "ok"
	failed   State = "failed"
	skipped  State = "skipped"
	timedOut State = "timed out"
)

// Step is the result of a step.
type Step struct {
	Name    string   `json:"name"`
	State   State    `json:"state"`
	Reason  string   `json:"reason,omitempty"`
	Seconds float64  `json:"seconds"`
	Limit   float64  `json:"limit_s"`
	Figures []Figure `json:"figures,omitempty"`
	Output  []string `json:"output,omitempty"` // the last lines
}

// Results are the content of gpu-kit.json.
type Results struct {
	Time     time.Time         `json:"time"`
	Machine  Machine           `json:"machine"`
	Versions map[string]string `json:"versions"`
	Backend  string            `json:"backend"`
	Size     string            `json:"size"`
	Steps    []*Step           `json:"steps"`

	file, folder string
}

func newResults(ctx context.Context, o options, python *pythonSide) *Results {
	versions := doctor.Versions()
	maps.Copy(versions, python.Versions)
	_ = os.Remove(filepath.Join(o.out, logFile)) // of an earlier run
	return &Results{Time: time.Now().UTC(), Machine: machineHere(ctx), Versions: versions, Backend: o.backendEnv(),
		Size: o.size, file: filepath.Join(o.out, "gpu-kit.json"), folder: o.out}
}

// begin adds a step.
func (r *Results) begin(name string, limit time.Duration) *Step {
	s := &Step{Name: name, State: begun, Limit: limit.Seconds()}
	r.Steps = append(r.Steps, s)
	return s
}

// write stores the results and their table, each file at once.
func (r *Results) write() error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := durable.WriteFile(r.file, append(text, '\n')); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(r.folder, "gpu-kit.txt"), []byte(r.Table()))
}

// logFile has the whole output of the latest run.
const logFile = "log.txt"

// log appends a line to the whole output of all steps. What cannot be written is lost: the results have its end.
func (r *Results) log(line string) {
	if os.MkdirAll(r.folder, 0o755) != nil {
		return
	}
	file, err := os.OpenFile(filepath.Join(r.folder, logFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	fmt.Fprintf(file, "%s: %s\n", r.Steps[len(r.Steps)-1].Name, line)
	file.Close()
}

// bad lists the steps that neither passed nor were skipped.
func (r *Results) bad() (names []string) {
	for _, s := range r.Steps {
		if s.State != passed && s.State != skipped {
			names = append(names, fmt.Sprintf("%s (%s)", s.Name, s.State))
		}
	}
	return names
}

// Table returns the results for people.
func (r *Results) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nbackend %s, size %s, %s\n", r.Machine, r.Backend, r.Size, r.Time.Format(time.RFC3339))
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "\n%-10s %-9s %6.1f s  %s\n", s.Name, s.State, s.Seconds, s.Reason)
		for _, f := range s.Figures {
			fmt.Fprintf(&b, "  %s\n", f)
		}
	}
	return b.String()
}

func (f Figure) String() string {
	return strings.TrimRight(fmt.Sprintf("%-58s %10.4g %-8s %s", f.Name, f.Value, f.Unit, f.Note), " ")
}
