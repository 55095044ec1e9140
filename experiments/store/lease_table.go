package store

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/durable"
)

// Processes that share a results folder use leases to agree on who makes a run. A lease is a file with a lock on it;
// the lock ends with its process. Some file systems have no locks, and the locks of different machines may not know
// of each other. The holder therefore rewrites its lease every beatEvery, and another process takes it over after
// seeing the same content for longer than Term by its own clock. Clocks of two machines are never compared.
const (
	beatEvery = 10 * time.Second
	// Term allows for five missed heartbeats in a row, as when a file server restarts, before a run is taken from a
	// live holder. It is also the longest wait for a run of a machine that died.
	Term = time.Minute
	// SayEvery is the shortest time between two reports of progress by a lease.
	SayEvery = time.Second
	// Poll is the time until the next look at runs that other processes hold. It grows to SlowPoll while nothing
	// changes, to spare a file server. A term always spans many looks.
	Poll     = 300 * time.Millisecond
	SlowPoll = 5 * time.Second
)

// Leases holds what a process knows about the leases of others. The zero value knows no lease.
type Leases struct {
	// BeginOnly takes no run that already has a lease, even if its holder may be gone: another process decides that.
	BeginOnly bool
	// TermOf, TryLock and Now replace [Term], flock's TryLock and the clock in tests.
	TermOf  time.Duration
	TryLock func(*flock.Flock) (bool, error)
	Now     func() time.Time

	lock    sync.Mutex
	watched map[string]watched // by path
	buried  map[string]bool    // owners whose process is known to have ended
}

// watched is the content of a file that did not change from since to last.
type watched struct {
	content     []byte
	since, last time.Time
	changed     bool // whether it had changed before
}

func (t *Leases) term() time.Duration {
	if t.TermOf == 0 {
		return Term
	}
	return t.TermOf
}

// Slower returns the time to wait for the next look after a look that found nothing new.
func (t *Leases) Slower(wait time.Duration) time.Duration {
	return min(2*wait, max(Poll, t.term()/(Term/SlowPoll)))
}

// Bury records that the holder of a lease has ended, so that its run can be taken at once.
func (t *Leases) Bury(l Lease) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.buried == nil {
		t.buried = make(map[string]bool)
	}
	t.buried[l.Owner] = true
}

func (t *Leases) try(lock *flock.Flock) (bool, error) {
	if t.TryLock == nil {
		return lock.TryLock()
	}
	return t.TryLock(lock)
}

// noLocks reports whether an error of flock means that the file system, or its server, has no locks.
func noLocks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EINVAL)
}

// HeldError is the error of [Leases.Take] for a lease that another process has.
type HeldError struct {
	// Path is the file of the lease, and By the lease in it.
	Path string
	By   Lease
}

// Error implements error.
func (e *HeldError) Error() string {
	who := "another process, which has not written its name yet,"
	if e.By.Owner != "" {
		who = fmt.Sprintf("process %d on %s, since %s,", e.By.Process, e.By.Host, e.By.Began.Local().Format(time.DateTime))
	}
	return fmt.Sprintf("%s has the lease %s; delete that file if the process has ended", who, e.Path)
}

// silentTerms is how many terms a lease must be silent, by the clock of its file system, before Take takes it. Take
// does not watch, and a file server may show a write up to a minute late.
const silentTerms = 5

// Take takes the lease at a path, of work other than a run. The error for a lease that another process has is a
// [*HeldError].
func (t *Leases) Take(path string) (*HeldLease, error) {
	const looks = 3 // the lease may be released between two of them
	by := Lease{}
	for range looks {
		h, err := t.take(path)
		if h != nil || err != nil {
			return h, err
		}
		lease, err := t.look(path)
		if err != nil {
			return nil, err
		}
		if lease == nil {
			continue
		}
		if by = *lease; clockOf(filepath.Dir(path)).Sub(by.written) <= silentTerms*t.term() {
			break
		}
		t.Bury(by)
	}
	return nil, &HeldError{path, by}
}

// take takes the lease at a path; nil if another process has it or has just released it.
func (t *Leases) take(path string) (h *HeldLease, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &bounded.KindError{Path: path, Mode: info.Mode()}
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return t.create(path, 0)
	}
	if err != nil {
		return nil, gone(err)
	}
	if t.BeginOnly {
		return nil, file.Close()
	}
	lock, lockless, locked, err := t.lockAt(path, file)
	defer func() {
		if h == nil || h.file != file {
			err = errors.Join(err, file.Close(), lock.Unlock())
		}
	}()
	if err != nil || !locked {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(file, leaseLimit))
	if err != nil {
		return nil, err
	}
	was := decodeLease(content)
	if lockless || !was.ends() {
		if !was.Free && !t.abandoned(path, content) {
			return nil, nil
		}
		removed, err := t.remove(path, content)
		if err != nil || !removed {
			return nil, err
		}
		return t.create(path, was.Tries)
	}
	if h, err = t.hold(file, lock, lockless, was.Tries); err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	h.keep(path)
	return h, nil
}

