//go:build unix

package bounded_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/bounded"
)

// A path that is no regular file is refused at once: a pipe that nobody writes to would make its reader wait.
func TestOpenKinds(t *testing.T) {
	folder := t.TempDir()
	pipe, socket := filepath.Join(folder, "pipe"), filepath.Join(folder, "socket")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	link := filepath.Join(folder, "link")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{pipe: "a named pipe (FIFO)", socket: "a socket", "/dev/zero": "a device",
		link: "a device", folder: "a directory"} {
		f, err := bounded.Open(path)
		var is *bounded.KindError
		if !errors.As(err, &is) || is.Kind() != kind || !strings.Contains(err.Error(), path+" is "+kind) {
			t.Errorf("%s: %v, %v, want that it is %s", path, f, err, kind)
		}
	}
}
