package notebook

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/peng-cde/pengcde-go/xla"
)

type counted [2]int

func (c counted) Count() (stored, planned int) { return c[0], c[1] }

func TestTrain(t *testing.T) {
	if gonbui.IsNotebook {
		t.Skip("runs in a notebook")
	}
	t.Setenv(xla.BackendEnv, "go")
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		runs func(ctx context.Context, given Training) (Counter, error)
		want error
		says string
	}{
		{"done", func(_ context.Context, given Training) (Counter, error) {
			given.Progress(0.5, "half")
			return counted{3, 4}, given.Backend.Check()
		}, nil, "3 of 4 runs stored\n"},
		{"failed", func(context.Context, Training) (Counter, error) { return nil, broken }, broken, ""},
		{"interrupted", func(ctx context.Context, _ Training) (Counter, error) {
			if self, err := os.FindProcess(os.Getpid()); err != nil || self.Signal(os.Interrupt) != nil {
				t.Error("cannot interrupt the test")
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
			}
			return nil, ctx.Err()
		}, nil, "interrupted: what is done is stored; run the cell again to go on\n"},
	} {
		var out strings.Builder
		err := train(&out, c.runs)
		backend, rest, _ := strings.Cut(out.String(), "\n")
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || rest != c.says || backend == "" {
			t.Errorf("%s: %v, wrote %q, want %v and %q after a line with the backend", c.name, err, out.String(), c.want, c.says)
		}
	}
}

func TestTrainWithoutBackend(t *testing.T) {
	t.Setenv(xla.BackendEnv, "nonsense")
	err := train(&strings.Builder{}, func(context.Context, Training) (Counter, error) {
		t.Error("trains without a backend")
		return nil, nil
	})
	if err == nil || !strings.HasPrefix(err.Error(), "notebook: ") {
		t.Errorf("got %v", err)
	}
}
