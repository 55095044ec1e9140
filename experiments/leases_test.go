package experiments

import (
	"context"
	"errors"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/peng-cde/pengcde-go/experiments/store"
)

// lockless returns leases whose flock fails with err, as on a file system without locks.
func lockless(err error) *store.Leases {
	return &store.Leases{TryLock: func(*flock.Flock) (bool, error) { return false, err }}
}

// leases returns leases for a folder without locks, with a short term.
func leases() *store.Leases {
	l := lockless(syscall.ENOLCK)
	l.TermOf = 2 * time.Second
	return l
}

// Two processes without locks make each run once.
func TestRunsWithoutLocks(t *testing.T) {
	for _, failure := range []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL} {
		folder := results(t)
		var lock sync.Mutex
		made := make(map[string]int)
		var both sync.WaitGroup
		for range 2 {
			study, o := toy(), options(t)
			o.leases = lockless(failure)
			whole := study.Execute
			study.Execute = func(ctx context.Context, m *RunContext, r Run) (*Facts, error) {
				lock.Lock()
				made[r.String()]++
				lock.Unlock()
				if all, err := study.UnderWay(ctx, o); err != nil || !slices.ContainsFunc(all, func(a ActiveRun) bool {
					return a.Run.String() == r.String() && a.Lockless
				}) {
					t.Errorf("%v: under way %+v, %v, want it without a lock", r, all, err)
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

// Any other failure of a lock is an error of the results folder.
func TestLockThatFails(t *testing.T) {
	results(t)
	o := options(t)
	o.leases = lockless(syscall.EIO)
	if _, err := toy().Run(context.Background(), o); !errors.Is(err, ErrStore) || !errors.Is(err, syscall.EIO) {
		t.Errorf("error %v, want ErrStore for EIO", err)
	}
}
