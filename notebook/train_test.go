package notebook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	training "github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// study returns a study of one run, made by a function.
func study(make func(context.Context) error) experiments.Study {
	run := experiments.Run{Model: experiments.BaselineRow("zero", baseline.Zero{}),
		Identity: func() (any, error) { return "one", nil }}
	return experiments.Study{Name: "one",
		Plan: func(context.Context, experiments.Scope) ([]experiments.Run, error) {
			return []experiments.Run{run}, nil
		},
		Execute: func(ctx context.Context, _ *experiments.RunContext, _ experiments.Run) (*experiments.Facts, error) {
			return &experiments.Facts{}, make(ctx)
		}}
}

func TestTrain(t *testing.T) {
	if gonbui.IsNotebook {
		t.Skip("runs in a notebook")
	}
	t.Setenv(xla.BackendEnv, "go")
	const stored = "profile quick: trained now: 0; runs stored: 1 of 1\n"
	for _, c := range []struct {
		name string
		make func(context.Context) error
		want string
		says string
	}{
		{"done just before an interrupt", func(ctx context.Context) error {
			if err := interrupted(ctx); !errors.Is(err, context.Canceled) {
				return err
			}
			return nil
		}, "", stored},
		{"interrupted, and the checkpoint is lost", func(ctx context.Context) error {
			return fmt.Errorf("%w: the checkpoint is lost: %w", experiments.ErrStore, interrupted(ctx))
		}, "the checkpoint is lost", ""},
		{"done", func(context.Context) error { return nil }, "", stored},
		{"failed", func(context.Context) error { return errors.New("broken") }, "broken", ""},
		{"interrupted", interrupted, ErrStopped.Error(), ""},
	} {
		t.Setenv(experiments.ResultsEnv, t.TempDir())
		var out strings.Builder
		report, err := train(&out, study(c.make), experiments.Options{})
		backend, rest, _ := strings.Cut(out.String(), "\n")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || rest != c.says ||
			backend == "" || (report == nil) != strings.HasPrefix(c.name, "interrupted") ||
			errors.Is(err, ErrStopped) != (c.name == "interrupted") {
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

func TestTrained(t *testing.T) {
	t.Setenv(xla.BackendEnv, "go")
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	s := study(func(context.Context) error { return nil })
	o := experiments.Options{Profile: experiments.Quick}
	trained := func() error {
		t.Helper()
		_, err := Trained(s, o)
		return err
	}
	if err := trained(); !errors.Is(err, experiments.ErrNotStored) ||
		!strings.Contains(err.Error(), "of one is stored in profile quick") {
		t.Errorf("nothing is stored: %v", err)
	}
	plan := s.Plan
	s.Plan = func(_ context.Context, scope experiments.Scope) ([]experiments.Run, error) {
		runs, err := plan(context.Background(), scope)
		network := experiments.NetworkRow("net", "Net", pengcde.Config{Nodes: 2, Features: 1}, training.Config{})
		return append(runs, experiments.Run{Model: network, Identity: func() (any, error) { return "two", nil }}), err
	}
	zero := o
	zero.Models = []string{"zero"}
	if _, err := s.Run(t.Context(), zero); err != nil {
		t.Fatal(err)
	}
	if err := trained(); !errors.Is(err, experiments.ErrNotStored) {
		t.Errorf("only a forecast without training is stored: %v", err)
	}
	if _, err := s.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if report, err := Trained(s, o); err != nil || len(report.Results) != 2 {
		t.Errorf("all is stored: %v, %v", report, err)
	}
	o.Models = []string{"none"}
	if err := trained(); !errors.Is(err, experiments.ErrInput) {
		t.Errorf("unknown model: %v", err)
	}
}
