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
}

func (c *claims) lease() time.Duration {
	if c == nil || c.term == 0 {
		return leaseTerm
	}
	return c.term
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
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	made := err == nil
	if errors.Is(err, fs.ErrExist) {
		file, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	if err != nil {
		return nil, gone(err)
	}
	lock, kept := flock.New(path, flock.SetFlag(os.O_RDWR)), false
	defer func() {
		if !kept {
			err = errors.Join(err, file.Close(), lock.Unlock())
		}
	}()
	locked, err := c.try(lock)
	lease := err != nil && noLocks(err)
	if err != nil && !lease {
		return nil, gone(err)
	}
	if !lease && !(locked && isAt(path, file, lock)) {
		if made { // another process looked at it just then; left empty, it would be taken for that of another machine
			_, err = c.remove(path, nil)
		}
		return nil, err
	}
	if !made {
		content, err := io.ReadAll(file)
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
			return c.take(path)
		}
	}
	h, err = c.hold(path, file, lock, lease)
	kept = err == nil
	return h, err
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
		w = watched{content: content, since: now}
	}
	w.last = now
	if c.watched == nil {
		c.watched = make(map[string]watched)
	}
	c.watched[path] = w
	return now.Sub(w.since) > c.lease()
}

// watch looks at the claim at a path for a later take, and locks nothing.
func (c *claims) watch(path string) error {
	content, err := os.ReadFile(path)
	if err == nil {
		c.abandoned(path, content)
	}
	return gone(err)
}

// remove takes the claim with this content away from a path. One that it finds to be another, of a holder that lives
// or has just begun, is put back.
func (c *claims) remove(path string, content []byte) (removed bool, err error) {
	aside := path + "." + rand.Text()
	if err := os.Rename(path, aside); err != nil {
		return false, gone(err)
	}
	now, err := os.ReadFile(aside)
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
