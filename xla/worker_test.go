package xla

import (
	"errors"
	"testing"
)

// Workers run the functions they receive, and none after their backend is closed.
func TestWorkers(t *testing.T) {
	backend, err := Open(Config{Backend: "xla:cpu"})
	if err != nil {
		t.Skip(err)
	}
	count := backend.Cores()
	if _, err := backend.Workers(count + 1); err == nil {
		t.Errorf("%d workers on %d cores", count+1, count)
	}
	if count == 0 {
		t.Skip("no workers here")
	}
	workers, err := backend.Workers(count)
	if err != nil || len(workers) != count {
		t.Fatalf("%d workers (%v), want %d", len(workers), err, count)
	}
	ran := 0
	for _, w := range workers {
		if err := w.Do(func() { ran++ }); err != nil || w.Check() != nil {
			t.Errorf("%v, %v", err, w.Check())
		}
	}
	if ran != count {
		t.Errorf("%d of %d ran", ran, count)
	}
	if again, err := backend.Workers(1); err != nil || again[0] != workers[0] || backend.Cores() != count {
		t.Errorf("another worker, or %d cores (%v), want the first of them and %d", backend.Cores(), err, count)
	}
	t.Setenv("PJRT_NPROC", "1")
	if got := backend.Cores(); got != 1 {
		t.Errorf("%d cores with PJRT_NPROC=1", got)
	}
	backend.Close()
	if err := workers[0].Do(func() { t.Error("ran") }); !errors.Is(err, ErrNotOpen) {
		t.Errorf("after it was closed: %v", err)
	}
	if (&Backend{}).Cores() != 0 {
		t.Error("a zero backend has cores")
	}
}
