//go:build unix

package cputime

import (
	"testing"
	"time"
)

// Work takes processor time, waiting does not.
func TestUsed(t *testing.T) {
	before := Used()
	time.Sleep(100 * time.Millisecond)
	waited := Used() - before
	start, x := time.Now(), 1.0
	for until := Used() + 100*time.Millisecond; Used() < until && time.Since(start) < time.Minute; {
		x = 1 + 1/x
	}
	passed := time.Since(start)
	if worked := Used() - before - waited; waited > 50*time.Millisecond || worked < 100*time.Millisecond ||
		worked > 2*passed || x < 1 {
		t.Errorf("%v of processor time while waiting, %v while working for %v", waited, worked, passed)
	}
}
