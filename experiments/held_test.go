package experiments

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/experiments/store"
)

// However many runs a machine that died had, one of them is free soon after the term.
func TestManyClaimsOfADeadMachine(t *testing.T) {
	now := time.Now()
	place := store.In(t.TempDir(), "toy", &store.Leases{Now: func() time.Time { return now }})
	s := &schedule{runner: &runner{underWay: make(map[string]Position)}, crew: new(crew)}
	for i := range 12 {
		slot, err := place.Slot(i, generation, "go")
		if err == nil {
			err = os.WriteFile(slot.LeaseFile(), []byte(`{"Owner":"X","Host":"dead","Beat":7}`), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.queue = append(s.queue, &task{runs: Results{{slot: slot}}, held: true})
	}
	const between = 5 * time.Second // so a turn through all takes a term
	for waited := time.Duration(0); s.due(false) == 0; waited += between {
		if waited > store.Term+between {
			t.Fatalf("no run is free after %v", waited)
		}
		if err := s.review(); err != nil {
			t.Fatal(err)
		}
		now = now.Add(between)
	}
}

// A task of an array is done when tasks that live have all that is left; where that is not sure, it waits for them.
func TestTaskLeavesTheRestToOthers(t *testing.T) {
	now, heard := time.Now(), ""
	place := store.In(t.TempDir(), "toy", &store.Leases{Now: func() time.Time { return now }})
	slot, err := place.Slot("a run", generation, "go")
	if err != nil {
		t.Fatal(err)
	}
	runs := Results{{slot: slot}}
	s := &schedule{runner: &runner{missing: runs, underWay: make(map[string]Position), options: Options{
		Notice: func(text string) { heard = text }}}, crew: new(crew), queue: []*task{{runs: runs, held: true}}}
	for _, c := range []struct {
		after      time.Duration
		claim, own string
		want       bool
	}{
		{0, `{"Owner":"X","Host":"far","Task":"3","Beat":1}`, "1", false}, // which may be of a dead node
		{5 * time.Second, `{"Owner":"X","Host":"far","Task":"3","Beat":2}`, "", false},
		{5 * time.Second, `{"Owner":"X","Host":"far","Task":"3","Beat":2}`, "1", true},
		{26 * time.Second, `{"Owner":"X","Host":"far","Task":"3","Beat":2}`, "1", false},
		{5 * time.Second, `{"Owner":"Y","Host":"far","Beat":1}`, "1", false},
		{5 * time.Second, `{"Owner":"Y","Host":"far","Beat":2}`, "1", false}, // nobody would take its run over
	} {
		t.Setenv("SLURM_ARRAY_TASK_ID", c.own)
		now = now.Add(c.after)
		if err := errors.Join(os.WriteFile(slot.LeaseFile(), []byte(c.claim), 0o600), s.review()); err != nil {
			t.Fatal(err)
		}
		if got := s.over(); got != c.want {
			t.Errorf("after %v more, task %q, %s: done is %t, want %t", c.after, c.own, c.claim, got, c.want)
		}
	}
	if !strings.Contains(heard, "runs left: 1, all under way in other tasks") {
		t.Errorf("heard %q", heard)
	}
}
