package experiments

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

// errLost is wrapped when another process has taken a run over.
var errLost = errors.New("another process took the run over")

// holding is a claim of this process, which writes it anew until it lets go.
type holding struct {
	path string
	// file is written in place: what a holder that was taken for dead writes then lands in a file that nobody reads.
	file *os.File
	lock *flock.Flock // without a lock where it is a lease
	term time.Duration
	at   atomic.Pointer[Position] // which does not wait for a slow file system

	mu     sync.Mutex
	claim  Claim
	said   *Position // what the file has of at
	beaten time.Time
	lost   bool
	cancel context.CancelCauseFunc // of the work on the run, when it is lost; nil before there is any

	stop, ended chan struct{}
}

// hold writes a claim into the file, which is this process's.
func (c *claims) hold(file *os.File, lock *flock.Flock, lease bool) (*holding, error) {
	h := &holding{file: file, lock: lock, term: c.lease(), claim: newClaim(), stop: make(chan struct{}),
		ended: make(chan struct{})}
	h.claim.Lease = lease
	h.say(Position{})
	return h, h.write()
}

// keep begins with the beats of the claim, whose file is at a path.
func (h *holding) keep(path string) {
	h.path = path
	go h.beats()
}

// sayEvery is how often at most the claim says how far its run is.
func (h *holding) sayEvery() time.Duration { return h.term / (leaseTerm / sayEvery) }

// due says whether it is time for a beat.
func (h *holding) due() bool { return time.Since(h.beaten) >= h.term/(leaseTerm/beatEvery) }

// write puts the claim into its file. At first, with a lease, and at each beat, it is sent to where other machines read
// it.
func (h *holding) write() error {
	at := h.at.Load()
	h.claim.Beat++
	h.claim.At = *at
	content, err := json.Marshal(h.claim)
	if err != nil {
		return err
	}
	_, err = h.file.WriteAt(content, 0)
	err = errors.Join(err, h.file.Truncate(int64(len(content))))
	if h.claim.Lease || h.due() {
		err = errors.Join(err, h.file.Sync())
		h.beaten = time.Now()
	}
	if err == nil {
		h.said = at
	}
	return err
}

// beats writes the claim every so often, unless it was lost: who took it may write into the same file.
func (h *holding) beats() {
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

// check finds out whether the claim is still this process's; an error that wraps [errLost] says that it is not. The
// caller has the holding's mutex.
func (h *holding) check() error {
	content, err := readClaim(h.path)
	if gone(err) != nil {
		return unusable(err)
	}
	if h.lost = h.lost || err != nil || decodeClaim(content).Owner != h.claim.Owner; !h.lost {
		return nil
	}
	err = fmt.Errorf("%w, as this one gave no sign of life for %v; it is left to that", errLost, h.term)
	if h.cancel != nil {
		h.cancel(err)
	}
	return err
}

// mine is check for those without the mutex.
func (h *holding) mine() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.check()
}

// while returns a context that ends with ctx, or when the claim is lost.
func (h *holding) while(ctx context.Context) context.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx, h.cancel = context.WithCancelCause(ctx)
	return ctx
}

// say notes how far the run is, which the claim soon tells others.
func (h *holding) say(at Position) { h.at.Store(&at) }

// release lets go of the claim, and before that calls last if it is still this process's.
func (h *holding) release(last func() error) error {
	close(h.stop)
	<-h.ended
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.check()
	if err == nil {
		err = unusable(errors.Join(last(), os.Remove(h.path)))
	} else if h.lost { // which is not news where nothing was stored
		err = nil
	}
	if h.cancel != nil {
		h.cancel(nil)
	}
	return errors.Join(err, h.file.Close(), h.lock.Unlock())
}
