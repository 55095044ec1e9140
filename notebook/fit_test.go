package notebook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/forecast"
	training "github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// pair returns 30 days of two nodes that swap their values.
func pair(t *testing.T) *table.Data {
	t.Helper()
	edges, nodes := "time,source,destination,weight\n", "time,node,y\n"
	for day := range 30 {
		edges += fmt.Sprintf("%d,a,b,1\n%d,b,a,1\n", day, day)
		nodes += fmt.Sprintf("%d,a,%d\n%d,b,%d\n", day, day%2, day, 1-day%2)
	}
	folder := t.TempDir()
	c := table.Config{Edges: table.Edges{Path: filepath.Join(folder, "edges.csv")}, Lags: 2, Notices: io.Discard,
		Nodes: table.Nodes{Path: filepath.Join(folder, "nodes.csv"), Targets: []string{"y"}}}
	for path, text := range map[string]string{c.Edges.Path: edges, c.Nodes.Path: nodes} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := table.Read(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFit(t *testing.T) {
	if gonbui.IsNotebook {
		t.Skip("runs in a notebook")
	}
	t.Setenv(xla.BackendEnv, "go")
	data, folder := pair(t), t.TempDir()
	c := forecast.Config{Inputs: 2, Hidden: 2, Epochs: 2, Checkpoint: filepath.Join(folder, "training")}
	path := filepath.Join(folder, forecast.ModelFile)
	_, err := Load(path)
	if text := line(err); !errors.Is(err, experiments.ErrNotStored) || !strings.HasPrefix(text, "not trained yet: ") {
		t.Errorf("before training: %v", err)
	}
	fitted, err := fit(io.Discard, data, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := fitted.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	model, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if ahead, err := model.Ahead(t.Context(), data.Series); err != nil || len(ahead) != 1 || ahead[0].Time != "30" {
		t.Errorf("%+v, %v", ahead, err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || errors.Is(err, experiments.ErrNotStored) {
		t.Errorf("an empty file: %v", err)
	}
	data.Series.Targets = nil
	if _, err := fit(io.Discard, data, c); err == nil || !strings.HasPrefix(err.Error(), "notebook: ") {
		t.Errorf("no targets: %v", err)
	}
}

// An interrupted cell says so, and continues when it is run again.
func TestInterruptedFit(t *testing.T) {
	t.Setenv(xla.BackendEnv, "go")
	data := pair(t)
	c := forecast.Config{Inputs: 2, Hidden: 2, Epochs: 2, Checkpoint: filepath.Join(t.TempDir(), "training")}
	if _, err := fit(io.Discard, data, c); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(c.Checkpoint + "-*")
	if err != nil || len(files) == 0 {
		t.Fatalf("checkpoints %q, %v", files, err)
	}
	for _, path := range files { // so that a notice comes before training
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	heard := 0
	c.Notice = func(text string) {
		if heard++; heard > 1 {
			return
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(os.Interrupt)
		}
		if err != nil {
			t.Error(err)
		}
		time.Sleep(100 * time.Millisecond) // until the signal has arrived
	}
	result, err := fit(io.Discard, data, c)
	if result != nil || !errors.Is(err, ErrStopped) || heard != 1 {
		t.Errorf("%v after %d notices, want ErrStopped after one", err, heard)
	}
	if left, err2 := filepath.Glob(c.Checkpoint + "-*"); err2 != nil || (line(err) == string(goesOn)) != (len(left) > 0) {
		t.Errorf("says %q with checkpoints %q, %v", line(err), left, err2)
	}
	if _, err := fit(io.Discard, data, c); err != nil {
		t.Errorf("run again: %v", err)
	}
}

// A stopped cell promises to continue only if a checkpoint of the same settings and data exists.
func TestStoppedFitPromises(t *testing.T) {
	t.Setenv(xla.BackendEnv, "go")
	data := pair(t)
	c := forecast.Config{Inputs: 2, Hidden: 2, Epochs: 1, Checkpoint: filepath.Join(t.TempDir(), "training")}
	without, other := c, c
	without.Checkpoint, other.Hidden = "", 3
	if got := stoppedFit(data, c); got != startsOver {
		t.Errorf("before training: %q", line(got))
	}
	if _, err := fit(io.Discard, data, c); err != nil {
		t.Fatal(err)
	}
	for name, check := range map[string]struct {
		config forecast.Config
		want   stopped
	}{"the same": {c, goesOn}, "no checkpoint": {without, noCheckpoint}, "other settings": {other, startsOver}} {
		if got := stoppedFit(data, check.config); got != check.want || !errors.Is(got, ErrStopped) {
			t.Errorf("%s: %q, want %q", name, line(got), check.want)
		}
	}
	if got := line(fmt.Errorf("cell: %w", goesOn)); got != string(goesOn) {
		t.Errorf("wrapped: %q", got)
	}
}

// An interrupt hides no error about a checkpoint that could not be written.
func TestEnded(t *testing.T) {
	bar := NewBar("test")
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("training: %w", context.Canceled), string(goesOn)},
		{fmt.Errorf("%w: disk full: %w", training.ErrNotSaved, context.Canceled),
			"notebook: training: checkpoint cannot be written: disk full: context canceled"},
		{errors.New("no targets"), "notebook: training: no targets"},
	} {
		err := ended(bar, c.err, func() error { return goesOn })
		if got := line(err); got != c.want || errors.Is(err, ErrStopped) != (c.want == string(goesOn)) {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
