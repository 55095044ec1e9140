package experiments

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/experiments/store"
)

// However many runs a dead machine held, one of them is free soon after the term.
func TestManyLeasesOfADeadMachine(t *testing.T) {
	now := time.Now()
	folder := store.In(t.TempDir(), "toy", &store.Leases{Now: func() time.Time { return now }})
	b := &board{runner: &runner{underWay: make(map[string]Position)}}
	for i := range 12 {
		slot, err := folder.Slot(i, generation, "go")
		if err == nil {
			err = os.WriteFile(slot.LeaseFile(), []byte(`{"Owner":"X","Host":"dead","Beat":7}`), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.missing = append(b.missing, Result{Run: Run{Model: Row{Untrained: true}}, slot: slot})
	}
	const between = 5 * time.Second // so visiting all runs takes a term
	none := func(int) bool { return false }
	for waited := time.Duration(0); ; waited += between {
		left, err := b.Review(none)
		if err != nil {
			t.Fatal(err)
		}
		if left.Changed || len(left.Side) > 0 {
			break
		}
		if waited > store.Term+between {
			t.Fatalf("no run is free after %v", waited)
		}
		now = now.Add(between)
	}
}

// An array task ends when live tasks hold all remaining runs; if that is uncertain, it waits for them.
func TestTaskLeavesTheRestToOthers(t *testing.T) {
	now := time.Now()
	folder := store.In(t.TempDir(), "toy", &store.Leases{Now: func() time.Time { return now }})
	slot, err := folder.Slot("a run", generation, "go")
	if err != nil {
		t.Fatal(err)
	}
	b := &board{runner: &runner{missing: Results{{slot: slot}}, underWay: make(map[string]Position)}}
	for _, c := range []struct {
		after      time.Duration
		lease, own string
		want       bool
	}{
		{0, `{"Owner":"X","Host":"far","Task":"3","Beat":1}`, "1", false}, // its node may be dead
		{5 * time.Second, `{"Owner":"X","Host":"far","Task":"3","Beat":2}`, "", false},
		{5 * time.Second, `{"Owner":"X","Host":"far","Task":"3","Beat":2}`, "1", true},
		{26 * time.Second, `{"Owner":"X","Host":"far","Task":"3","Beat":2}`, "1", false},
		{5 * time.Second, `{"Owner":"Y","Host":"far","Beat":1}`, "1", false},
		{5 * time.Second, `{"Owner":"Y","Host":"far","Beat":2}`, "1", false}, // no other task would take its run over
	} {
		t.Setenv("SLURM_ARRAY_TASK_ID", c.own)
		now = now.Add(c.after)
		err := os.WriteFile(slot.LeaseFile(), []byte(c.lease), 0o600)
		left, failed := b.Review(func(int) bool { return false })
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		if left.Cared != c.want {
			t.Errorf("after %v more, task %q, %s: left to others is %t, want %t", c.after, c.own, c.lease, left.Cared, c.want)
		}
	}
}
