//go:build !linux || !cgo

package xla

func keepFreedMemory() {}

// ReturnFreedMemory gives the system what the C allocator keeps of memory that is freed, under glibc on Linux.
func ReturnFreedMemory() {}
