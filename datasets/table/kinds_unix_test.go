//go:build unix

package table_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/table"
)

// A pipe that nobody writes to, and a device that never ends, are refused before they are read.
func TestNoRegularFile(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"edges.csv", "edges.csv.gz", "edges.parquet"} {
		pipe, zero := filepath.Join(folder, "pipe-"+name), filepath.Join(folder, "zero-"+name)
		if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("/dev/zero", zero)); err != nil {
			t.Fatal(err)
		}
		for path, says := range map[string]string{pipe: "found a named pipe (FIFO), want a regular file",
			zero: "found a device, want a regular file"} {
			c, _ := small(path, "")
			c.Nodes = table.Nodes{}
			if _, err := table.Read(context.Background(), c); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, want %q", path, err, says)
			}
		}
	}
}
