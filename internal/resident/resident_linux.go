// Package resident reports the memory that this process has used, including XLA's device memory on a CPU, and the
// memory available.
package resident

import (
	"fmt"
	"os"
	"strings"
)

// Reset resets the kernel's record of this process's largest resident memory.
func Reset() {
	const forgetPeak = "5" // see proc(5), clear_refs
	_ = os.WriteFile("/proc/self/clear_refs", []byte(forgetPeak), 0)
}

// Peak returns the largest resident memory since Reset, in bytes; 0 if the kernel does not say.
func Peak() int64 { return status("VmHWM:") }

// Now returns the resident memory, in bytes; 0 if the kernel does not say.
func Now() int64 { return status("VmRSS:") }

func status(name string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, found := strings.Cut(string(text), name)
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); !found || err != nil {
		return 0
	}
	return kilobytes << 10
}
