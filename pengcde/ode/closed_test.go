package ode

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/panics"
)

func fading(_, z *Node, _ []*Node) *Node { return Neg(z) }

// Methods that need the solver return an error after it was closed.
func TestClosedSolver(t *testing.T) {
	s := newSolver(t, fading, Config{StepSize: Constant{0.5}})
	p := Problem{Z0: tensors.FromValue([][]float64{{1}}), Times: [][]float64{{0, 1}}, Interpolant: true}
	sol, err := s.Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	var none context.Context
	_, pull := sol.Pullback(none, sol.Z)
	_, at := sol.At(none, [][]float64{{0.3}})
	_, stiff := sol.Stiffness(none)
	for what, err := range map[string]error{"Pullback": pull, "At": at, "Stiffness": stiff} {
		if !errors.Is(err, ErrInput) {
			t.Errorf("%s without a context: %v, want ErrInput", what, err)
		}
	}
	s.Close()
	s.Close()
	_, run := s.Run(context.Background(), p)
	_, plan := s.Plan(p)
	_, pull = sol.Pullback(context.Background(), sol.Z)
	_, at = sol.At(context.Background(), [][]float64{{0.3}})
	for what, err := range map[string]error{"Run": run, "Plan": plan, "Pullback": pull, "At": at} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", what, err)
		}
	}
	sol.Close()
	if _, err := sol.Pullback(context.Background(), sol.Z); !errors.Is(err, ErrNoTrail) {
		t.Errorf("pullback of a closed solution: %v, want ErrNoTrail", err)
	}
}

// The error of a cancelled pullback says so, and gives no samples or times.
func TestCancelledPullbackSaysSo(t *testing.T) {
	s := newSolver(t, fading, Config{StepSize: Constant{0.25}})
	for name, memory := range map[string]Memory{"all states": {}, "one state": {Checkpoints: 1}} {
		for _, calls := range []int{1, 3} {
			sol, err := s.Run(context.Background(), Problem{Z0: tensors.FromValue([][]float64{{1}}), Times: [][]float64{{0, 1}},
				Memory: memory})
			if err != nil {
				t.Fatal(err)
			}
			_, err = sol.Pullback(&counted{context.Background(), calls}, sol.Z)
			sol.Close()
			var failure *Failure
			if !errors.Is(err, context.Canceled) || !errors.Is(err, Cancelled) || !errors.As(err, &failure) ||
				!failure.Pullback {
				t.Fatalf("%s: %v, want Cancelled and context.Canceled", name, err)
			}
			if got, want := err.Error(), "pengcde/ode: the pullback was cancelled: context canceled"; got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

// A panic of a field becomes a one-sentence error: the panic, its place and the program. errors.As finds the panic
// value.
func TestFieldThatPanics(t *testing.T) {
	own := errors.New("no such channel")
	for name, c := range map[string]struct {
		field Field
		says  []string
		want  error
	}{
		"index": {func(_, _ *Node, args []*Node) *Node { return args[3] }, []string{"index out of range [3] with length 0",
			"closed_test.go:"}, ErrInput},
		"shapes": {func(_, z *Node, _ []*Node) *Node { return Add(z, Const(z.Graph(), []float64{1, 2, 3})) },
			[]string{"closed_test.go:"}, ErrInput},
		"error": {func(_, _ *Node, _ []*Node) *Node { panic(fmt.Errorf("mine: %w", own)) },
			[]string{"mine: no such channel"}, own},
	} {
		s := newSolver(t, c.field, Config{})
		_, err := s.Solve(context.Background(), tensors.FromValue([][]float64{{1, 2}}), [][]float64{{0, 1}})
		if !errors.Is(err, ErrInput) || !errors.Is(err, c.want) {
			t.Fatalf("%s: %v, want ErrInput and %v", name, err, c.want)
		}
		text := err.Error()
		for _, word := range append(c.says, "pengcde/ode: the field does not take state",
			`while building program "ode first stage"`) {
			if strings.Count(text, word) != 1 {
				t.Errorf("%s: %q, want %q once", name, text, word)
			}
		}
		for _, noise := range []string{"Exec", "compilation", "panicked", "xla:", "\n"} {
			if strings.Contains(text, noise) {
				t.Errorf("%s: %q says %q", name, text, noise)
			}
		}
		var p *panics.Error
		if errors.As(err, &p) != strings.Contains(fmt.Sprintf("%+v", err), "TestFieldThatPanics") {
			t.Errorf("%s: %+v, want the stack of %v", name, err, p)
		}
		t.Log(text)
	}
}
