//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A lease that is a pipe without a writer, or an endless device, blocks no process.
func TestLeaseKinds(t *testing.T) {
	folder := t.TempDir()
	pipe, zero := filepath.Join(folder, "pipe.lock"), filepath.Join(folder, "zero.lock")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("/dev/zero", zero)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, zero} {
		c := new(Leases)
		_, errTake := c.take(path)
		_, errLook := c.look(path)
		_, _, errWatch := c.watch(path)
		for _, err := range []error{errTake, errLook, errWatch} {
			if err == nil || !strings.Contains(err.Error(), "want a regular file") {
				t.Errorf("%s: %v, want that it is none", path, err)
			}
		}
	}
}
