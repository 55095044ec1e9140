package xla

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The client of a worker computes with one thread: several on its core would interrupt each other.
func TestWorkerHasOneThread(t *testing.T) {
	plugins := findPlugins(cpu)
	if len(plugins) == 0 {
		t.Skip("no plugin of XLA for a CPU")
	}
	before := computing(t)
	backend, err := openPlugin(plugins[0], "", "for a test", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	if more := computing(t) - before; more != 1 {
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
