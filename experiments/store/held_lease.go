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

// ErrLost is wrapped when another process has taken a run over.
var ErrLost = errors.New("another process took the run over")

// HeldLease is a lease of this process, which writes it anew until it lets go.
type HeldLease struct {
	path string
	// file is written in place: what a holder that was taken for dead writes then lands in a file that nobody reads.
	file *os.File
	lock *flock.Flock // without a lock where there are none
	term time.Duration
	at   atomic.Pointer[Position] // which does not wait for a slow file system

	mu     sync.Mutex
	lease  Lease
	said   *Position // what the file has of at
	beaten time.Time
	lost   bool
	cancel context.CancelCauseFunc // of the work on the run, when it is lost; nil before there is any

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

// keep begins with the beats of the lease, whose file is at a path.
func (h *HeldLease) keep(path string) {
	h.path = path
	go h.beats()
}

// sayEvery is how often at most the lease says how far its run is.
func (h *HeldLease) sayEvery() time.Duration { return h.term / (Term / SayEvery) }

// due says whether it is time for a beat.
func (h *HeldLease) due() bool { return time.Since(h.beaten) >= h.term/(Term/beatEvery) }

// write puts the lease into its file. At first, with a lease, and at each beat, it is sent to where other machines read
// it.
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

// beats writes the lease every so often, unless it was lost: who took it may write into the same file.
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
			// What cannot be read or written now may be at the next beat; before a run is stored, check decides.
			if _ = h.check(); !h.lost {
				_ = h.write()
			}
		}
		h.mu.Unlock()
	}
}

// check finds out whether the lease is still this process's; an error that wraps [ErrLost] says that it is not. The
// caller has the heldLease's mutex.
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

// Check returns an error that wraps [ErrLost] where another process has the run now.
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

// Say notes how far the run is, which the lease soon tells others.
func (h *HeldLease) Say(at Position) { h.at.Store(&at) }

// Release lets go of the run.
func (h *HeldLease) Release() error { return h.release(func() error { return nil }) }

// Tries returns how many processes ended while they made the run.
func (h *HeldLease) Tries() int { return h.lease.Tries }

// SetTries sets that number. Where it is not 0, the file of the lease stays with it when the run is let go of.
func (h *HeldLease) SetTries(tries int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lease.Tries = tries
}

// release lets go of the lease, and before that calls last if it is still this process's.
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
	} else if h.lost { // which is not news where nothing was stored
		err = nil
	}
	if h.cancel != nil {
		h.cancel(nil)
	}
	return errors.Join(err, h.file.Close(), h.lock.Unlock())
}
