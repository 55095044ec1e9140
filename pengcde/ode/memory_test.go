package ode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// decay is z' = -z, counted each time its graph is built.
func decay(built *int) Field {
	return func(_, z *Node, _ []*Node) *Node {
		*built++
		return Neg(z)
	}
}

func TestCompileDoesNotDependOnSteps(t *testing.T) {
	built := 0
	s := newSolver(t, decay(&built), Config{StepSize: Constant{0.01}})
	solve := func(t1 float64) int {
		sol, err := s.Solve(context.Background(), tensors.FromValue([][]float64{{1}}), [][]float64{{0, t1}})
		if err != nil {
			t.Fatal(err)
		}
		defer sol.Close()
		g, err := sol.Pullback(context.Background(), tensors.FromValue([][][]float64{{{0}, {1}}}))
		if err != nil {
			t.Fatal(err)
		}
		g.Free()
		return sol.Stats[0].Accepted
	}
	few := solve(0.1)
	after := built
	if many := solve(10); few != 10 || many != 1000 {
		t.Errorf("%d and %d steps, want 10 and 1000", few, many)
	}
	if built != after {
		t.Errorf("the field was built %d times for 10 steps and %d times more for 1000", after, built-after)
	}
}

const memoryChild = "PENGCDE_TEST_MEMORY_CHILD"

// Device memory is freed during a solve. The test measures a child process, so that nothing else changes its resident
// memory.
func TestMemoryStaysFlat(t *testing.T) {
	if os.Getenv(memoryChild) != "" {
		longSolves(t)
		return
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("no /proc to read resident memory from")
	}
	child := exec.Command(os.Args[0], "-test.run=^TestMemoryStaysFlat$", "-test.v")
	child.Env = append(os.Environ(), memoryChild+"=1", "MALLOC_MMAP_THRESHOLD_=65536")
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range strings.Split(string(out), "\n") {
		if strings.Contains(line, "MiB") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

func longSolves(t *testing.T) {
	const width, steps, rounds = 1 << 16, 100, 2 // half a MiB a state
	built := 0
	s, err := New(xlatest.Backend(t), decay(&built), Config{StepSize: Constant{1.0 / steps}})
	if err != nil {
		t.Fatal(err)
	}
	z0 := tensors.FromFlatDataAndDimensions(make([]float64, width), 1, width)
	cotangent := tensors.FromFlatDataAndDimensions(make([]float64, 2*width), 1, 2, width)
	round := func() {
		sol, err := s.Evaluate(context.Background(), z0, [][]float64{{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		sol.Close()
		// Dense, and cut short: the memory of a partial solution is freed with it.
		sol, err = s.Run(&counted{context.Background(), 8}, Problem{Z0: z0, Times: [][]float64{{0, 1}}, Interpolant: true})
		if !errors.Is(err, Cancelled) {
			t.Fatalf("got %v, want a solve that is cancelled", err)
		}
		at, err := sol.At(context.Background(), [][]float64{sol.StepTimes(0)})
		if err != nil {
			t.Fatal(err)
		}
		at.MustFinalizeAll()
		sol.Close()
		sol, err = s.Solve(context.Background(), z0, [][]float64{{0, 0.5}})
		if err != nil {
			t.Fatal(err)
		}
		defer sol.Close()
		g, err := sol.Pullback(context.Background(), cotangent)
		if err != nil {
			t.Fatal(err)
		}
		g.Free()
		for _, memory := range []Memory{{Checkpoints: 5}, {Checkpoints: 5, Host: true}} {
			sol, err := s.Run(context.Background(), Problem{Z0: z0, Times: [][]float64{{0, 0.25}}, Memory: memory})
			if err != nil {
				t.Fatal(err)
			}
			g, err := sol.Pullback(context.Background(), cotangent)
			if err != nil {
				t.Fatal(err)
			}
			g.Free()
			sol.Close()
		}
	}
	round()
	before := resident(t)
	for range rounds {
		round()
	}
	after := resident(t)
	t.Logf("resident memory %d MiB, after %d more rounds %d MiB", before>>20, rounds, after>>20)
	// one state a step that stays: 50 MiB by the pullbacks alone
	if grown := int64(after) - int64(before); grown > 40<<20 {
		t.Errorf("resident memory grew by %d MiB over %d rounds", grown>>20, rounds)
	}
}

func resident(t *testing.T) uint64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages uint64
	if _, err := fmt.Fscan(bytes.NewReader(statm), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * uint64(os.Getpagesize())
}
