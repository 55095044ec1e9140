package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// lockless returns leases whose flock fails with err, as on a file system without locks.
func lockless(err error) *Leases {
	return &Leases{TryLock: func(*flock.Flock) (bool, error) { return false, err }}
}

// taken takes a lease, and fails the test if it cannot.
func taken(t *testing.T, c *Leases, path string) *HeldLease {
	t.Helper()
	h, err := c.take(path)
	if err != nil || h == nil {
		t.Fatalf("lease %v, %v, want one", h, err)
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

// stall stops the heartbeat of a holder without its knowledge.
func stall(h *HeldLease) {
	close(h.stop)
	<-h.ended
}

// watcher looks at a lease by its own clock, ten minutes ahead of all others.
type watcher struct {
	*Leases
	path string
	time time.Time
}

func newWatcher(path string, c *Leases) *watcher {
	w := &watcher{Leases: c, path: path, time: time.Now().Add(10 * time.Minute)}
	c.Now = func() time.Time { return w.time }
	return w
}

// look looks at the lease after a time.
func (w *watcher) look(t *testing.T, after time.Duration) *HeldLease {
	t.Helper()
	w.time = w.time.Add(after)
	h, err := w.take(w.path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const second = time.Second

// A lease without locks is taken over when its heartbeat stands still for the term by the watcher's clock, whatever
// other clocks say.
func TestLease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	h := taken(t, lockless(syscall.ENOLCK), path)
	stall(h)
	w := newWatcher(path, lockless(syscall.ENOLCK))
	for i := range 100 { // it lives, though by the watcher's clock its last heartbeat is ten minutes old
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
	if err := h.check(); !errors.Is(err, ErrLost) {
		t.Errorf("the former holder: %v, want that it is lost", err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.write(); err != nil { // it was stopped before its heartbeat, and continues
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(before, now) {
		t.Errorf("the former holder wrote\n%s\ninto the lease\n%s", now, before)
	}
	if err := got.Check(); err != nil {
		t.Errorf("the new holder: %v", err)
	}
	if all := files(t, path); !slices.Equal(all, []string{path}) {
		t.Errorf("files %v, want the lease alone", all)
	}
}

// If locks hold only within a machine, a lock proves nothing about a holder on another machine, or one without locks.
func TestLeaseOfAnotherMachine(t *testing.T) {
	for name, change := range map[string]func(*Lease){
		"another machine": func(c *Lease) { c.Host += "2" },
		"a lease":         func(c *Lease) { c.Lockless = true },
	} {
		path := filepath.Join(t.TempDir(), "run.lock")
		h := taken(t, new(Leases), path)
		stall(h)
		change(&h.lease)
		if err := errors.Join(h.write(), h.lock.Unlock()); err != nil {
			t.Fatal(err)
		}
		w := newWatcher(path, &Leases{})
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
		if again, err := (&Leases{}).take(path); err != nil || again != nil {
			t.Errorf("%s: taken twice (%v)", name, err)
		}
	}
}

// On one machine the lease of a killed process is taken at once.
func TestLeaseOfAKilledProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	h := taken(t, new(Leases), path)
	stall(h)
	if err := h.lock.Unlock(); err != nil { // as when its process ends
		t.Fatal(err)
	}
	second := taken(t, new(Leases), path)
	if h.check() == nil || second.Check() != nil {
		t.Errorf("the first has it: %v, the second: %v", h.check(), second.Check())
	}
}

// Take tells at once which process has a lease. It takes one that nobody holds, and one of another machine that has
// been silent for long by the clock of the file system.
func TestTake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work.lock")
	held := func(by int) {
		t.Helper()
		var other *HeldError
		if h, err := new(Leases).Take(path); h != nil || !errors.As(err, &other) || other.By.Process != by ||
			!strings.Contains(err.Error(), path) {
			t.Fatalf("lease %v, %v, want that process %d has %s", h, err, by, path)
		}
	}
	first, err := new(Leases).Take(path)
	if err != nil {
		t.Fatal(err)
	}
	held(os.Getpid())
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second, err := new(Leases).Take(path)
	if err != nil {
		t.Fatal(err)
	}
	stall(second)
	second.lease.Host += "2"
	if err := errors.Join(second.write(), second.lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	held(os.Getpid())
	silent := func(d time.Duration) {
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-d)); err != nil {
			t.Fatal(err)
		}
	}
	silent(2 * Term)
	held(os.Getpid())
	silent(6 * Term)
	third, err := new(Leases).Take(path)
	if err != nil {
		t.Fatalf("silent for six terms: %v", err)
	}
	if err := third.Release(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	held(0)
}

// A lease file that is empty or incomplete may belong to another machine that is creating it: it is left alone for
// the term, and is then taken, as if its process was killed.
func TestLeaseThatIsNotWritten(t *testing.T) {
	for _, content := range []string{"", `{"Owner":"X","Host":"elsewhere","Proc`} {
		path := filepath.Join(t.TempDir(), "run.lock")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if lease, err := (&Leases{}).look(path); lease != nil || err != nil {
			t.Errorf("%q: lease %+v, %v, want none to tell of", content, lease, err)
		}
		w := newWatcher(path, &Leases{})
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

// If two machines, whose locks do not know of each other, take a lease at the same time, only one gets it.
func TestTwoMachinesAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	var other *HeldLease
	first := &Leases{TryLock: func(*flock.Flock) (bool, error) {
		other = taken(t, &Leases{TryLock: func(*flock.Flock) (bool, error) { return true, nil }}, path)
		return true, nil
	}}
	if got, err := first.take(path); got != nil || err != nil {
		t.Errorf("lease %v, %v, want none", got, err)
	}
	if err := other.Check(); err != nil {
		t.Error(err)
	}
	if all := files(t, path); !slices.Equal(all, []string{path}) {
		t.Errorf("files %v, want the lease alone", all)
	}
}

// A name is given to one file, also where a file can have only one name.
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

// A holder does not overwrite its file after another holder has written a lease into it.
func TestBeatOfAClaimThatWasTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	h := taken(t, &Leases{TermOf: 600 * time.Millisecond}, path) // a heartbeat every 100 ms
	ctx := h.While(context.Background())
	other := []byte(`{"Owner":"another"}`)
	h.mu.Lock() // between two heartbeats
	_, err := h.file.WriteAt(append(other, make([]byte, 400)...), 0)
	h.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
	}
	if !errors.Is(context.Cause(ctx), ErrLost) {
		t.Errorf("ended by %v, want that the run is lost", context.Cause(ctx))
	}
	stall(h)
	if now, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(now, other) {
		t.Errorf("%q, %v, want the other's lease", now, err)
	}
}

// A holder whose heartbeat falls between the last look and its removal keeps its lease.
func TestRemovalOfAClaimThatLives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.lock")
	h := taken(t, lockless(syscall.ENOLCK), path)
	stall(h)
	seen, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.write(); err != nil {
		t.Fatal(err)
	}
	c := new(Leases)
	if removed, err := c.remove(path, seen); removed || err != nil || h.check() != nil {
		t.Errorf("removed: %v, %v; the holder: %v", removed, err, h.check())
	}
	if seen, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if removed, err := c.remove(path, seen); !removed || err != nil {
		t.Errorf("removed: %v, %v, want that it is", removed, err)
	}
	if all := files(t, path); len(all) != 0 {
		t.Errorf("left %v", all)
	}
}

// files returns the files in the folder of a path.
func files(t *testing.T, path string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A lease that is released with a count of tries is free at once for any process except one with BeginOnly, and the
// next lease has that count. The same holds after a holder that is known to have ended.
func TestTriesOfALease(t *testing.T) {
	for what, leases := range map[string]*Leases{"locks": {}, "no locks": lockless(syscall.ENOLCK)} {
		path := filepath.Join(t.TempDir(), "run.lock")
		first := taken(t, leases, path)
		first.SetTries(1)
		if err := first.Release(); err != nil {
			t.Fatal(err)
		}
		if seen, err := leases.look(path); seen != nil || err != nil {
			t.Errorf("%s: %+v, %v has the run, want nobody", what, seen, err)
		}
		beginner := &Leases{BeginOnly: true, TryLock: leases.TryLock}
		if got, err := beginner.take(path); got != nil || err != nil {
			t.Errorf("%s: taken where another judges: %v, %v", what, got, err)
		}
		second := taken(t, leases, path)
		if second.Tries() != 1 {
			t.Errorf("%s: %d tries, want 1", what, second.Tries())
		}
		stall(second)
		leases.Bury(second.lease)
		if !second.lease.Lockless { // otherwise the lock has ended with its process
			if err := second.lock.Unlock(); err != nil {
				t.Fatal(err)
			}
		}
		third := taken(t, leases, path)
		if third.Tries() != 1 || second.Check() == nil {
			t.Errorf("%s: %d tries, want 1; the process that ended: %v", what, third.Tries(), second.Check())
		}
		third.SetTries(0)
		if err := third.Release(); err != nil {
			t.Fatal(err)
		}
		if left := files(t, path); len(left) != 0 {
			t.Errorf("%s: left %v", what, left)
		}
	}
}

// A lease is written every ten seconds, and shows the progress of its run at most once a second.
func TestBeatsOfLeases(t *testing.T) {
	now := &HeldLease{term: Term, beaten: time.Now()}
	before := &HeldLease{term: Term, beaten: time.Now().Add(-beatEvery)}
	if now.due() || !before.due() {
		t.Errorf("after no time due: %v, after %v: %v; want false and true", now.due(), beatEvery, before.due())
	}
	if every := now.sayEvery(); every != SayEvery {
		t.Errorf("tells every %v, want %v", every, SayEvery)
	}
}

// While nothing changes, looks become rarer, but stay frequent enough to detect a dead holder.
func TestSlowerLooks(t *testing.T) {
	for c, want := range map[*Leases]time.Duration{new(Leases): SlowPoll, {TermOf: 2 * time.Second}: Poll} {
		wait := Poll
		for range 10 {
			wait = c.Slower(wait)
		}
		if wait != want || wait > c.term()/4 {
			t.Errorf("looks every %v for a term of %v, want %v", wait, c.term(), want)
		}
	}
}

// Of two processes on one run, the second learns that the run is taken.
func TestLock(t *testing.T) {
	s, err := In(t.TempDir(), "waves", nil).Slot("identity", 2, "go")
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Take()
	if err != nil || first == nil {
		t.Fatalf("first: %v, %v", first, err)
	}
	if second, err := s.Take(); err != nil || second != nil {
		t.Errorf("second: %v, %v, want none", second, err)
	}
	if err := first.Release(); err != nil {
		t.Error(err)
	}
	again, err := s.Take()
	if err != nil || again == nil {
		t.Fatalf("after the first: %v, %v", again, err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(s.folder); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// The leases of a study are the held ones, with the time since they were written.
func TestLeasesOfAStudy(t *testing.T) {
	all := In(t.TempDir(), "waves", nil)
	slot, err := all.Slot("identity", 2, "xla:cpu")
	if err != nil {
		t.Fatal(err)
	}
	under := func() []Lease {
		t.Helper()
		leases, err := all.Leases()
		if err != nil {
			t.Fatal(err)
		}
		return leases
	}
	if got := under(); len(got) != 0 {
		t.Errorf("before the first run %+v", got)
	}
	h := taken(t, new(Leases), slot.LeaseFile())
	stall(h)
	if got := under(); len(got) != 1 || got[0].Hash != slot.Hash() || got[0].Backend != "xla-cpu" {
		t.Errorf("%+v, want the one that is held", got)
	}
	const ago = 5 * time.Minute
	if err := os.Chtimes(slot.LeaseFile(), time.Now(), all.Now().Add(-ago)); err != nil {
		t.Fatal(err)
	}
	if got := under(); len(got) != 1 || got[0].Silent < ago || got[0].Silent > 2*ago {
		t.Errorf("%+v, want one that is silent for %v", got, ago)
	}
	if left := files(t, slot.LeaseFile()); len(left) != 1 {
		t.Errorf("left %v, want the lease alone", left)
	}
	if err := h.lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if got := under(); len(got) != 0 {
		t.Errorf("%+v after its process was killed", got)
	}
}
