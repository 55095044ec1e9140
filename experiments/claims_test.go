package experiments

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// lockless is how flock fails where a file system has no locks.
func lockless(err error) *claims {
	return &claims{tryLock: func(*flock.Flock) (bool, error) { return false, err }}
}

// claimed takes a claim that the test needs.
func claimed(t *testing.T, c *claims, path string) *holding {
	t.Helper()
	h, err := c.take(path)
	if err != nil || h == nil {
		t.Fatalf("claim %v, %v, want one", h, err)
	}
	t.Cleanup(func() {
		select {
		case <-h.ended:
		default:
			close(h.stop)
		}
	})
	return h
}

// stall ends the beats of a holder that does not know it.
func stall(h *holding) {
	close(h.stop)
	<-h.ended
}

// Two that work on the runs without locks make each once.
func TestRunsWithoutLocks(t *testing.T) {
	for _, failure := range []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL} {
		folder := results(t)
		var lock sync.Mutex
		made := make(map[string]int)
		var both sync.WaitGroup
		for range 2 {
			study, o := toy(), options(t)
			o.claims = lockless(failure)
			whole := study.Make
			study.Make = func(ctx context.Context, m *Maker, r Run) (*Facts, error) {
				lock.Lock()
				made[r.String()]++
				lock.Unlock()
				if claim, err := o.claims.look(m.claim.path); err != nil || claim == nil || !claim.Lease {
					t.Errorf("%v: claim %+v, %v, want a lease", r, claim, err)
				}
				return whole(ctx, m, r)
			}
			both.Go(func() {
				if _, err := study.Run(context.Background(), o); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		for run, times := range made {
			if times != 1 {
				t.Errorf("%v: %s made %d times", failure, run, times)
			}
		}
		if all := files(t, folder, "*"); len(made) != toyRuns || len(all) != toyRuns {
			t.Errorf("%v: %d runs made, want %d; files %v, want the results alone", failure, len(made), toyRuns, all)
		}
	}
}

// Another failure of a lock is an error of the results folder.
func TestLockThatFails(t *testing.T) {
	results(t)
	o := options(t)
	o.claims = lockless(syscall.EIO)
	if _, err := toy().Run(context.Background(), o); !errors.Is(err, ErrStore) || !errors.Is(err, syscall.EIO) {
		t.Errorf("error %v, want ErrStore for EIO", err)
	}
}

// watcher looks at a claim by a clock of its own, ten minutes ahead of all others.
type watcher struct {
	*claims
	path string
	time time.Time
}

func newWatcher(path string, c *claims) *watcher {
	w := &watcher{claims: c, path: path, time: time.Now().Add(10 * time.Minute)}
	c.now = func() time.Time { return w.time }
	return w
}

// look is after so long.
func (w *watcher) look(t *testing.T, after time.Duration) *holding {
	t.Helper()
	w.time = w.time.Add(after)
	h, err := w.take(w.path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const second = time.Second

// A lease is taken over when its beats stand still for the term by the clock of who watches, not by what clocks say.
func TestLease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	h := claimed(t, lockless(syscall.ENOLCK), path)
	stall(h)
	w := newWatcher(path, lockless(syscall.ENOLCK))
	for i := range 100 { // it lives, though by the watcher's clock its last sign of life is ten minutes old
		if err := h.write(); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if got := w.look(t, 10*second); got != nil {
				t.Fatalf("taken from a holder that lives, after %d beats", i)
			}
		}
	}
	if got := w.look(t, time.Hour); got != nil {
		t.Error("taken by one that did not watch for an hour, as if stopped together with the holder")
	}
	for range 6 {
		if got := w.look(t, 10*second); got != nil {
			t.Fatal("taken within the term")
		}
	}
	if err := h.check(); err != nil {
		t.Errorf("the holder within the term: %v", err)
	}
	got := w.look(t, second)
	if got == nil {
		t.Fatal("not taken after the term")
	}
	defer stall(got)
	if err := h.check(); !errors.Is(err, errLost) {
		t.Errorf("the former holder: %v, want that it is lost", err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.write(); err != nil { // it was stopped before its beat, and goes on
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(before, now) {
		t.Errorf("the former holder wrote\n%s\ninto the claim\n%s", now, before)
	}
	if err := got.mine(); err != nil {
		t.Errorf("the new holder: %v", err)
	}
	if all := files(t, filepath.Dir(path), "*"); !slices.Equal(all, []string{path}) {
		t.Errorf("files %v, want the claim alone", all)
	}
}

// Where locks hold for each machine by itself, a lock says nothing of the holder on another; nor of one without locks.
func TestClaimOfAnotherMachine(t *testing.T) {
	for name, change := range map[string]func(*Claim){
		"another machine": func(c *Claim) { c.Host += "2" },
		"a lease":         func(c *Claim) { c.Lease = true },
	} {
		path := filepath.Join(t.TempDir(), "run.lock")
		h := claimed(t, nil, path)
		stall(h)
		change(&h.claim)
		if err := errors.Join(h.write(), h.lock.Unlock()); err != nil {
			t.Fatal(err)
		}
		w := newWatcher(path, &claims{})
		for range 7 {
			if got := w.look(t, 10*second); got != nil {
				t.Fatalf("%s: taken within the term", name)
			}
		}
		got := w.look(t, second)
		if got == nil {
			t.Fatalf("%s: not taken after the term", name)
		}
		stall(got)
		if again, err := (&claims{}).take(path); err != nil || again != nil {
			t.Errorf("%s: taken twice (%v)", name, err)
		}
	}
}

// On one machine the claim of a killed process is taken at once.
func TestClaimOfAKilledProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	h := claimed(t, nil, path)
	stall(h)
	if err := h.lock.Unlock(); err != nil { // as when its process ends
		t.Fatal(err)
	}
	second := claimed(t, nil, path)
	if h.check() == nil || second.mine() != nil {
		t.Errorf("the first has it: %v, the second: %v", h.check(), second.mine())
	}
}

// A claim that nothing is written in, or a part, may be one that another machine is about to make: it is left alone
// for the term, and then, as where its process was killed, is taken.
func TestClaimThatIsNotWritten(t *testing.T) {
	for _, content := range []string{"", `{"Owner":"X","Host":"elsewhere","Proc`} {
		path := filepath.Join(t.TempDir(), "run.lock")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if claim, err := (&claims{}).look(path); claim != nil || err != nil {
			t.Errorf("%q: claim %+v, %v, want none to tell of", content, claim, err)
		}
		w := newWatcher(path, &claims{})
		for range 7 {
			if got := w.look(t, 10*second); got != nil {
				t.Fatalf("%q: taken within the term", content)
			}
		}
		got := w.look(t, second)
		if got == nil {
			t.Fatalf("%q: not taken after the term", content)
		}
		stall(got)
	}
}

// Of two machines whose locks do not know of each other, one has the claim that both take at a time.
func TestTwoMachinesAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	var other *holding
	first := &claims{tryLock: func(*flock.Flock) (bool, error) {
		other = claimed(t, &claims{tryLock: func(*flock.Flock) (bool, error) { return true, nil }}, path)
		return true, nil
	}}
	if got, err := first.take(path); got != nil || err != nil {
		t.Errorf("claim %v, %v, want none", got, err)
	}
	if err := other.mine(); err != nil {
		t.Error(err)
	}
	if all := files(t, filepath.Dir(path), "*"); !slices.Equal(all, []string{path}) {
		t.Errorf("files %v, want the claim alone", all)
	}
}

// A name is given to one file, also where a file can have one name only.
func TestPublish(t *testing.T) {
	for what, publish := range map[string]func(file, name string) (bool, error){
		"a link": publish, "a rename": replaceEmpty,
	} {
		folder := t.TempDir()
		first, second, name := filepath.Join(folder, "1"), filepath.Join(folder, "2"), filepath.Join(folder, "name")
		for _, file := range []string{first, second} {
			if err := os.WriteFile(file, []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := publish(first, name); !got || err != nil {
			t.Errorf("by %s: %t, %v", what, got, err)
		}
		if got, err := publish(second, name); got || err != nil {
			t.Errorf("by %s a second time: %t, %v", what, got, err)
		}
		if content, err := os.ReadFile(name); string(content) != first || err != nil {
			t.Errorf("by %s: %s, %v, want the first", what, content, err)
		}
	}
}

// A holder whose file another one has written its claim into does not write over that.
func TestBeatOfAClaimThatWasTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	h := claimed(t, &claims{term: 600 * time.Millisecond}, path) // a beat each 100 ms
	ctx := h.while(context.Background())
	other := []byte(`{"Owner":"another"}`)
	h.mu.Lock() // between two beats
	_, err := h.file.WriteAt(append(other, make([]byte, 400)...), 0)
	h.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
	}
	if !errors.Is(context.Cause(ctx), errLost) {
		t.Errorf("ended by %v, want that the run is lost", context.Cause(ctx))
	}
	stall(h)
	if now, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(now, other) {
		t.Errorf("%q, %v, want the other's claim", now, err)
	}
}

// A holder that beats between the last look and its removal keeps its claim.
func TestRemovalOfAClaimThatLives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	h := claimed(t, lockless(syscall.ENOLCK), path)
	stall(h)
	seen, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.write(); err != nil {
		t.Fatal(err)
	}
	c := new(claims)
	if removed, err := c.remove(path, seen); removed || err != nil || h.check() != nil {
		t.Errorf("removed: %v, %v; the holder: %v", removed, err, h.check())
	}
	if seen, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if removed, err := c.remove(path, seen); !removed || err != nil {
		t.Errorf("removed: %v, %v, want that it is", removed, err)
	}
	if all := files(t, filepath.Dir(path), "*"); len(all) != 0 {
		t.Errorf("left %v", all)
	}
}
