package resident

import (
	"os"
	"path/filepath"
	"testing"
)

// The available memory is the least of the machine's and of the rest that each group above the process has left.
func TestAvailable(t *testing.T) {
	proc, groups := t.TempDir(), t.TempDir()
	write := func(folder, name, text string) {
		t.Helper()
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, want int64) {
		t.Helper()
		if got := available(proc, groups); got != want {
			t.Errorf("%s: %d bytes, want %d", what, got, want)
		}
	}
	check("nothing said", 0)
	write(proc, "meminfo", "MemTotal:  8 kB\nMemAvailable:    4 kB\nBuffers: 1 kB\n")
	check("no groups", 4096)
	write(filepath.Join(proc, "self"), "cgroup", "0::/job/step\n")
	check("groups without limits", 4096)
	write(filepath.Join(groups, "job", "step"), "memory.max", "max\n")
	write(filepath.Join(groups, "job", "step"), "memory.current", "100\n")
	check("no limit", 4096)
	write(filepath.Join(groups, "job"), "memory.max", "3000\n")
	write(filepath.Join(groups, "job"), "memory.current", "1000\n")
	check("a limit above", 2000)
	write(filepath.Join(groups, "job"), "memory.stat", "anon 500\ninactive_file 200\nactive_file 50\n")
	check("some of it files that were read", 2200)
	write(filepath.Join(groups, "job"), "memory.stat", "")
	write(filepath.Join(groups, "job"), "memory.current", "3000\n")
	check("nothing left", 1)
	write(filepath.Join(proc, "self"), "cgroup", "2:cpu,memory:/slurm/job\n1:pids:/job\n0::/other\n")
	check("version 1 without limits", 4096)
	write(filepath.Join(groups, "memory", "slurm"), "memory.limit_in_bytes", "2500\n")
	write(filepath.Join(groups, "memory", "slurm"), "memory.usage_in_bytes", "500\n")
	write(filepath.Join(groups, "memory", "slurm", "job"), "memory.limit_in_bytes", "9223372036854771712\n")
	write(filepath.Join(groups, "memory", "slurm", "job"), "memory.usage_in_bytes", "400\n")
	check("version 1, a limit above", 2000)
	write(filepath.Join(groups, "memory", "slurm"), "memory.stat", "inactive_file 1\ntotal_inactive_file 100\n")
	check("version 1, some of it files that were read", 2100)
	if Available() <= 0 {
		t.Error("this machine does not say what is available")
	}
}
