package ode

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

const planChild = "PENGCDE_TEST_PLAN_CHILD"

// planned are the choices of BenchmarkPlan.
var planned = []struct {
	name   string
	memory Memory
}{{"every step", Memory{}}, {"every step on the host", Memory{Host: true}}, {"32 checkpoints", Memory{Checkpoints: 32}},
	{"8 checkpoints", Memory{Checkpoints: 8}}}

// BenchmarkPlan compares the plan with the resident memory of a process; states are in host memory on any device except
// an accelerator. It measures the peak from the first step to the end of the pullback, relative to the memory after a
// solve of one step. Each choice runs in its own process.
func BenchmarkPlan(b *testing.B) {
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		b.Skip("no /proc to read resident memory from")
	}
	for i, c := range planned {
		b.Run(c.name, func(b *testing.B) {
			var plan, resident float64
			for b.Loop() {
				child := exec.Command(os.Args[0], "-test.run=^TestPlanChild$", "-test.v")
				child.Env = append(os.Environ(), fmt.Sprintf("%s=%d", planChild, i), "MALLOC_MMAP_THRESHOLD_=65536")
				out, err := child.CombinedOutput()
				if err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				_, line, _ := strings.Cut(string(out), "plan and resident: ")
				if _, err := fmt.Sscan(line, &plan, &resident); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
			b.ReportMetric(plan/(1<<20), "plan-MiB")
			b.ReportMetric(resident/(1<<20), "resident-MiB")
		})
	}
}

func TestPlanChild(t *testing.T) {
	var choice int
	if _, err := fmt.Sscan(os.Getenv(planChild), &choice); err != nil {
		t.Skip("for BenchmarkPlan")
	}
	const batch, nodes, width, steps = 4, 2000, 16, 500
	s, err := New(xlatest.Backend(t), func(_, z *Node, _ []*Node) *Node { return Neg(z) },
		Config{StepSize: Constant{1. / steps}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	z0 := tensors.FromFlatDataAndDimensions(make([]float32, batch*nodes*width), batch, nodes, width)
	cotangent := tensors.FromFlatDataAndDimensions(make([]float32, 2*batch*nodes*width), batch, 2, nodes, width)
	round := func(t1 float64) *Plan {
		p := Problem{Z0: z0, Times: [][]float64{{0, t1}}, Memory: planned[choice].memory}
		plan, err := s.Plan(p)
		if err != nil {
			t.Fatal(err)
		}
		sol := run(t, s, p)
		g, err := sol.Pullback(context.Background(), cotangent)
		if err != nil {
			t.Fatal(err)
		}
		g.Free()
		sol.Close()
		return plan
	}
	round(2. / steps) // compiles
	before := resident(t)
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak starts here
		t.Skip(err)
	}
	plan := round(1)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	var peak int64 // KiB
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(line, &peak); err != nil {
		t.Fatal(err)
	}
	t.Logf("plan and resident: %d %d", plan.DeviceBytes+plan.HostBytes, peak<<10-int64(before))
}
