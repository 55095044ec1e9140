package xla

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The client of a worker computes with one thread: several on its core would interrupt each other.
func TestWorkerHasOneThread(t *testing.T) {
	plugins := findPlugins(cpu)
	if len(plugins) == 0 {
		t.Skip("no plugin of XLA for a CPU")
	}
	settle := func(enough func(count int) bool) int { // threads name themselves some time after they start
		count, same := computing(t), 0
		for range 400 {
			time.Sleep(5 * time.Millisecond)
			if now := computing(t); now != count {
				count, same = now, 0
			} else if same++; same >= 20 && enough(count) {
				break
			}
		}
		return count
	}
	before := settle(func(int) bool { return true })
	backend, err := openPlugin(plugins[0], "", "for a test", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	if more := settle(func(count int) bool { return count > before }) - before; more != 1 {
		t.Errorf("a client with one thread started %d", more)
	}
}

// computing counts the process's threads in XLA's pools, which are named after Eigen's.
func computing(t *testing.T) (count int) {
	names, err := filepath.Glob("/proc/self/task/*/comm")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range names {
		if name, err := os.ReadFile(file); err == nil && bytes.Contains(name, []byte("XLAEigen")) {
			count++
		}
	}
	return count
}
