// Package resident tells how much memory this process has had, device memory of XLA on a CPU included, and how much is
// left.
package resident

import (
	"fmt"
	"os"
	"strings"
)

// Reset lets the kernel forget the largest resident memory of this process so far.
func Reset() {
	const forgetPeak = "5" // see proc(5), clear_refs
	_ = os.WriteFile("/proc/self/clear_refs", []byte(forgetPeak), 0)
}

// Peak is the largest resident memory since then, in bytes; 0 where the kernel does not say.
func Peak() int64 { return status("VmHWM:") }

// Now is the resident memory, in bytes; 0 where the kernel does not say.
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
