package notebook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/xla"
)

// cellEnv names the cell that this test binary runs, see [TestMain].
const cellEnv = "PENGCDE_TEST_CELL"

// cells are programs that end by themselves.
var cells = map[string]func(){
	"fine": func() {
		Check(nil)
		fmt.Println("six times", Must(42, nil))
	},
	"failed": func() { Check(fmt.Errorf("cannot read\nthe file")) },
	"not trained": func() {
		Must(0, fmt.Errorf("experiments: %w: no run of PENG-CDE", experiments.ErrNotStored))
	},
	"stopped":                 func() { Must(Train(study(interrupted), experiments.Options{})) },
	"stopped in a second run": func() { Must(Train(twoRuns(interrupted), experiments.Options{})) },
	"stopped while it compiles": func() {
		Must(Train(study(func(ctx context.Context) error {
			err := interrupted(ctx)
			time.Sleep(time.Minute)
			return err
		}), experiments.Options{}))
	},
}

// twoRuns returns a study whose first run is made at once, and the second by a function.
func twoRuns(second func(context.Context) error) experiments.Study {
	made := false
	s := study(func(ctx context.Context) error {
		if made {
			return second(ctx)
		}
		made = true
		return nil
	})
	plan := s.Plan
	s.Plan = func(ctx context.Context, scope experiments.Scope) ([]experiments.Run, error) {
		runs, err := plan(ctx, scope)
		again := runs[0]
		again.Seed, again.Identity = 1, func() (any, error) { return "two", nil }
		return append(runs, again), err
	}
	return s
}

// interrupted waits for the interrupt that it sends to this process.
func interrupted(ctx context.Context) error {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt)
	}
	if err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestMain(m *testing.M) {
	if cell, ok := cells[os.Getenv(cellEnv)]; ok {
		cell()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A cell ends with one line, and with a status that the kernel treats as an error.
func TestCells(t *testing.T) {
	for name, want := range map[string]string{
		"fine":                      "",
		"failed":                    "cannot read; the file\n",
		"not trained":               "not trained yet: run the training cell (experiments: not stored: no run of PENG-CDE)\n",
		"stopped":                   string(startsOver) + "\n",
		"stopped while it compiles": string(startsOver) + "\n",
		"stopped in a second run":   "Stopped. Run this cell again to go on.\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), cellEnv+"="+name, xla.BackendEnv+"=go", experiments.ResultsEnv+"="+t.TempDir())
			var out, told bytes.Buffer
			c.Stdout, c.Stderr = &out, &told
			began := time.Now()
			err := c.Run()
			var exit *exec.ExitError
			if failed := errors.As(err, &exit) && exit.ExitCode() == 1; failed != (want != "") || told.String() != want {
				t.Errorf("ended with %v and %q, want %q", err, told.String(), want)
			}
			if took := time.Since(began); took > grace+5*time.Second {
				t.Errorf("took %v, by when the kernel has killed it", took)
			}
			if name == "fine" && !strings.Contains(out.String(), "six times 42") {
				t.Errorf("wrote %q", out.String())
			}
		})
	}
}
