package experiments

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// PlanMemory returns the plan of a training for its model and data, and neither makes nor leaves anything.
func TestPlanMemory(t *testing.T) {
	folder, o := results(t), options(t)
	t.Setenv("TMPDIR", t.TempDir())
	hidden := NetworkRow("hidden", "Hidden", toyConfig, toyTraining)
	build := hidden.New
	hidden.New = func(b *xla.Backend) (Learner, error) {
		learner, err := build(b)
		return struct{ Learner }{learner}, err // which is no Planner
	}
	three := toyConfig
	three.Hidden = 3
	training := toyTraining
	training.BatchSize = 2
	trials := []Row{NetworkRow("two", "Two", toyConfig, toyTraining), NetworkRow("three", "Three", three, training)}
	s := toy(append(trials, Tuned("tuned", "Tuned", trials), hidden, BaselineRow("zero", baseline.Zero{}))...)
	var scratch string
	whole := s.Execute
	s.Execute = func(ctx context.Context, m *RunContext, r Run) (*Facts, error) {
		scratch = m.Folder("data")
		return whole(ctx, m, r)
	}
	got, err := s.PlanMemory(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(scratch, os.TempDir()) {
		t.Errorf("data would be kept in %s", scratch)
	}
	split, err := ring().Windows(4, 2).Chronological(0.6, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]*pengcde.Plan)
	for _, m := range trials {
		learner, err := m.New(o.Backend)
		if err != nil {
			t.Fatal(err)
		}
		defer learner.Close()
		plan, err := learner.(NetworkLearner).Plan(split.Train, m.Train.BatchSize, 0)
		if err != nil {
			t.Fatal(err)
		}
		want[m.ID] = plan
	}
	want["tuned"] = want["three"]
	less, more := want["two"].DeviceBytes, want["three"].DeviceBytes
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(ode.Plan{})); diff != "" || less >= more {
		t.Errorf("planned (-want +got):\n%s", diff)
	}
	left, err := os.ReadDir(os.TempDir())
	if made := files(t, folder, "*"); err != nil || len(left)+len(made) > 0 {
		t.Errorf("left behind: %v, %v (%v)", left, made, err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.PlanMemory(ended, o); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}

// A plan counts the memory of all seeds that one program trains, except for learners that cannot be trained together.
func TestPlanMemorySeedsTogether(t *testing.T) {
	results(t)
	o := options(t)
	o.Seeds = []uint64{0, 1, 2}
	trials := []Row{NetworkRow("two", "Two", toyConfig, toyTraining)}
	s := toy(append(trials, Tuned("tuned", "Tuned", trials))...)
	one, err := s.PlanMemory(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.SeedsTogether = true
	all, err := s.PlanMemory(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for id, seeds := range map[string]int64{"two": 3, "tuned": 1} {
		got, want := all[id], one[id]
		if got.DeviceBytes != seeds*want.DeviceBytes || got.HostBytes != seeds*want.HostBytes ||
			got.Solve.DeviceBytes != seeds*want.Solve.DeviceBytes {
			t.Errorf("%s: %v, want %d times %v", id, got, seeds, want)
		}
	}
}

// If a model has no stored run, the plan limits the number of processes.
func TestShareByPlan(t *testing.T) {
	results(t)
	o := options(t)
	o.Seeds = []uint64{0, 1, 2, 3}
	s := long()
	plans, err := s.PlanMemory(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	one := plans["two"].DeviceBytes + plans["two"].HostBytes + besidePlan
	o.Jobs = 4
	for available, want := range map[int64]int{3 * one: 3, 3*one - 1: 2, 1: 1} {
		share, err := s.share(context.Background(), o, 4, available)
		if err != nil || share.Jobs != want || !strings.Contains(share.Why, "a run takes up to") {
			t.Errorf("%d bytes: %+v, %v, want %d jobs", available, share, err, want)
		}
	}
}
