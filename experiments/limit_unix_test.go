//go:build unix

package experiments

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// alone runs the test in its own process, and reports whether this is that process: files of go test itself are not
// limited.
func alone(t *testing.T) bool {
	t.Helper()
	const env = "PENGCDE_TEST_ALONE"
	if os.Getenv(env) != "" {
		return true
	}
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), env+"=1")
	if said, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, said)
	}
	return false
}

// withoutRoom calls do while this process can write no file larger than 128 KiB, as on a full disk.
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
