package notebook

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/xla"
)

// study has one run, made by a function.
func study(make func(context.Context) error) experiments.Study {
	run := experiments.Run{Model: experiments.Forecast("zero", baseline.Zero{}),
		Identity: func() (any, error) { return "one", nil }}
	return experiments.Study{Name: "one",
		Plan: func(experiments.Scope) ([]experiments.Run, error) { return []experiments.Run{run}, nil },
		Make: func(ctx context.Context, _ *experiments.Maker, _ experiments.Run) (*experiments.Facts, error) {
			return &experiments.Facts{}, make(ctx)
		}}
}

func TestTrain(t *testing.T) {
	if gonbui.IsNotebook {
		t.Skip("runs in a notebook")
	}
	t.Setenv(xla.BackendEnv, "go")
	for _, c := range []struct {
		name string
		make func(context.Context) error
		want string
		says string
	}{
		{"done", func(context.Context) error { return nil }, "", "1 of 1 runs stored\n"},
		{"failed", func(context.Context) error { return errors.New("broken") }, "broken", ""},
		{"interrupted", func(ctx context.Context) error {
			if self, err := os.FindProcess(os.Getpid()); err != nil || self.Signal(os.Interrupt) != nil {
				t.Error("cannot interrupt the test")
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
			}
			return ctx.Err()
		}, "", "interrupted: what is done is stored; run the cell again to go on\n"},
	} {
		t.Setenv(experiments.ResultsEnv, t.TempDir())
		var out strings.Builder
		report, err := train(&out, study(c.make), experiments.Options{})
		backend, rest, _ := strings.Cut(out.String(), "\n")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || rest != c.says ||
			backend == "" || (report == nil) != (c.name == "interrupted") {
			t.Errorf("%s: %v, wrote %q, want %q and %q after a line with the backend", c.name, err, out.String(), c.want,
				c.says)
		}
	}
}

func TestTrainWithoutBackend(t *testing.T) {
	t.Setenv(xla.BackendEnv, "nonsense")
	_, err := train(&strings.Builder{}, study(func(context.Context) error {
		t.Error("trains without a backend")
		return nil
	}), experiments.Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "notebook: ") {
		t.Errorf("got %v", err)
	}
}
