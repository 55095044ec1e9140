//go:build unix

package safetensors

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFileSizeLimit meets a real error of the operating system in the middle of a file: no file of this process may
// grow beyond 4096 bytes for the time of the Write.
func TestFileSizeLimit(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "model")
	if err := Write(path, nil, nil); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	large := floats(t, "x", "F64", []int{2000}, make([]float64, 2000)...)

	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip(err)
	}
	low := limit
	low.Cur = 4096
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		t.Skip(err)
	}
	writeErr := Write(path, nil, []Tensor{large})
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(writeErr, syscall.EFBIG) {
		t.Errorf("got %v, wanted EFBIG", writeErr)
	}
	wantOnly(t, folder, "model", old)
}
