//go:build linux && cgo

package xla

/*
#include <limits.h>
#include <malloc.h>

// keep_freed_memory lets glibc hold on to freed memory; elsewhere it does nothing.
static void keep_freed_memory(void) {
#ifdef __GLIBC__
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

static void return_freed_memory(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
*/
import "C"

import (
	"os"
	"strings"
	"sync"
)

// keepFreedMemory makes the C allocator keep freed memory. XLA on a CPU allocates the temporary memory of a program at
// each call. glibc maps and unmaps large blocks, so every call would touch fresh pages. With this setting the memory of
// the process stays at its peak, until [ReturnFreedMemory]. The user's MALLOC_... and GLIBC_TUNABLES take precedence.
var keepFreedMemory = sync.OnceFunc(func() {
	if !allocatorIsSet() {
		C.keep_freed_memory()
	}
})

// ReturnFreedMemory returns the freed memory that the C allocator keeps to the system, for example after work with a
// large model. It works under glibc; elsewhere it does nothing. Memory needed later is mapped again.
func ReturnFreedMemory() { C.return_freed_memory() }

// allocatorIsSet reports whether the user configured what the C allocator keeps.
func allocatorIsSet() bool {
	for _, name := range []string{"MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	tunables := os.Getenv("GLIBC_TUNABLES")
	return strings.Contains(tunables, "glibc.malloc.mmap_") || strings.Contains(tunables, "glibc.malloc.trim_threshold")
}
