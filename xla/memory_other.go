//go:build !linux || !cgo

package xla

func keepFreedMemory() {}

// ReturnFreedMemory returns the freed memory that the C allocator keeps to the system. It works only under glibc on
// Linux.
func ReturnFreedMemory() {}
