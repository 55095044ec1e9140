//go:build unix

package experiments

import (
	"syscall"
	"testing"
)

// withoutRoom calls do while this process can write no file of more than 128 KiB, as on a full disk.
func withoutRoom(t *testing.T, do func()) {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Skip(err)
	}
	low := was
	low.Cur = 128 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		t.Skip(err)
	}
	do()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
}
