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

// keepFreedMemory makes the C allocator keep what a program frees. XLA on a CPU allocates the temporary memory of a
// program at each call, and glibc maps and unmaps it where it is large, so that every call touches fresh pages. The
// memory of the process then stays at its peak, until [ReturnFreedMemory]. The user's MALLOC_... and GLIBC_TUNABLES come
// first.
var keepFreedMemory = sync.OnceFunc(func() {
	if !allocatorIsSet() {
		C.keep_freed_memory()
	}
})

// ReturnFreedMemory gives the system the freed memory that the C allocator keeps, under glibc, as after work with a
// large model; elsewhere it does nothing. Memory that is needed again is mapped anew.
func ReturnFreedMemory() { C.return_freed_memory() }

// allocatorIsSet says whether the user chose what the C allocator keeps.
func allocatorIsSet() bool {
	for _, name := range []string{"MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	tunables := os.Getenv("GLIBC_TUNABLES")
	return strings.Contains(tunables, "glibc.malloc.mmap_") || strings.Contains(tunables, "glibc.malloc.trim_threshold")
}
