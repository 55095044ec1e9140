package workers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// killed is a board of one program whose workers are killed, so that it must be made alone, and finally fails.
type killed struct {
	names  []string
	tries  map[string]int
	said   []string
	review func()
}

func (k *killed) Review(own func(int) bool) (left Left, err error) {
	k.review()
	for _, name := range k.names {
		if k.tries[name] == 0 {
			left.Side = append(left.Side, name)
		} else {
			left.Alone = append(left.Alone, name)
		}
	}
	left.Runs = len(k.names)
	return left, nil
}

func (k *killed) Ended(_ int, _ time.Time, ending string) (bool, error) {
	name := k.names[0]
	k.names = k.names[1:]
	if k.tries[name]++; k.tries[name] < 2 {
		k.names = append(k.names, name)
	}
	if !strings.Contains(ending, "killed, as for lack of memory") {
		return false, fmt.Errorf("a worker ended: %s", ending)
	}
	return true, nil
}

func (k *killed) Notice(text string)                      { k.said = append(k.said, text) }
func (k *killed) Report()                                 {}
func (k *killed) Slower(wait time.Duration) time.Duration { return wait }

// After the kernel killed a process for lack of memory, fewer workers run in parallel, but at least one.
func TestFewerWorkersWhereMemoryRanOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	kills := int64(0)
	command := func() *exec.Cmd { return exec.Command("sh", "-c", "kill -9 $$") }
	pool := NewPool(command, 3, 1, nil)
	board := &killed{names: []string{"a", "b", "c"}, tries: make(map[string]int)}
	s := NewSupervisor(pool, board, Task{})
	s.kills, s.seen = func() int64 { return kills }, 0
	board.review = func() {
		kills++ // at each look
		if alone := pool.count(func(w *worker) bool { return w.task.Alone }); alone > 0 && len(pool.workers) > 1 {
			t.Errorf("%d workers, one of which is to work alone", len(pool.workers))
		}
	}
	if err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if pool.most != 1 || strings.Count(strings.Join(board.said, "; "), "as memory ran out: at most") != 2 {
		t.Errorf("%d work side by side in the end, want 1; said %q", pool.most, board.said)
	}
	for name, tries := range board.tries {
		if tries != 2 {
			t.Errorf("%s ended %d processes, want 2", name, tries)
		}
	}
}

// A worker that cannot keep a checkpoint when the context ends says so in the error of Run, beside the interrupt.
func TestErrorsWhileStopping(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	command := func() *exec.Cmd {
		return exec.Command("sh", "-c", `cat >/dev/null; echo '{"Error":"disk full","Kinds":["store","checkpoint"]}'; exit 1`)
	}
	kinds := map[string]error{"store": os.ErrExist, "checkpoint": os.ErrClosed}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	pool := NewPool(command, 2, 1, kinds)
	board := &killed{names: []string{"a", "b"}, tries: make(map[string]int)}
	board.review = func() {
		if len(pool.workers) == 2 {
			cancel()
		}
	}
	err := NewSupervisor(pool, board, Task{}).Run(ctx)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, os.ErrExist) || !errors.Is(err, os.ErrClosed) ||
		strings.Count(fmt.Sprint(err), "disk full") != 1 {
		t.Errorf("%v, want the interrupt and, once, the full disk", err)
	}
}
