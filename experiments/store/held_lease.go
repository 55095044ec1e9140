package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
)

// ErrLost is wrapped when another process has taken over a run.
var ErrLost = errors.New("another process took the run over")

// HeldLease is a lease of this process, which rewrites it until it is released.
type HeldLease struct {
	path string
	// file is written in place: if the holder was taken for dead, its later writes go to a file that nobody reads.
	file *os.File
	lock *flock.Flock // not locked where there are no locks
	term time.Duration
	at   atomic.Pointer[Position] // atomic, so that Say does not wait for a slow file system

	mu     sync.Mutex
	lease  Lease
	said   *Position // value of at in the file
	beaten time.Time
	lost   bool
	cancel context.CancelCauseFunc // cancels the work on the run when the lease is lost; nil before the work begins

	stop, ended chan struct{}
}

// hold writes a lease of this process into the file.
func (t *Leases) hold(file *os.File, lock *flock.Flock, lockless bool, tries int) (*HeldLease, error) {
	h := &HeldLease{file: file, lock: lock, term: t.term(), lease: newLease(tries), stop: make(chan struct{}),
		ended: make(chan struct{})}
	h.lease.Lockless = lockless
	h.Say(Position{})
	return h, h.write()
}

// keep starts the heartbeat of the lease, whose file is at a path.
func (h *HeldLease) keep(path string) {
	h.path = path
	go h.beats()
}

// sayEvery returns the shortest time between two reports of progress by the lease.
func (h *HeldLease) sayEvery() time.Duration { return h.term / (Term / SayEvery) }

// due reports whether it is time for a heartbeat.
func (h *HeldLease) due() bool { return time.Since(h.beaten) >= h.term/(Term/beatEvery) }

// write writes the lease to its file. The first write, each heartbeat and every write of a lockless lease are synced,
// so that other machines can read them.
func (h *HeldLease) write() error {
	at := h.at.Load()
	h.lease.Beat++
	h.lease.At = *at
	content, err := json.Marshal(h.lease)
	if err != nil {
		return err
	}
	_, err = h.file.WriteAt(content, 0)
	err = errors.Join(err, h.file.Truncate(int64(len(content))))
	if h.lease.Lockless || h.due() {
		err = errors.Join(err, h.file.Sync())
		h.beaten = time.Now()
	}
	if err == nil {
		h.said = at
	}
	return err
}

// beats rewrites the lease periodically until it is lost: its new owner may write to the same file.
func (h *HeldLease) beats() {
	defer close(h.ended)
	tick := time.NewTicker(h.sayEvery())
	defer tick.Stop()
	for {
		select {
		case <-h.stop:
			return
		case <-tick.C:
		}
		h.mu.Lock()
		if h.said != h.at.Load() || h.due() {
			// Reads and writes that fail now may succeed at the next heartbeat; check decides before a run is stored.
			if _ = h.check(); !h.lost {
				_ = h.write()
			}
		}
		h.mu.Unlock()
	}
}

// check returns an error that wraps [ErrLost] if the lease no longer belongs to this process. The caller holds the
// heldLease's mutex.
func (h *HeldLease) check() error {
	content, err := readLease(h.path)
	if gone(err) != nil {
		return Unusable(err)
	}
	if h.lost = h.lost || err != nil || decodeLease(content).Owner != h.lease.Owner; !h.lost {
		return nil
	}
	err = fmt.Errorf("%w, as this one gave no sign of life for %v; it is left to that", ErrLost, h.term)
	if h.cancel != nil {
		h.cancel(err)
	}
	return err
}

// Check returns an error that wraps [ErrLost] if another process has the run now.
func (h *HeldLease) Check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.check()
}

// While returns a context that ends with ctx, or when the lease is lost.
func (h *HeldLease) While(ctx context.Context) context.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx, h.cancel = context.WithCancelCause(ctx)
	return ctx
}

// Say sets the progress of the run, which the lease soon shows to others.
func (h *HeldLease) Say(at Position) { h.at.Store(&at) }

// Release releases the run.
func (h *HeldLease) Release() error { return h.release(func() error { return nil }) }

// Tries returns how many processes ended while they made the run.
func (h *HeldLease) Tries() int { return h.lease.Tries }

// SetTries sets that number. If it is not 0, the file of the lease keeps it after the run is released.
func (h *HeldLease) SetTries(tries int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lease.Tries = tries
}

// release releases the lease, after calling last if the lease still belongs to this process.
func (h *HeldLease) release(last func() error) error {
	close(h.stop)
	<-h.ended
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.check()
	if err == nil {
		remove := func() error { return os.Remove(h.path) }
		if h.lease.Tries > 0 {
			h.lease.Free = true
			remove = h.write
		}
		err = Unusable(errors.Join(last(), remove()))
	} else if h.lost { // not an error where nothing was stored
		err = nil
	}
	if h.cancel != nil {
		h.cancel(nil)
	}
	return errors.Join(err, h.file.Close(), h.lock.Unlock())
}
