package resident

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Available returns the memory in bytes that processes may still allocate without swapping: the machine's, or less if
// the control group of this process is limited, as in a container or a Slurm job; 0 if the kernel does not say. The
// kernel's cache of files not read recently counts as available.
func Available() int64 { return available("/proc", "/sys/fs/cgroup") }

// available reads files of proc(5) and of control groups, of version 2 or 1.
func available(proc, groups string) (bytes int64) {
	bytes = field(filepath.Join(proc, "meminfo"), "MemAvailable:") << 10
	own, _ := os.ReadFile(filepath.Join(proc, "self", "cgroup"))
	for line := range strings.Lines(string(own)) {
		// such as "0::/job", and of version 1 "4:memory:/job"
		_, of, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, found := strings.Cut(of, ":")
		root, limits, uses, cached := groups, "memory.max", "memory.current", "inactive_file"
		if controllers != "" {
			root, limits, uses = filepath.Join(groups, "memory"), "memory.limit_in_bytes", "memory.usage_in_bytes"
			cached = "total_inactive_file"
		}
		if !found || controllers != "" && !slices.Contains(strings.Split(controllers, ","), "memory") {
			continue
		}
		for {
			limit, limited := number(filepath.Join(root, group, limits))
			used, known := number(filepath.Join(root, group, uses))
			if limited && known {
				used -= field(filepath.Join(root, group, "memory.stat"), cached)
				bytes = min(bytes, max(1, limit-used)) // 0 would say that nothing is known
			}
			if group == "/" || group == "." || group == "" {
				break
			}
			group = filepath.Dir(group)
		}
	}
	return bytes
}

func number(file string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil // "max" is no limit
}

// field is the number behind a name in a file of names and numbers, a line each; 0 where there is none.
func field(file, name string) (count int64) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		_, _ = fmt.Sscanf(line, name+" %d", &count) // another line leaves it as it was
	}
	return count
}

// Kills returns the number of processes that the kernel has killed for lack of memory since the machine started; 0 if
// the kernel does not say.
func Kills() int64 { return field("/proc/vmstat", "oom_kill") }