// create takes the lease at a path that has none. The file is first written and locked under another name: an empty
// file at the path might belong to another machine, and would be left alone for the term.
func (t *Leases) create(path string, tries int) (h *HeldLease, err error) {
	begun := path + "." + rand.Text()
	file, err := os.OpenFile(begun, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, gone(err)
	}
	lock, lockless, locked, err := t.lockAt(begun, file)
	if err == nil && locked {
		h, err = t.hold(file, lock, lockless, tries)
	}
	if err == nil && h != nil {
		locked, err = publish(begun, path)
	}
	err = errors.Join(err, gone(os.Remove(begun)))
	if err != nil || !locked {
		return nil, errors.Join(err, file.Close(), lock.Unlock())
	}
	h.keep(path)
	return h, nil
}

// publish gives a file a new name; false if a file with that name exists.
func publish(file, name string) (bool, error) {
	err := os.Link(file, name)
	from, err2 := os.Stat(file)
	to, err3 := os.Stat(name)
	switch {
	case err == nil || errors.Join(err2, err3) == nil && os.SameFile(from, to): // the server may have repeated it
		return true, nil
	case errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return replaceEmpty(file, name)
}

// replaceEmpty is publish for file systems where a file has only one name, such as FAT. A process that is killed
// between its two steps leaves an empty file.
func replaceEmpty(file, name string) (bool, error) {
	empty, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		err = errors.Join(empty.Close(), os.Rename(file, name))
	}
	return err == nil, err
}

// lockAt locks the file at a path that the caller has opened, unless another process has locked it or there are no
// locks. The caller must unlock the lock in any case.
func (t *Leases) lockAt(path string, file *os.File) (lock *flock.Flock, lockless, locked bool, err error) {
	lock = flock.New(path, flock.SetFlag(os.O_RDWR))
	locked, err = t.try(lock)
	if err != nil && noLocks(err) {
		return lock, true, true, nil
	}
	return lock, false, err == nil && locked && isAt(path, file, lock), gone(err)
}

// gone ignores the error that a file does not exist, or no longer exists on its server: its holder has just released
// it, and the next look tells more.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESTALE) {
		return nil
	}
	return err
}

// isAt reports whether the open file and the locked file are the file at the path. The earlier owner of the lock may
// have removed its file meanwhile; then this lock is on a file that nobody else opens.
func isAt(path string, file *os.File, lock *flock.Flock) bool {
	here, err := os.Stat(path)
	opened, err2 := file.Stat()
	held, err3 := lock.Stat()
	return errors.Join(err, err2, err3) == nil && os.SameFile(here, opened) && os.SameFile(here, held)
}

// abandoned reports whether the content of the lease at a path has not changed for the term. Only looks in close
// succession count: if this process did not look, it may have been stopped, and the holder with it.
func (t *Leases) abandoned(path string, content []byte) bool {
	if t == nil {
		return false
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	now := time.Now()
	if t.Now != nil {
		now = t.Now()
	}
	w, known := t.watched[path]
	if !known || !bytes.Equal(w.content, content) || now.Sub(w.last) > t.term()/2 {
		w = watched{content: content, since: now, changed: known && !bytes.Equal(w.content, content)}
	}
	w.last = now
	if t.watched == nil {
		t.watched = make(map[string]watched)
	}
	t.watched[path] = w
	return now.Sub(w.since) > t.term() || t.buried[decodeLease(content).Owner]
}

// watch looks at the lease at a path for a later take, and locks nothing. It returns the lease, and whether it
// changed recently, which means that its holder lives.
func (t *Leases) watch(path string) (lease Lease, lives bool, err error) {
	content, err := readLease(path)
	if err != nil {
		return lease, false, gone(err)
	}
	t.abandoned(path, content)
	t.lock.Lock()
	defer t.lock.Unlock()
	w := t.watched[path]
	return decodeLease(content), w.changed && w.last.Sub(w.since) <= t.term()/2, nil
}

// remove removes the lease with this content from a path. If it finds another lease, of a holder that lives or has
// just begun, it puts that lease back.
func (t *Leases) remove(path string, content []byte) (removed bool, err error) {
	aside := path + "." + rand.Text()
	if err := os.Rename(path, aside); err != nil {
		return false, gone(err)
	}
	now, err := readLease(aside)
	if removed = err == nil && bytes.Equal(now, content); !removed {
		_ = os.Link(aside, path) // if that fails, the other holder finds out that it lost
	}
	return removed, errors.Join(err, os.Remove(aside))
}

// removeMoved deletes leases that killed processes moved away from a path.
func removeMoved(path string) error {
	moved, err := durable.Beside(path + ".")
	for _, file := range moved {
		err = errors.Join(err, gone(os.Remove(file)))
	}
	return err
}
