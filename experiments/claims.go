package experiments

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/durable"
)

// Processes that share a results folder agree by claims on who makes a run. A claim is a file with a lock on it, which
// ends with its process. Where there are no locks, and between machines, whose locks may not know of each other, the
// claim is a lease: its holder writes it anew every beatEvery, and another process takes it over when it has seen the
// same content for longer than leaseTerm by its own clock. Clocks of two machines are never compared.
const (
	beatEvery = 10 * time.Second
	// leaseTerm leaves out five beats in a row, as while a server of files is started anew, before a run is given away
	// whose holder lives; and a run of a machine that died waits no longer than that.
	leaseTerm = time.Minute
	// sayEvery is how often at most a claim says how far its run is.
	sayEvery = time.Second
	// poll is when to look again at runs that other processes have; where nothing changes it grows to slowPoll, to spare
	// a server of files. In a term there are many looks in any case.
	poll     = 300 * time.Millisecond
	slowPoll = 5 * time.Second
)

// claims are those that a process meets; nil is one that has met none.
type claims struct {
	// term, tryLock and now are leaseTerm, flock's and the clock's but in tests.
	term    time.Duration
	tryLock func(*flock.Flock) (bool, error)
	now     func() time.Time

	lock    sync.Mutex
	watched map[string]watched // by path
}

// watched is what stood in a file without a change from since to last.
type watched struct {
	content     []byte
	since, last time.Time
	changed     bool // before
}

func (c *claims) lease() time.Duration {
	if c == nil || c.term == 0 {
		return leaseTerm
	}
	return c.term
}

// slower is the time to wait for the next look after one that found what the last did.
func (c *claims) slower(wait time.Duration) time.Duration {
	return min(2*wait, max(poll, c.lease()/(leaseTerm/slowPoll)))
}

func (c *claims) try(lock *flock.Flock) (bool, error) {
	if c == nil || c.tryLock == nil {
		return lock.TryLock()
	}
	return c.tryLock(lock)
}

// noLocks says whether an error of flock means that the file system, or a server that it asks, has none.
func noLocks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EINVAL)
}

// take claims the file at a path; nil where another process has it, or has just let go of it.
func (c *claims) take(path string) (h *holding, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &bounded.KindError{Path: path, Mode: info.Mode()}
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return c.begin(path)
	}
	if err != nil {
		return nil, gone(err)
	}
	lock, lease, locked, err := c.lockAt(path, file)
	defer func() {
		if h == nil || h.file != file {
			err = errors.Join(err, file.Close(), lock.Unlock())
		}
	}()
	if err != nil || !locked {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(file, claimLimit))
	if err != nil {
		return nil, err
	}
	if was := decodeClaim(content); lease || !was.ends() {
		if !c.abandoned(path, content) {
			return nil, nil
		}
		removed, err := c.remove(path, content)
		if err != nil || !removed {
			return nil, err
		}
		return c.begin(path)
	}
	if h, err = c.hold(file, lock, lease); err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	h.keep(path)
	return h, nil
}

// begin claims the file at a path where there is none. It is written and locked under another name before: what stands
// there with nothing in it might be another machine's, and would be left alone for the term.
func (c *claims) begin(path string) (h *holding, err error) {
	begun := path + "." + rand.Text()
	file, err := os.OpenFile(begun, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, gone(err)
	}
	lock, lease, locked, err := c.lockAt(begun, file)
	if err == nil && locked {
		h, err = c.hold(file, lock, lease)
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

// publish gives a file another name that no file has; false where one has it.
func publish(file, name string) (bool, error) {
	err := os.Link(file, name)
	from, err2 := os.Stat(file)
	to, err3 := os.Stat(name)
	switch {
	case err == nil || errors.Join(err2, err3) == nil && os.SameFile(from, to): // its server may have said so twice
		return true, nil
	case errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return replaceEmpty(file, name)
}

// replaceEmpty is publish where a file can have one name only, as on FAT: a process that is killed between its two
// steps leaves an empty file.
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

// lockAt locks the file at a path that the caller has opened, unless another process has a lock on it or there are no
// locks, so that it is to be a lease. The lock is to be unlocked in any case.
func (c *claims) lockAt(path string, file *os.File) (lock *flock.Flock, lease, locked bool, err error) {
	lock = flock.New(path, flock.SetFlag(os.O_RDWR))
	locked, err = c.try(lock)
	if err != nil && noLocks(err) {
		return lock, true, true, nil
	}
	return lock, false, err == nil && locked && isAt(path, file, lock), gone(err)
}

// gone leaves out that a file is not there, or no longer on its server: its holder has just let go of it, and the next
// look tells more.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESTALE) {
		return nil
	}
	return err
}

// isAt says whether an open file and the one that is locked are those at the path: who had the lock may have removed
// its file meanwhile, and then this lock is of a file that nobody else meets.
func isAt(path string, file *os.File, lock *flock.Flock) bool {
	here, err := os.Stat(path)
	opened, err2 := file.Stat()
	held, err3 := lock.Stat()
	return errors.Join(err, err2, err3) == nil && os.SameFile(here, opened) && os.SameFile(here, held)
}

// abandoned says whether the content of the claim at a path has stood still for the term. Only looks that follow each
// other closely count: if this process did not look, it may have been stopped, and the holder with it.
func (c *claims) abandoned(path string, content []byte) bool {
	if c == nil {
		return false
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	now := time.Now()
	if c.now != nil {
		now = c.now()
	}
	w, known := c.watched[path]
	if !known || !bytes.Equal(w.content, content) || now.Sub(w.last) > c.lease()/2 {
		w = watched{content: content, since: now, changed: known && !bytes.Equal(w.content, content)}
	}
	w.last = now
	if c.watched == nil {
		c.watched = make(map[string]watched)
	}
	c.watched[path] = w
	return now.Sub(w.since) > c.lease()
}

// watch looks at the claim at a path for a later take, and locks nothing. It returns the claim, and whether it has
// changed of late, so that its holder lives.
func (c *claims) watch(path string) (claim Claim, lives bool, err error) {
	content, err := readClaim(path)
	if err != nil {
		return claim, false, gone(err)
	}
	c.abandoned(path, content)
	c.lock.Lock()
	defer c.lock.Unlock()
	w := c.watched[path]
	return decodeClaim(content), w.changed && w.last.Sub(w.since) <= c.lease()/2, nil
}

// remove takes the claim with this content away from a path. One that it finds to be another, of a holder that lives
// or has just begun, is put back.
func (c *claims) remove(path string, content []byte) (removed bool, err error) {
	aside := path + "." + rand.Text()
	if err := os.Rename(path, aside); err != nil {
		return false, gone(err)
	}
	now, err := readClaim(aside)
	if removed = err == nil && bytes.Equal(now, content); !removed {
		_ = os.Link(aside, path) // if yet another has begun, or links cannot be made, the holder finds out that it lost
	}
	return removed, errors.Join(err, os.Remove(aside))
}

// removeMoved deletes claims that killed processes moved away from a path.
func removeMoved(path string) error {
	moved, err := durable.Beside(path + ".")
	for _, file := range moved {
		err = errors.Join(err, gone(os.Remove(file)))
	}
	return err
}
