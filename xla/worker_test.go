package xla

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/gomlx/compute"
)

// Workers run the functions they receive, and none after their backend is closed.
func TestWorkers(t *testing.T) {
	backend, err := Open(Config{Backend: "xla:cpu"})
	if err != nil {
		t.Skip(err)
	}
	count := backend.MostWorkers()
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
	if again, err := backend.Workers(1); err != nil || again[0] != workers[0] || backend.MostWorkers() != count {
		t.Errorf("another worker, or %d of them (%v), want the first and %d", backend.MostWorkers(), err, count)
	}
	t.Setenv("PJRT_NPROC", "1")
	if got := backend.MostWorkers(); got != 1 {
		t.Errorf("%d cores with PJRT_NPROC=1", got)
	}
	backend.Close()
	if err := workers[0].Do(func() { t.Error("ran") }); !errors.Is(err, ErrNotOpen) {
		t.Errorf("after it was closed: %v", err)
	}
	if (&Backend{}).MostWorkers() != 0 {
		t.Error("a zero backend has cores")
	}
}

// On several GPUs each worker opens a client that sees one of them, with the other options of the backend. Here the
// clients are pure Go.
func TestWorkersOnGPUs(t *testing.T) {
	visible, rest := visibleGPUs("notf32,visible_devices=2;5,allocator=bfc", 2)
	if got := fmt.Sprint(visible, " ", rest); got != "[2 5] notf32,allocator=bfc" {
		t.Errorf("chosen GPUs: %s", got)
	}
	all, rest := visibleGPUs("", 3)
	if got := fmt.Sprint(all, " ", rest); got != "[0 1 2] " {
		t.Errorf("all GPUs: %q", got)
	}
	var opened []string
	backend := &Backend{Compute: noBackend{}}
	backend.workers = onGPUs(visible, func(gpu string) (*Backend, error) {
		opened = append(opened, gpu)
		return Open(Config{Backend: "go"})
	})
	if most := backend.MostWorkers(); most != 2 {
		t.Errorf("%d workers on two GPUs", most)
	}
	workers, err := backend.Workers(2)
	if err != nil || !slices.Equal(opened, visible) {
		t.Fatalf("opened %v (%v), want %v", opened, err, visible)
	}
	var both sync.WaitGroup
	meet := make(chan bool)
	both.Go(func() { _ = workers[0].Do(func() { meet <- true }) })
	both.Go(func() { _ = workers[1].Do(func() { <-meet }) })
	both.Wait() // ends if they run at the same time
	backend.closeWorkers()
	if err := workers[1].Do(func() {}); !errors.Is(err, ErrNotOpen) {
		t.Errorf("after it was closed: %v", err)
	}
}

type noBackend struct{ compute.Backend }

func (noBackend) IsFinalized() bool { return false }
